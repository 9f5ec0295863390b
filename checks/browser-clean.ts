import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readArchitectureTable } from './architecture-table.ts';
import type { Finding } from './finding.ts';
import { asRecord, publicEntries, readPackages } from './repository.ts';
import { runNode, ToolError } from './tool.ts';

/** Loads every entry of the packages that do without `node:` in a world that has only what browsers have. */
export async function checkBrowserClean(root: string): Promise<Finding[]> {
  const { rows } = readArchitectureTable(root);
  const pure = readPackages(root).filter(
    ({ directory }) => rows.get(directory.slice('packages/'.length))?.node === false,
  );
  const entries = pure.flatMap((manifest) => publicEntries(manifest).map(({ file }) => file));
  const missing = entries.filter((file) => !existsSync(join(root, file)));
  const found: Finding[] = missing.map((file) => ({
    file,
    message: 'package.json exports this file, but it does not exist',
  }));
  const present = entries.filter((file) => !missing.includes(file));
  if (present.length === 0) return found;
  const loader = join(import.meta.dirname, 'browser-loader.ts');
  const result = await runNode(
    ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', loader, ...present],
    root,
  );
  if (result.code !== 0) throw new ToolError('browser-loader.ts', result);
  for (const line of result.stdout.trim().split('\n')) {
    const { file, message } = asRecord(JSON.parse(line));
    if (typeof message === 'string') found.push({ file: String(file), message });
  }
  return found;
}
