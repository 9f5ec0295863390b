import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCorpus, runs } from '@loom/blocks/testing';
import { isPlainObject } from '@loom/blocks';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { typedCharacters } from '../foreign/testing/typed-characters.ts';
import { readLines } from './file-bytes.ts';
import { beginningOf, findFile } from './file-scan.ts';
import { recognize } from './format.ts';
import { formats } from './formats/formats.ts';

/** The numbers of characters a model saw that are in blocks of known types, and that are not. */
interface Seen {
  typed: number;
  raw: number;
  files: number;
}

/** The deep run reads every file; others read each n-th of large sets. */
for (const [name, every] of [
  ['claude-code-sessions', 10],
  ['codex-rollouts', 3],
  ['chat-exports', 1],
  ['other-agent-sessions', 1],
] as const) {
  test(`[IM37] ${name}: of each program at least 99 % of what models saw is in blocks of known types`, async (context) => {
    const corpus = findCorpus(name);
    if (!corpus.found) return context.skip(corpus.reason);
    const files = readdirSync(corpus.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:jsonl|json|zip)$/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .filter((_, index) => index % runs(every, 1) === 0);
    const programs = new Map<string, Seen>();
    for (const path of files) await measure(path, programs);
    assert.ok(programs.size > 0);
    for (const [program, { typed, raw, files: count }] of programs) {
      const share = (100 * typed) / (typed + raw);
      const words = `${program}: ${share.toFixed(2)} % of ${typed + raw} characters in ${count} files`;
      context.diagnostic(words);
      assert.ok(share >= 99, words);
    }
  });
}

async function measure(path: string, programs: Map<string, Seen>): Promise<void> {
  const file = await findFile(path);
  const format = await recognize(formats, path, await beginningOf(path));
  if (file === undefined || format === undefined) return;
  const seen = programs.get(format.name) ?? { typed: 0, raw: 0, files: 0 };
  programs.set(format.name, seen);
  seen.files += 1;
  if (format.form === 'document') {
    for await (const items of format.read({ file, tally: new Tally() })) count(items, seen);
    return;
  }
  const reader = await format.open(file);
  await readLines(path, (line) => reader.push(line));
  reader.end();
  count(reader.take(), seen);
}

function count(items: readonly ForeignItem[], seen: Seen): void {
  for (const item of items) {
    if (item.type !== 'node') continue;
    for (const { key, block } of item.node.blocks) {
      if (key.includes('/view-')) continue;
      if (block.type === 'raw') seen.raw += charactersIn(block.value);
      else seen.typed += typedCharacters(block);
    }
  }
}

/** All texts of a raw value count as seen by the model, though most of them are names and addresses. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, element) => sum + charactersIn(element), 0);
  return isPlainObject(value) ? charactersIn(Object.values(value)) : 0;
}
