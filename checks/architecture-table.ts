import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { readText } from './repository.ts';

/** What the sources of one package may import. */
export interface LayerRow {
  /** Package → whether all of it or only its types. */
  readonly packages: ReadonlyMap<string, 'all' | 'types'>;
  /** npm packages by name or `@scope/*`; `declared` stands for whatever the package's own package.json lists. */
  readonly thirdParty: 'declared' | readonly string[];
  readonly node: boolean;
}

export interface ArchitectureTable {
  readonly rows: ReadonlyMap<string, LayerRow>;
  /** What could not be understood. */
  readonly findings: readonly Finding[];
}

const file = 'ARCHITECTURE.md';
const header = ['package', 'may import', 'third party', 'node:'];

/** Reads the table of packages, which is documentation and configuration at once. */
export function readArchitectureTable(root: string): ArchitectureTable {
  const text = existsSync(join(root, file)) ? readText(root, file) : '';
  const lines = text.split('\n').map(cellsOf);
  const start = lines.findIndex((cells) => header.every((title, index) => cells[index] === title));
  if (start < 0) {
    return { rows: new Map(), findings: [{ file, message: `add the table of packages: | ${header.join(' | ')} |` }] };
  }
  const rows = new Map<string, LayerRow>();
  const findings: Finding[] = [];
  const body = lines.slice(start + 2);
  const length = body.findIndex((cells) => cells.length === 0);
  const names = body.slice(0, length < 0 ? undefined : length).flatMap((cells) => listOf(cells[0] ?? ''));
  for (const [index, cells] of body.slice(0, length < 0 ? undefined : length).entries()) {
    const line = start + 3 + index;
    const row = readRow(cells, names);
    if (typeof row === 'string') {
      findings.push({ file, line, message: row });
      continue;
    }
    for (const name of listOf(cells[0] ?? '')) {
      if (rows.has(name)) findings.push({ file, line, message: `${name} is in the table twice; keep one row` });
      rows.set(name, row);
    }
  }
  return { rows, findings };
}

/** The row in terms of data, or a sentence about what is wrong with it. */
function readRow(cells: readonly string[], names: readonly string[]): LayerRow | string {
  const [, imports = '', thirdParty = '', node] = cells;
  if (cells.length !== header.length) return `the row needs ${header.length} cells, not ${cells.length}`;
  if (node !== 'yes' && node !== 'no') return `write yes or no in the column node:, not "${node}"`;

  const packages = new Map<string, 'all' | 'types'>();
  const allBut = /^all(?: but (.+))?$/u.exec(imports);
  if (allBut !== null) {
    const excluded = listOf(allBut[1] ?? '');
    const unknown = excluded.find((name) => !names.includes(name));
    if (unknown !== undefined) return `"${unknown}" is not a package of this table`;
    for (const name of names) if (!excluded.includes(name)) packages.set(name, 'all');
  } else {
    for (const item of listOf(imports)) {
      const [, name = '', types] = /^(\S+)( \(types only\))?$/u.exec(item) ?? [];
      if (!names.includes(name))
        return `"${item}" is not a package of this table; write names, "name (types only)", "all but …" or –`;
      packages.set(name, types === undefined ? 'all' : 'types');
    }
  }

  if (/^what (?:each|it) needs$/u.test(thirdParty)) return { packages, thirdParty: 'declared', node: node === 'yes' };
  const libraries = listOf(thirdParty);
  const unreadable = libraries.find((name) => !/^(?:@[\w.-]+\/)?[\w.-]+$|^@[\w.-]+\/\*$/u.test(name));
  if (unreadable !== undefined)
    return `"${unreadable}" is not the name of an npm package; write names, @scope/*, "what each needs" or –`;
  return { packages, thirdParty: libraries, node: node === 'yes' };
}

/** The cells of a table line without the code marks, none for any other line. */
function cellsOf(line: string): string[] {
  const match = /^\s*\|(.*)\|\s*$/u.exec(line);
  return match === null ? [] : (match[1] ?? '').split('|').map((cell) => cell.replaceAll('`', '').trim());
}

function listOf(cell: string): string[] {
  return cell
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item !== '–' && item !== '-');
}
