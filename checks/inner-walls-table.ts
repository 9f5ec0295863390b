import type { Finding } from './finding.ts';
import { listOf } from './markdown-tables.ts';
import type { MarkdownTable } from './markdown-tables.ts';

/** A folder of a package's src, or a file directly in it. */
export interface Part {
  readonly name: string;
  /** The line of its row. */
  readonly line: number;
  readonly mayImport: ReadonlySet<Part>;
  /** Parts below it that it imports all the same. */
  readonly exceptions: Set<Part>;
}

/** The order of the folders inside one package. */
export interface InnerTable {
  readonly package: string;
  /** By name; `*.ts` is the name of all files directly in src that no row names. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly findings: readonly Finding[];
}

const file = 'ARCHITECTURE.md';
export const otherFiles = '*.ts';

/** The package whose folders a table is about, if it is about folders. */
export function packageOfTable({ header }: MarkdownTable): string | undefined {
  return /^folder of (\S+)$/u.exec(header[0] ?? '')?.[1];
}

/**
 * Reads a table of folders. A row may import rows above it alone, and the folders of one row not each other, so that a table without
 * exceptions allows no cycle.
 */
export function readInnerTable(name: string, { header, rows }: MarkdownTable): InnerTable {
  const parts = new Map<string, Part>();
  const findings: Finding[] = [];
  const columns = header.slice(1).join(', ');
  if (columns !== 'may import' && columns !== 'may import, exceptions') {
    const message = `name the columns of the table of ${name}: may import, and exceptions if it has some`;
    return { package: name, parts, findings: [{ file, message }] };
  }
  for (const { line, cells } of rows) {
    const [names = '', imports = ''] = cells;
    const report = (message: string): void => void findings.push({ file, line, message });
    if (cells.length !== header.length) report(`the row needs ${header.length} cells, not ${cells.length}`);
    const mayImport = readRights(imports, parts, report);
    for (const member of listOf(names)) {
      if (parts.has(member)) report(`${member} is in the table twice; keep one row`);
      parts.set(member, { name: member, line, mayImport, exceptions: new Set() });
    }
  }
  for (const { line, cells } of rows) addExceptions(cells, parts, (message) => findings.push({ file, line, message }));
  return { package: name, parts, findings };
}

/** Exceptions may name rows below, so they are read when all rows are known. */
function addExceptions(
  [names = '', , exceptions = '']: readonly string[],
  parts: ReadonlyMap<string, Part>,
  report: (message: string) => void,
): void {
  for (const member of listOf(exceptions)) {
    const target = parts.get(member);
    if (target === undefined) report(`"${member}" is not a row of this table`);
    for (const part of listOf(names).flatMap((name) => parts.get(name) ?? [])) {
      if (target === undefined) continue;
      if (part.mayImport.has(target)) report(`${member} may be imported anyway; remove the exception`);
      else part.exceptions.add(target);
    }
  }
}

function readRights(
  cell: string,
  parts: ReadonlyMap<string, Part>,
  report: (message: string) => void,
): ReadonlySet<Part> {
  const allAbove = /^all above(?: but (.+))?$/u.exec(cell);
  const named = listOf(allAbove === null ? cell : (allAbove[1] ?? '')).flatMap((name) => {
    const part = parts.get(name);
    if (part === undefined) report(`"${name}" is not a row above this one; write rows above, "all above" or –`);
    return part ?? [];
  });
  return allAbove === null ? new Set(named) : new Set(parts.values()).difference(new Set(named));
}
