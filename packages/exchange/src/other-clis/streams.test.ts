import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertValid, callsWithoutOneResult, outlineOf, readLines } from '../foreign/testing/forest.ts';
import { capturesOf, linesOf } from '../foreign/testing/material.ts';
import { createDialectReader } from './dialect.ts';
import { geminiStream, opencodeStream, piStream } from './streams.ts';

const streams = [
  ['gemini/g01-tools/stdout.ndjson', geminiStream],
  ['opencode/o01-opencode.1/stdout.ndjson', opencodeStream],
  ['pi/p01-pi.1/stdout.ndjson', piStream],
] as const;

for (const [pattern, stream] of streams) {
  const { files, skip } = capturesOf(pattern);
  test(
    `[OD6] ${stream.source}: what the command prints is one path with one result for each call, each line counted`,
    { skip },
    () => {
      const lines = linesOf(files[0] ?? assert.fail(pattern));
      const reader = createDialectReader(stream, 'stream');
      const forest = readLines(reader, lines);
      assertValid(forest);
      assert.deepEqual(callsWithoutOneResult(forest), []);
      assert.deepEqual([...reader.tally.unknown], []);
      assert.deepEqual(reader.tally.counts, { read: lines.length, used: lines.length, raw: 0, reported: 0 });
      const outline = outlineOf(forest);
      assert.ok(outline.filter((words) => words.startsWith('tool ')).length >= 3, outline.join('\n'));
      const last = [...forest.nodes.values()].at(-1);
      assert.ok(
        last?.role === 'assistant' && last.source.type === 'model' && (last.source.usage?.input_tokens ?? 0) > 0,
      );
      assert.deepEqual(readLines(createDialectReader(stream, 'stream'), lines, 1).plain(), forest.plain());
    },
  );
}

test('[OD6] pieces of a text behind each other are one text', () => {
  const piece = (content: string): string =>
    JSON.stringify({ type: 'message', role: 'assistant', content, delta: true });
  const lines = [JSON.stringify({ type: 'init', session_id: 's1' }), piece('I will '), piece('look.')];
  const [node] = [...readLines(createDialectReader(geminiStream, 'stream'), lines).nodes.values()];
  assert.deepEqual(
    node?.blocks.map(({ block }) => block),
    [{ type: 'text', text: 'I will look.' }],
  );
});
