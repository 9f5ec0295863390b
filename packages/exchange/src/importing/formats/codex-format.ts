import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createRolloutReader, recognizesRollout, rolloutBase } from '../../codex/index.ts';
import type { RolloutPlace, RolloutReader } from '../../codex/index.ts';
import { bytesOf, readLines } from '../file-bytes.ts';
import type { ForeignFormat } from '../format.ts';

/** Session files of Codex. A fork holds only its own lines: where it begins is known to the file that it was forked from. */
export const codexFormat: ForeignFormat = {
  source: 'codex',
  name: 'Codex',
  form: 'lines',
  recognizes: async (path, beginning) => recognizesRollout(path, await unpacked(path, beginning)),
  open: ({ path }) => openRollout(path, deepestFork),
  requires: async ({ path }, beginning) => {
    const base = rolloutBase(await unpacked(path, beginning));
    const file = base === undefined ? undefined : await findRollout(path, base.thread);
    return file === undefined ? [] : [file];
  },
};

/** A chain of forks ends somewhere, whatever files say. */
const deepestFork = 50;

async function openRollout(path: string, depth: number): Promise<RolloutReader> {
  const name = basename(path);
  const base = await placeOfBase(path, depth);
  return createRolloutReader(base === undefined ? { name } : { name, base });
}

async function placeOfBase(path: string, depth: number): Promise<RolloutPlace | undefined> {
  const base = rolloutBase(await beginningOfLines(path));
  const file = base === undefined || depth === 0 ? undefined : await findRollout(path, base.thread);
  if (base === undefined || file === undefined) return undefined;
  const reader = await openRollout(file, depth - 1);
  await readLines(file, (line) => {
    reader.push(line);
    reader.take();
  });
  return reader.placeAt(base.end);
}

/** The file of a thread: beside another one, or elsewhere in the folders by year, month and day. */
async function findRollout(path: string, thread: string): Promise<string | undefined> {
  const isWanted = (name: string): boolean =>
    /^rollout-.*\.jsonl(?:\.zst)?$/u.test(name) && name.includes(`-${thread}`);
  const near = dirname(path);
  const all = /^(.*)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/u.exec(near)?.[1];
  for (const folder of [near, ...(all === undefined ? [] : [all])]) {
    const names = await readdir(folder, { recursive: folder !== near }).catch(() => []);
    const found = names.find((name) => isWanted(basename(name)));
    if (found !== undefined) return join(folder, found);
  }
  return undefined;
}

async function unpacked(path: string, beginning: string): Promise<string> {
  return path.endsWith('.zst') ? beginningOfLines(path) : beginning;
}

async function beginningOfLines(path: string): Promise<string> {
  for await (const chunk of bytesOf(path)) return new TextDecoder().decode(chunk);
  return '';
}
