import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import * as fc from 'fast-check';
import { assertValid, callsWithoutOneResult, outlineOf, readLines } from '../foreign/testing/forest.ts';
import type { GrownForest } from '../foreign/testing/forest.ts';
import { corpusOf, linesOf } from '../foreign/testing/material.ts';
import { createPiReader, recognizesPi } from './pi-reader.ts';

const session = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/project' };
const message = (id: string, parentId: string | null, said: PlainObject): PlainObject => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-01T00:00:01.000Z',
  message: said,
});
const user = (text: string): PlainObject => ({ role: 'user', content: [{ type: 'text', text }] });
const answer = (text: string, more: PlainObject = {}): PlainObject => ({
  role: 'assistant',
  provider: 'anthropic',
  model: 'claude',
  content: [{ type: 'text', text }],
  stopReason: 'stop',
  ...more,
});

function read(lines: readonly PlainObject[]): GrownForest {
  const written = lines.map((line) => JSON.stringify(line));
  const forest = readLines(createPiReader(), written);
  assertValid(forest);
  assert.deepEqual(readLines(createPiReader(), written, 1).plain(), forest.plain());
  return forest;
}

test('[PI1] messages hang where they were written, with all branches; what says nothing is passed through', () => {
  const forest = read([
    session,
    message('a', null, user('one')),
    { type: 'model_change', id: 'b', parentId: 'a', provider: 'openai', modelId: 'gpt' },
    message('c', 'b', answer('two')),
    message('d', 'b', answer('another two')),
    { type: 'branch_summary', id: 'e', parentId: 'a', fromId: 'd', summary: 'It was tried.' },
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ id, parent }) => [id, parent]),
    [
      ['a', undefined],
      ['c', 'a'],
      ['d', 'a'],
      ['e', 'a'],
    ],
  );
  assert.deepEqual(forest.conversations.get('s1')?.directory, '/project');
});

test('[PI1] entries of the first version, which have no ids, stand below each other', () => {
  const bare = (said: PlainObject): PlainObject => ({ type: 'message', message: said });
  const forest = read([{ ...session, version: 1 }, bare(user('one')), bare(answer('two'))]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ id, parent }) => [id, parent]),
    [
      ['s1#2', undefined],
      ['s1#3', 's1#2'],
    ],
  );
});

test('[PI2] a summary starts a new context; what pi said in the place of a person, and commands of people, are marked', () => {
  const forest = read([
    session,
    message('a', null, user('one')),
    { type: 'compaction', id: 'b', parentId: 'a', summary: 'In short.', firstKeptEntryId: 'a' },
    message('c', 'b', { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 0 }),
    { type: 'custom_message', id: 'd', parentId: 'c', customType: 'note', content: 'by an extension' },
  ]);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ context_start: start }) => start === true),
    [false, true, false, false],
  );
  assert.deepEqual(
    nodes.map(({ details }) => details?.synthetic === true),
    [false, true, true, true],
  );
});

test('[PI3] thoughts keep their signatures as the live providers keep them; tokens and costs are with the answer', () => {
  const item = JSON.stringify({ id: 'rs_1', encrypted_content: 'sealed' });
  const thought = (thinkingSignature: string): PlainObject => ({ type: 'thinking', thinking: 'hm', thinkingSignature });
  const usage = { input: 5, output: 2, cacheRead: 3, cacheWrite: 1, cost: { total: 0.5 } };
  const forest = read([
    session,
    message('a', null, answer('', { content: [thought('sig')], usage })),
    message('b', 'a', answer('', { content: [thought(item)], provider: 'openai' })),
  ]);
  assert.deepEqual(
    forest.blocks.map(({ provider }) => provider),
    [{ anthropic: { signature: 'sig' } }, { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } }],
  );
  const source = [...forest.nodes.values()][0]?.source;
  assert.ok(source?.type === 'model');
  assert.deepEqual(
    [source.usage?.input_tokens, source.usage?.cached_input_tokens, source.usage?.cost_usd],
    [9, 3, 0.5],
  );
});

test('[PI4] every call has one result with its views; the calls of an answer that broke off were not run', () => {
  const tools = readLines(createPiReader(), linesOf(join(import.meta.dirname, 'fixtures/tools.jsonl')));
  assertValid(tools);
  assert.deepEqual(callsWithoutOneResult(tools), []);
  assert.deepEqual(outlineOf(tools).slice(1, 7), [
    'assistant thinking text tool-use',
    'tool text code',
    'assistant tool-use',
    'tool text command',
    'assistant tool-use',
    'tool text command',
  ]);
  const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } };
  const cut = read([
    session,
    message('a', null, answer('', { content: [call], stopReason: 'aborted', errorMessage: 'Request was aborted' })),
    message('b', 'a', user('again')),
  ]);
  assert.deepEqual(outlineOf(cut), ['assistant tool-use error', 'tool text command', 'user text']);
  assert.deepEqual(callsWithoutOneResult(cut), []);
});

test('[PI5] unknown kinds are counted and kept, and nothing makes the reader throw', () => {
  const reader = createPiReader();
  const odd = message('a', null, { role: 'assistant', content: [{ type: 'dream', text: 7 }] });
  readLines(
    reader,
    [session, odd, { type: 'weather', id: 'b', parentId: 'a' }].map((line) => JSON.stringify(line)),
  );
  assert.deepEqual([...reader.tally.unknown.keys()], ['part dream', 'weather']);
  const field = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('a', 'b', null, 'assistant', 'toolResult'));
  const keys = fc.constantFrom(
    'id',
    'parentId',
    'role',
    'content',
    'summary',
    'toolCallId',
    'usage',
    'arguments',
    'name',
  );
  const entry = fc
    .tuple(
      fc.constantFrom('session', 'message', 'compaction', 'custom_message'),
      fc.dictionary(keys, field),
      fc.dictionary(keys, field),
    )
    .map(([type, fields, said]) => JSON.stringify({ type, ...fields, message: said }));
  fc.assert(
    fc.property(fc.array(fc.oneof(entry, fc.string()), { maxLength: 8 }), (lines) => {
      assertValid(readLines(createPiReader(), lines));
    }),
    { numRuns: 100 },
  );
});

const corpus = corpusOf('other-agent-sessions', 'pi/*.jsonl');

test(
  '[PI6] every published session is read: all lines counted, all calls answered, the same whenever items are taken',
  corpus,
  () => {
    assert.ok(corpus.files.length > 3);
    for (const path of corpus.files) {
      const lines = linesOf(path);
      assert.ok(recognizesPi(path, lines.slice(0, 5).join('\n')), path);
      const reader = createPiReader();
      const forest = readLines(reader, lines);
      assertValid(forest);
      assert.deepEqual(reader.tally.counts, { read: lines.length, used: lines.length, raw: 0, reported: 0 });
      assert.deepEqual(callsWithoutOneResult(forest), [], path);
      assert.deepEqual(readLines(createPiReader(), lines, 7).plain(), forest.plain(), path);
    }
  },
);

test('[PI7] a session is known by its first line', () => {
  assert.ok(recognizesPi('a', JSON.stringify(session)));
  for (const other of [
    '',
    '{}',
    '{"type":"session"}',
    '{"type":"user","message":{}}',
    '{"sessionId":"a","projectHash":"b"}',
  ]) {
    assert.ok(!recognizesPi('a.jsonl', other), other);
  }
});
