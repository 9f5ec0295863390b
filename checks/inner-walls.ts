import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ClosedFile } from './closed-file.ts';
import type { Finding } from './finding.ts';
import { otherFiles, packageOfTable, readInnerTable } from './inner-walls-table.ts';
import type { InnerTable, Part } from './inner-walls-table.ts';
import { readTables } from './markdown-tables.ts';
import { isTestFile, listFiles, readText } from './repository.ts';

const document = 'ARCHITECTURE.md';

/**
 * The length of each list of exceptions, by its package or its file. These numbers only fall: an import against the order is turned around,
 * not added to a list. An exception that goes lowers its number.
 */
const listLengths: ReadonlyMap<string, number> = new Map([
  ['web', 33],
  ['loom', 16],
  ['packages/web/loom-importers.txt', 34],
]);

/** Judges imports inside packages by the tables of folders, and by the lists of files that get no new importers. */
export class InnerWalls {
  readonly #root: string;
  readonly #lengths: ReadonlyMap<string, number>;
  readonly #tables: readonly InnerTable[];
  readonly #closed: readonly ClosedFile[];
  /** The exceptions that an import needed. */
  readonly #used = new Map<Part, Set<Part>>();

  constructor(root: string, lengths = listLengths) {
    this.#root = root;
    this.#lengths = lengths;
    const tables = readTables(existsSync(join(root, document)) ? readText(root, document) : '');
    this.#tables = tables.flatMap((table) => {
      const name = packageOfTable(table);
      return name === undefined ? [] : [readInnerTable(name, table)];
    });
    this.#closed = tables
      .filter(({ header }) => header.join() === 'closed file,importers')
      .flatMap(({ rows }) => rows.map(({ cells: [file = '', list = ''] }) => new ClosedFile(root, file, list)));
  }

  /** A sentence about what is wrong with a relative import of a source that is not a test, or undefined. */
  judge(file: string, specifier: string): string | undefined {
    const target = posix.join(posix.dirname(file), specifier);
    return this.#closed.find((closed) => closed.file === target)?.judge(file) ?? this.#judgeOrder(file, target);
  }

  /** Lists what is wrong with the tables and lists themselves. All imports have been judged by then. */
  finish(): Finding[] {
    const files = listFiles(this.#root).filter((file) => !isTestFile(file));
    return [
      ...this.#tables.flatMap((table) => [
        ...table.findings,
        ...compareFolders(table, files),
        ...this.#judgeExceptions(table),
      ]),
      ...this.#closed.flatMap((closed) => [
        ...closed.unused(),
        ...this.#judgeLength(closed.list, closed.length, closed.list),
      ]),
    ];
  }

  #judgeOrder(file: string, target: string): string | undefined {
    const table = this.#tables.find(({ package: name }) => file.startsWith(sourceOf(name)));
    if (table === undefined) return undefined;
    const [from, to] = [partOf(table, file), partOf(table, target)];
    // A folder without a row is reported as such; its imports cannot be judged.
    if (from === undefined || to === undefined || from === to || from.mayImport.has(to)) return undefined;
    if (from.exceptions.has(to)) {
      this.#used.set(from, (this.#used.get(from) ?? new Set<Part>()).add(to));
      return undefined;
    }
    return (
      `${from.name} may not import ${to.name}: move what it needs further down, or take it as a parameter ` +
      `(folders of ${table.package} in ${document})`
    );
  }

  #judgeExceptions(table: InnerTable): Finding[] {
    const all = [...table.parts.values()].flatMap((part) => [...part.exceptions].map((to) => ({ part, to })));
    const unused = all.filter(({ part, to }) => this.#used.get(part)?.has(to) !== true);
    return [
      ...unused.map(({ part: { name, line }, to }) => {
        return { file: document, line, message: `${name} does not import ${to.name}; remove the exception` };
      }),
      ...this.#judgeLength(table.package, all.length, document),
    ];
  }

  #judgeLength(list: string, length: number, file: string): Finding[] {
    const known = this.#lengths.get(list) ?? 0;
    if (length === known) return [];
    const message =
      length > known
        ? `${list} has ${counted(length)} and may have ${known}: turn the new imports around, the list only shrinks`
        : `${list} has ${counted(length)} left: lower its number in checks/inner-walls.ts`;
    return [{ file, message }];
  }
}

function counted(exceptions: number): string {
  return `${exceptions} ${exceptions === 1 ? 'exception' : 'exceptions'}`;
}

function sourceOf(name: string): string {
  return `packages/${name}/src/`;
}

/** The row of a file: that of its folder, or its own if it lies directly in src. */
function partOf({ package: name, parts }: InnerTable, file: string): Part | undefined {
  const source = sourceOf(name);
  if (!file.startsWith(source)) return undefined;
  const [first = '', ...rest] = file.slice(source.length).split('/');
  return parts.get(first) ?? (rest.length === 0 ? parts.get(otherFiles) : undefined);
}

/** Finds folders and files without a row, and rows without a folder or file. */
function compareFolders(table: InnerTable, files: readonly string[]): Finding[] {
  const source = sourceOf(table.package);
  const own = files.filter((file) => file.startsWith(source));
  const first = (file: string): string => file.slice(source.length).split('/')[0] ?? '';
  const present = new Set([otherFiles, ...own.map(first)]);
  const without = new Set(own.filter((file) => partOf(table, file) === undefined).map(first));
  return [
    ...[...without].map((name) => ({ file: document, message: `add a row for ${source}${name}` })),
    ...[...table.parts].flatMap(([name, { line }]) =>
      present.has(name) ? [] : [{ file: document, line, message: `there is no ${source}${name}; remove it` }],
    ),
  ];
}
