import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CopiedPrefix, copiedThread } from '../../codex/copied-prefix.ts';
import { createRolloutReader, recognizesRollout, rolloutBase } from '../../codex/index.ts';
import type { RolloutFacts, RolloutReader } from '../../codex/index.ts';
import { bytesOf, readLines } from '../file-bytes.ts';
import type { ForeignFormat } from '../format.ts';

/** Session files of Codex. Where a fork begins is known to the file that it was forked from, also if it has copied the lines of that. */
export const codexFormat: ForeignFormat = {
  source: 'codex',
  name: 'Codex',
  form: 'lines',
  recognizes: async (path, beginning) => recognizesRollout(path, await unpacked(path, beginning)),
  open: ({ path }) => openRollout(path, deepestFork),
  requires: async ({ path }, beginning) => {
    const text = await unpacked(path, beginning);
    const thread = rolloutBase(text)?.thread ?? copiedThread(text);
    const file = thread === undefined ? undefined : await findRollout(path, thread);
    return file === undefined ? [] : [file];
  },
};

/** A chain of forks ends somewhere, whatever files say. */
const deepestFork = 50;

async function openRollout(path: string, depth: number): Promise<RolloutReader> {
  const beginning = await beginningOfLines(path);
  const base = rolloutBase(beginning);
  const thread = base?.thread ?? copiedThread(beginning);
  const file = thread === undefined || depth === 0 ? undefined : await findRollout(path, thread);
  const facts = file === undefined ? {} : await factsOfFork(path, file, base?.end, depth);
  return createRolloutReader({ name: basename(path), ...facts });
}

/** Where a fork begins in the file of the other thread: it says so, or it has copied the lines up to there. */
async function factsOfFork(
  path: string,
  file: string,
  end: number | undefined,
  depth: number,
): Promise<Pick<RolloutFacts, 'base' | 'copied'>> {
  const reader = await openRollout(file, depth - 1);
  const prefix = end === undefined ? new CopiedPrefix() : undefined;
  await readLines(file, (line) => {
    prefix?.other(line);
    reader.push(line);
    reader.take();
  });
  if (prefix === undefined) {
    const base = reader.placeAt(end ?? 0);
    return base === undefined ? {} : { base };
  }
  await readLines(path, (line) => prefix.own(line));
  // Lines count from 1, and the first says which thread it is.
  const base = prefix.count < fewestCopied ? undefined : reader.placeAt(prefix.count + 1);
  return base?.node === undefined ? {} : { base, copied: prefix.count };
}

/** The `session_meta` of the other thread alone is no history. */
const fewestCopied = 2;

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
