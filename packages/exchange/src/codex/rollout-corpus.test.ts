import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { isList, objectAt, textAt } from '../foreign/fields.ts';
import { readJsonLine } from '../foreign/json-line.ts';
import { assertValid, callsWithoutOneResult, readLines } from '../foreign/testing/forest.ts';
import type { GrownForest } from '../foreign/testing/forest.ts';
import { capturesOf, corpusOf, linesOf } from '../foreign/testing/material.ts';
import { recognizesRollout } from './recognizing.ts';
import { createRolloutReader } from './rollout-reader.ts';

const corpus = corpusOf('codex-rollouts', '**/*.jsonl');
const captures = capturesOf('codex/**/transcript*.jsonl', 'codex/**/rollout-*.jsonl');

test(
  '[CD12] every published rollout is read: all lines counted, words typed and once, whenever items are taken',
  corpus,
  () => {
    const rollouts = corpus.files.filter((path) => recognizesRollout(path, beginningOf(path)));
    assert.ok(rollouts.length > 30, `only ${rollouts.length} of ${corpus.files.length} files are rollouts`);
    for (const path of rollouts) checkRollout(path);
  },
);

test('[CD12] every captured rollout is read, and every call in it has one result', captures, () => {
  assert.ok(captures.files.length > 20);
  for (const path of captures.files) {
    const forest = checkRollout(path);
    assert.deepEqual(callsWithoutOneResult(forest), [], path);
  }
});

function checkRollout(path: string): GrownForest {
  const lines = linesOf(path);
  const reader = createRolloutReader({ name: path });
  const forest = readLines(reader, lines);
  assertValid(forest);
  assert.deepEqual(readLines(createRolloutReader({ name: path }), lines, 7).plain(), forest.plain(), path);
  assert.equal(reader.tally.counts.reported, 0, path);
  const shown = countsOf(wordsOfForest(forest));
  const there = countsOf(lines.flatMap(wordsOfLine));
  let [all, typed] = [0, 0];
  for (const [words, count] of there) {
    all += words.length * count;
    typed += words.length * Math.min(count, shown.get(words) ?? 0);
    // Scrubbed files repeat the same few words everywhere.
    assert.ok(words.length < 40 || (shown.get(words) ?? 0) <= count, `${path}: more than once: ${words.slice(0, 80)}`);
  }
  assert.ok(typed >= 0.99 * all, `${path}: ${typed} of ${all} characters are in typed blocks`);
  return forest;
}

function beginningOf(path: string): string {
  return linesOf(path).slice(0, 20).join('\n');
}

/** Returns the texts and arguments that the model was shown. */
function wordsOfLine(line: string): string[] {
  const read = readJsonLine(line);
  return read.kind === 'objects' ? read.objects.flatMap((object) => wordsOfItem(object)) : [];
}

function wordsOfItem(line: PlainObject): string[] {
  const payload = objectAt(line, 'payload');
  if (payload !== undefined && line.type !== 'response_item') return [];
  const item = payload ?? line;
  const output = item.output;
  const parts = [item.content, item.summary, isList(output) ? output : [output]].flatMap((list) =>
    isList(list) ? list : [],
  );
  const texts = parts.map((part) => (typeof part === 'string' ? part : textAt(part, 'text')));
  return [...texts, textAt(item, 'arguments'), textAt(item, 'input')].flatMap((text) =>
    text === undefined || text === '' ? [] : [text],
  );
}

function wordsOfForest(forest: GrownForest): string[] {
  return forest.blocks.flatMap((block) => {
    if (block.type === 'text' || block.type === 'thinking') return [block.text];
    return block.type === 'tool-use' ? [block.arguments ?? JSON.stringify(block.parameters)] : [];
  });
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
