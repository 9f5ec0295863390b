import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import * as fc from 'fast-check';
import { Tally } from '../foreign/foreign.ts';
import { assertValid, callsWithoutOneResult, GrownForest, outlineOf, readLines } from '../foreign/testing/forest.ts';
import { capturesOf, corpusOf, linesOf } from '../foreign/testing/material.ts';
import {
  createGeminiReader,
  readGeminiDocument,
  recognizesGeminiDocument,
  recognizesGeminiLog,
} from './gemini-reader.ts';

const head = { sessionId: 's1', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z', kind: 'main' };
const user = (id: string, text: string): PlainObject => ({ id, type: 'user', content: [{ text }] });
const gemini = (id: string, content: string, more: PlainObject = {}): PlainObject => ({
  id,
  type: 'gemini',
  content,
  model: 'g',
  ...more,
});
const call = (more: PlainObject = {}): PlainObject => ({
  id: 'c1',
  name: 'run_shell_command',
  args: { command: 'ls' },
  ...more,
});
const response = {
  functionResponse: { id: 'c1', name: 'run_shell_command', response: { output: 'Output: a\nExit Code: 0' } },
};

function read(lines: readonly PlainObject[]): GrownForest {
  const written = lines.map((line) => JSON.stringify(line));
  const forest = readLines(createGeminiReader(), written);
  assertValid(forest);
  assert.deepEqual(readLines(createGeminiReader(), written, 1).plain(), forest.plain());
  return forest;
}

test('[GM1] a message that is written again whenever it has grown is one message, as it stands last', () => {
  const forest = read([
    head,
    user('u1', 'go'),
    gemini('g1', 'Looking.'),
    { $set: { lastUpdated: 'x' } },
    gemini('g1', 'Looking.', { toolCalls: [call()] }),
    gemini('g1', 'Looking.', {
      toolCalls: [call({ status: 'success', result: [response] })],
      tokens: { input: 9, output: 2, thoughts: 3 },
    }),
    { id: 'u2', type: 'user', content: [response] },
    gemini('g2', 'Done.'),
  ]);
  assert.deepEqual(outlineOf(forest), ['user text', 'assistant text tool-use', 'tool text command', 'assistant text']);
  assert.deepEqual(callsWithoutOneResult(forest), []);
  const source = [...forest.nodes.values()][1]?.source;
  assert.deepEqual(source?.type === 'model' && [source.usage?.input_tokens, source.usage?.output_tokens], [9, 5]);
});

test('[GM1] what grows after it was taken arrives too: calls and results behind it, usage with it', () => {
  const reader = createGeminiReader();
  const forest = new GrownForest();
  const lines = [
    head,
    gemini('g1', 'Looking.'),
    gemini('g1', 'Looking.', { toolCalls: [call({ status: 'success', result: [response] })] }),
  ];
  for (const line of lines) {
    reader.push(JSON.stringify(line));
    reader.end();
    forest.add(reader.take());
  }
  assert.deepEqual(forest.plain(), read(lines).plain());
});

test('[GM2] a result that only the next message tells is taken from there; how it ended is what the program says', () => {
  const told = read([head, gemini('g1', '', { toolCalls: [call()] }), { id: 'u1', type: 'user', content: [response] }]);
  assert.deepEqual(outlineOf(told), ['assistant tool-use', 'tool text command']);
  const error = (text: string): PlainObject => ({ functionResponse: { id: 'c1', response: { error: text } } });
  for (const [status, result, state] of [
    ['error', error('File not found'), 'error'],
    ['cancelled', error('[Operation Cancelled] Reason: User did not allow tool call'), 'denied'],
    ['cancelled', error('[Operation Cancelled] Reason: Operation cancelled.'), 'interrupted'],
  ] as const) {
    const forest = read([head, gemini('g1', '', { toolCalls: [call({ status, result: [result] })] })]);
    assert.equal([...forest.nodes.values()][1]?.tool, state);
  }
});

test('[GM2] a call of which no result is told is said at the end', () => {
  const remarksOf = (...lines: PlainObject[]): string[] => {
    const reader = createGeminiReader();
    for (const line of lines) reader.push(JSON.stringify(line));
    reader.end();
    return [...reader.tally.remarks.keys()];
  };
  const open = gemini('g1', '', { toolCalls: [call({ status: 'executing', result: undefined })] });
  assert.deepEqual(remarksOf(head, open, user('u1', 'Well?')), ['A call has no result: the session does not tell it.']);
  assert.deepEqual(remarksOf(head, open, { id: 'u1', type: 'user', content: [response] }), []);
});

test('[GM3] a history that was replaced starts a new context; a session that was taken back goes on from there', () => {
  const forest = read([
    head,
    { $set: { messages: [user('u0', '<session_context>\nx')] } },
    user('u1', 'one'),
    gemini('g1', 'two'),
    { $set: { messages: [user('u2', '<state_snapshot>\nall so far')] } },
    user('u3', 'three'),
    { $rewindTo: 'u3' },
    user('u4', 'four'),
  ]);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ context_start: start }) => start === true),
    [false, false, false, true, false, false],
  );
  assert.deepEqual(
    nodes.map(({ details }) => details?.synthetic === true),
    [true, false, false, true, false, false],
  );
  assert.deepEqual(
    nodes.slice(3).map(({ parent }) => parent),
    ['g1', 'u2', 'u2'],
  );
});

