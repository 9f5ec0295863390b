import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { listOf, readTables } from './markdown-tables.ts';
import { readText } from './repository.ts';

/** The packages that the sources of one package may import. */
export interface LayerRow {
  /** Package → all of it, only its types, or only these entries as `exports` writes them. */
  readonly packages: ReadonlyMap<string, 'all' | 'types' | ReadonlySet<string>>;
  /** npm packages by name or `@scope/*`; `declared` stands for whatever the package's own package.json lists. */
  readonly thirdParty: 'declared' | readonly string[];
  readonly node: boolean;
}

export interface ArchitectureTable {
  readonly rows: ReadonlyMap<string, LayerRow>;
  /** The lines that could not be understood. */
  readonly findings: readonly Finding[];
}

const file = 'ARCHITECTURE.md';
const header = ['package', 'may import', 'third party', 'node:'];

/** Reads the table of packages, which is documentation and configuration at once. */
export function readArchitectureTable(root: string): ArchitectureTable {
  const text = existsSync(join(root, file)) ? readText(root, file) : '';
  const table = readTables(text).find((each) => header.every((title, index) => each.header[index] === title));
  if (table === undefined) {
    return { rows: new Map(), findings: [{ file, message: `add the table of packages: | ${header.join(' | ')} |` }] };
  }
  const rows = new Map<string, LayerRow>();
  const findings: Finding[] = [];
  const names = table.rows.flatMap(({ cells }) => listOf(cells[0] ?? ''));
  for (const { line, cells } of table.rows) {
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

  const packages = new Map<string, 'all' | 'types' | Set<string>>();
  const allBut = /^all(?: but (.+))?$/u.exec(imports);
  if (allBut !== null) {
    const excluded = listOf(allBut[1] ?? '');
    const unknown = excluded.find((name) => !names.includes(name));
    if (unknown !== undefined) return `"${unknown}" is not a package of this table`;
    for (const name of names) if (!excluded.includes(name)) packages.set(name, 'all');
  } else {
    for (const item of listOf(imports)) {
      const [, name = '', entry, types] = /^([^\s/]+)(?:\/(\S+)|( \(types only\)))?$/u.exec(item) ?? [];
      if (!names.includes(name))
        return `"${item}" is not a package of this table; write names, name/entry, "name (types only)", "all but …" or –`;
      const known = packages.get(name);
      if (entry === undefined) packages.set(name, types === undefined ? 'all' : 'types');
      else packages.set(name, new Set([...(known instanceof Set ? known : []), `./${entry}`]));
    }
  }

  if (/^what (?:each|it) needs$/u.test(thirdParty)) return { packages, thirdParty: 'declared', node: node === 'yes' };
  const libraries = listOf(thirdParty);
  const unreadable = libraries.find((name) => !/^(?:@[\w.-]+\/)?[\w.-]+$|^@[\w.-]+\/\*$/u.test(name));
  if (unreadable !== undefined)
    return `"${unreadable}" is not the name of an npm package; write names, @scope/*, "what each needs" or –`;
  return { packages, thirdParty: libraries, node: node === 'yes' };
}
