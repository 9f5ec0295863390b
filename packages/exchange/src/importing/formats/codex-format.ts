import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CopiedPrefix, copiedThread } from '../../codex/copied-prefix.ts';
import { createRolloutReader, recognizesRollout, rolloutBase } from '../../codex/index.ts';
import type { RolloutFacts, RolloutReader } from '../../codex/index.ts';
import { bytesOf, readLines } from '../file-bytes.ts';
import { findFile } from '../file-scan.ts';
import type { ForeignFormat } from '../format.ts';

/** Session files of Codex. The file that a fork came from gives the place where the fork begins, also if the fork has copied its lines. */
export const codexFormat: ForeignFormat = {
  source: 'codex',
  name: 'Codex',
  form: 'lines',
  recognizes: async (path, beginning) => recognizesRollout(path, await unpacked(path, beginning)),
  open: ({ path }) => openRollout(path, []),
  requires: async ({ path }, beginning) => {
    const text = await unpacked(path, beginning);
    const thread = rolloutBase(text)?.thread ?? copiedThread(text);
    const file = thread === undefined ? undefined : await findRollout(path, thread);
    return file === undefined ? [] : [file];
  },
};

/** The longest chain of forks, whatever files claim. */
const deepestFork = 50;

/**
 * Opens a file after those that it was forked from. Forks that name each other in a cycle would be read again and again: one of them stands alone.
 */
async function openRollout(path: string, forks: readonly string[]): Promise<RolloutReader> {
  const chain = [...forks, path];
  const beginning = await beginningOfLines(path);
  const base = rolloutBase(beginning);
  const thread = base?.thread ?? copiedThread(beginning);
  const file = thread === undefined || chain.length > deepestFork ? undefined : await findRollout(path, thread);
  const isUsable = file !== undefined && !chain.includes(file);
  // Problems of the other file are reported when that file is imported; this one then stands alone.
  const facts = isUsable ? await factsOfFork(chain, file, base?.end).catch(() => ({})) : {};
  return createRolloutReader({ name: basename(path), ...facts });
}

/** Returns the place in the other thread's file where a fork begins: the fork names it, or it has copied the lines up to there. */
async function factsOfFork(
  chain: readonly string[],
  file: string,
  end: number | undefined,
): Promise<Pick<RolloutFacts, 'base' | 'copied'>> {
  const reader = await openRollout(file, chain);
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
  await readLines(chain.at(-1) ?? '', (line) => prefix.own(line));
  // Lines count from 1, and the first names the thread.
  const base = prefix.count < fewestCopied ? undefined : reader.placeAt(prefix.count + 1);
  return base?.node === undefined ? {} : { base, copied: prefix.count };
}

/** Copying only the `session_meta` of the other thread does not count as a copied history. */
const fewestCopied = 2;

/**
 * Returns the file of a thread: beside another one, or elsewhere in the folders by year, month and day. Anything but a regular file, such as a pipe,
 * is not opened.
 */
async function findRollout(path: string, thread: string): Promise<string | undefined> {
  const isWanted = (name: string): boolean =>
    /^rollout-.*\.jsonl(?:\.zst)?$/u.test(name) && name.includes(`-${thread}`);
  const near = dirname(path);
  const all = /^(.*)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/u.exec(near)?.[1];
  for (const folder of [near, ...(all === undefined ? [] : [all])]) {
    const names = await readdir(folder, { recursive: folder !== near }).catch(() => []);
    for (const name of names) {
      if (!isWanted(basename(name))) continue;
      const found = await findFile(join(folder, name));
      if (found !== undefined) return found.path;
    }
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
