import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Program } from 'oxc-parser';
import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import type { Manifest } from './repository.ts';
import { publicEntries, readPackages, readText } from './repository.ts';

/** Compares the public names of every package with its snapshot, so that no name comes, goes or changes kind unnoticed. */
export function checkExports(root: string): Finding[] {
  return readPackages(root).flatMap((manifest) => {
    const file = snapshotFile(manifest);
    const { text, findings } = describeExports(root, manifest);
    for (const entry of manifest.conditionalEntries) {
      const message = `name one file for the entry "${entry}": what depends on conditions cannot be checked`;
      findings.push({ file: `${manifest.directory}/package.json`, message });
    }
    const accepted = existsSync(join(root, file)) ? readText(root, file) : '';
    if (text === accepted) return findings;
    const message =
      accepted === ''
        ? 'there is no snapshot of the public names yet: npm run exports:accept'
        : `public names differ from the snapshot; if that is meant: npm run exports:accept\n${differences(accepted, text)}`;
    return [...findings, { file, message }];
  });
}

/** Writes the snapshot of every package; returns the files that changed. */
export function acceptExports(root: string): string[] {
  return readPackages(root).flatMap((manifest) => {
    const file = snapshotFile(manifest);
    const { text } = describeExports(root, manifest);
    const accepted = existsSync(join(root, file)) ? readText(root, file) : '';
    if (text === accepted) return [];
    if (text === '') rmSync(join(root, file));
    else writeFileSync(join(root, file), text);
    return [file];
  });
}

function snapshotFile({ directory }: Manifest): string {
  return `${directory}/exports.snap.txt`;
}

function describeExports(root: string, manifest: Manifest): { text: string; findings: Finding[] } {
  const reader = new ExportReader(root);
  const modules = publicEntries(manifest).filter(({ file }) => file.endsWith('.ts'));
  const sections = modules.map(({ entry, file }) => {
    const lines = [...reader.namesOf(file)].flatMap(([name, kinds]) => [...kinds].map((kind) => `${name} ${kind}`));
    return [posix.join(manifest.name, entry), ...lines.sort().map((line) => `  ${line}`), ''].join('\n');
  });
  return { text: sections.join('\n'), findings: reader.findings };
}

function differences(accepted: string, current: string): string {
  const [before, after] = [labelled(accepted), labelled(current)];
  return [
    ...[...after].filter((line) => !before.has(line)).map((line) => `  new:  ${line}`),
    ...[...before].filter((line) => !after.has(line)).map((line) => `  gone: ${line}`),
  ].join('\n');
}

/** Each name of a snapshot together with its entry. */
function labelled(snapshot: string): Set<string> {
  let entry = '';
  return new Set(
    snapshot.split('\n').flatMap((line) => {
      if (line.startsWith('  ')) return [`${line.trim()} (${entry})`];
      entry = line;
      return [];
    }),
  );
}

type Kind = 'value' | 'type';
type Names = Map<string, Set<Kind>>;

/** Follows re-exports through the files of one package. */
class ExportReader {
  readonly findings: Finding[] = [];
  readonly #root: string;
  readonly #modules = new Map<string, Names>();

  constructor(root: string) {
    this.#root = root;
  }

  namesOf(file: string): Names {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const names: Names = new Map();
    // Entered before it is filled, so that modules that re-export each other come to an end.
    this.#modules.set(file, names);
    if (!existsSync(join(this.#root, file))) {
      this.findings.push({ file, message: 'an entry or a re-export names this file, but it does not exist' });
      return names;
    }
    const { module, program } = parseSync(file, readText(this.#root, file));
    const declared = declaredKinds(program.body);
    for (const { isType, exportName, importName, localName, moduleRequest } of module.staticExports.flatMap(
      ({ entries }) => entries,
    )) {
      const from = moduleRequest?.value;
      const target = from?.startsWith('.') === true ? this.namesOf(posix.join(posix.dirname(file), from)) : undefined;
      const add = (name: string, kinds: Iterable<Kind>): void => {
        const all = names.get(name) ?? new Set();
        for (const kind of kinds) if (!isType || kind === 'type') all.add(kind);
        names.set(name, all);
      };
      const name = exportName.name ?? 'default';
      const given: Kind[] = [isType ? 'type' : 'value'];
      if (from !== undefined && exportName.name === null) {
        if (target === undefined)
          this.findings.push({ file, message: `list the names instead of \`export * from '${from}'\`` });
        for (const [inner, kinds] of target ?? []) if (inner !== 'default') add(inner, kinds);
      } else if (from === undefined) add(name, isType ? given : (declared.get(localName.name ?? '') ?? given));
      else add(name, (importName.name === null ? undefined : target?.get(importName.name)) ?? given);
    }
    return names;
  }
}

/** The kinds of the top-level declarations of a module; one name may be a type and a value. */
function declaredKinds(body: Program['body']): Names {
  const names: Names = new Map();
  for (const statement of body) {
    const node = 'declaration' in statement && statement.declaration !== null ? statement.declaration : statement;
    if (node.type === 'VariableDeclaration') {
      for (const { id } of node.declarations) if (id.type === 'Identifier') addKind(names, id.name, 'value');
    } else if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration')
      addKind(names, node.id.name, 'type');
    else if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id !== null)
      addKind(names, node.id.name, 'value');
  }
  return names;
}

function addKind(names: Names, name: string, kind: Kind): void {
  names.set(name, (names.get(name) ?? new Set<Kind>()).add(kind));
}
