import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asRecord } from './repository.ts';

/**
 * The file that a bundler for browsers would take for a bare specifier. Node's own resolver cannot be asked: it always
 * accepts the condition `node`, under which packages keep what a browser must not get.
 */
export function resolveForBrowser(specifier: string, from: string): string {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const entry = `.${specifier.slice(name.length)}`;
  const directory = findPackage(name, from);
  const manifest = asRecord(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
  const target =
    manifest['exports'] === undefined ? legacyTarget(manifest, entry) : exportedTarget(manifest['exports'], entry);
  if (target === undefined) throw new Error(`${name} has no entry "${entry}" for browsers`);
  return join(directory, target);
}

const conditions = ['browser', 'import', 'module', 'default'];

function findPackage(name: string, from: string): string {
  for (let directory = dirname(from); ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (directory === dirname(directory)) throw new Error(`${name} is not installed (imported by ${from})`);
  }
}

/** `exports` may be one target, conditions, or entries with or without a `*`; the longest pattern wins. */
function exportedTarget(exports: unknown, entry: string): string | undefined {
  const entries = asRecord(exports);
  if (!Object.keys(entries).some((key) => key.startsWith('.')))
    return entry === '.' ? chooseCondition(exports) : undefined;
  if (Object.hasOwn(entries, entry)) return chooseCondition(entries[entry]);
  const patterns = Object.keys(entries).filter((key) => key.includes('*'));
  for (const pattern of patterns.sort((a, b) => b.length - a.length)) {
    const [before = '', after = ''] = pattern.split('*');
    if (!entry.startsWith(before) || !entry.endsWith(after) || entry.length < before.length + after.length) continue;
    const part = entry.slice(before.length, entry.length - after.length);
    return chooseCondition(entries[pattern])?.replaceAll('*', part);
  }
  return undefined;
}

/** The first condition that holds, in the order of the package: that order carries meaning. */
function chooseCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  for (const [condition, inner] of Object.entries(asRecord(target))) {
    if (!conditions.includes(condition)) continue;
    const chosen = chooseCondition(inner);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

function legacyTarget(manifest: Record<string, unknown>, entry: string): string | undefined {
  if (entry !== '.') return entry;
  return [manifest['browser'], manifest['module'], manifest['main']].find((target) => typeof target === 'string');
}