test('[GM4] a session as one document reads as its log does', () => {
  const tally = new Tally();
  const messages = [
    user('u1', 'go'),
    gemini('g1', 'Done.', { thoughts: [{ subject: 'A', description: 'b' }] }),
    { id: 'i1', type: 'info', content: 'x' },
  ];
  const text = JSON.stringify({ ...head, messages }, undefined, 2);
  const forest = new GrownForest().add(readGeminiDocument(text, tally));
  assertValid(forest);
  assert.deepEqual(forest.plain(), read([head, ...messages]).plain());
  assert.deepEqual(tally.counts, { read: 3, used: 3, raw: 0, reported: 0 });
  assert.deepEqual(readGeminiDocument('{"sessionId": ', tally), []);
  assert.equal(tally.counts.reported, 1);
});

test('[GM5] logs and documents are known by how they begin, other files are not', () => {
  assert.ok(recognizesGeminiLog('a', JSON.stringify(head)));
  const document = JSON.stringify({ ...head, messages: [user('u1', 'a')] }, undefined, 2);
  assert.ok(recognizesGeminiDocument('a.jsonl', document) && !recognizesGeminiLog('a.jsonl', document));
  assert.ok(recognizesGeminiDocument('a.json', JSON.stringify({ ...head, messages: [] })));
  for (const other of [
    '',
    '{}',
    '{"sessionId":"a","uuid":"b","type":"user"}',
    '{"id":"a","type":"gemini"}',
    '{"messages":[]}',
  ]) {
    assert.ok(!recognizesGeminiLog('a', other) && !recognizesGeminiDocument('a', other), other);
  }
});

test('[GM6] unknown kinds are counted and kept, and nothing makes the readers throw', () => {
  const reader = createGeminiReader();
  const lines = [head, { id: 'm1', type: 'oracle', content: 'x' }, { $pull: 1 }].map((line) => JSON.stringify(line));
  assert.deepEqual(outlineOf(readLines(reader, lines)), ['assistant text']);
  assert.deepEqual([...reader.tally.unknown.keys()], ['message/oracle', '$pull']);
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('a', 'user', 'gemini', [{ functionResponse: { id: 'a' } }]),
  );
  const keys = fc.constantFrom(
    'id',
    'type',
    'content',
    'toolCalls',
    'thoughts',
    'tokens',
    'sessionId',
    'projectHash',
    'messages',
    '$set',
  );
  const entry = fc.dictionary(keys, field);
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      assertValid(
        readLines(
          createGeminiReader(),
          entries.map((line) => JSON.stringify(line)),
        ),
      );
      assertValid(
        new GrownForest().add(readGeminiDocument(JSON.stringify({ ...head, messages: entries }), new Tally())),
      );
    }),
    { numRuns: 100 },
  );
});

const captures = capturesOf('gemini/**/transcript.jsonl', 'gemini/**/session-*.jsonl');
const corpus = corpusOf('other-agent-sessions', 'gemini*/*.json*');

test(
  '[GM7] every captured and published session is read: all records counted, all calls answered, nothing twice',
  corpus,
  () => {
    let count = 0;
    for (const path of [...captures.files, ...corpus.files]) {
      const text = readFileSync(path, 'utf8');
      const lines = linesOf(path);
      const tally = new Tally();
      const isLog = recognizesGeminiLog(path, text.slice(0, 65_536));
      if (!isLog && !recognizesGeminiDocument(path, text.slice(0, 65_536))) continue;
      const forest = isLog
        ? readLines(createGeminiReader(), lines)
        : new GrownForest().add(readGeminiDocument(text, tally));
      if (isLog) assert.deepEqual(readLines(createGeminiReader(), lines, 7).plain(), forest.plain(), path);
      assertValid(forest);
      assert.deepEqual(callsWithoutOneResult(forest), [], path);
      assert.deepEqual([tally.counts.raw, tally.counts.reported], [0, 0], path);
      const words = forest.blocks.flatMap((block) =>
        block.type === 'text' && block.text.length > 60 ? [block.text] : [],
      );
      assert.equal(new Set(words).size, words.length, path);
      count += 1;
    }
    assert.ok(count > (captures.files.length === 0 ? 4 : 9), `${count} sessions`);
  },
);

test('[GM7] the captured tools have their views', () => {
  const forest = readLines(createGeminiReader(), linesOf(join(import.meta.dirname, 'fixtures/tools.jsonl')));
  const views = forest.blocks
    .map(({ type }) => type)
    .filter((type) => !['text', 'thinking', 'tool-use'].includes(type));
  assert.deepEqual(views, ['code', 'command', 'command', 'file-change', 'file-change', 'code', 'todo']);
});
