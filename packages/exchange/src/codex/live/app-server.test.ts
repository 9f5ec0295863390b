import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { assertValid, callsWithoutOneResult, readLines } from '../../foreign/testing/forest.ts';
import { capturesOf, linesOf } from '../../foreign/testing/material.ts';
import { createAppServerReader, createRolloutReader, factOf, readServerLine } from '../index.ts';

const printed = capturesOf('codex/x20-appserver/stdout.ndjson');

test('[CJ3] what the app-server prints says the same as its session file', { skip: printed.skip }, () => {
  for (const path of printed.files) {
    const heard = readLines(createAppServerReader(), linesOf(path));
    assertValid(heard);
    assert.deepEqual(callsWithoutOneResult(heard), []);
    const written = readLines(createRolloutReader(), linesOf(join(dirname(path), 'transcript.jsonl')));
    const [thread = ''] = written.conversations.keys();
    const words = (forest: typeof heard): string[] =>
      forest
        .nodesOf(thread)
        .filter(({ role }) => role === 'assistant')
        .flatMap(({ blocks }) => blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])));
    // The summary and a text that was cut off are in one of them alone.
    const both = words(heard).filter((text) => words(written).includes(text));
    assert.deepEqual(both, ['I will look first, in several deltas.', 'First turn done.', 'After interrupt.']);
    const changes = (forest: typeof heard): unknown[] =>
      forest
        .nodesOf(thread)
        .flatMap(({ blocks }) => blocks.flatMap(({ block }) => (block.type === 'file-change' ? [block.changes] : [])));
    assert.deepEqual(changes(heard), changes(written));
  }
});

test('[CJ3] every line is one message, whatever it holds', () => {
  assert.deepEqual(readServerLine('{"id":1,"result":{"a":2}}'), { type: 'answer', id: 1, result: { a: 2 } });
  assert.deepEqual(readServerLine('{"id":"x","error":{"message":"no"}}'), { type: 'refusal', id: 'x', message: 'no' });
  assert.deepEqual(readServerLine('{"id":0,"method":"m"}'), { type: 'request', id: 0, method: 'm', params: {} });
  assert.deepEqual(readServerLine('{"method":"m","params":{}}'), { type: 'notice', method: 'm', params: {} });
  for (const text of ['', 'warning: hello', '[1]', '{"a":', '{}', '{"id":null}{"id":2}'])
    assert.equal(readServerLine(text).type, 'other', text);
});

test('[CJ3] a notice of an unknown kind is told apart from one that says nothing', () => {
  assert.equal(factOf('thread/status/changed', {}).type, 'idle');
  assert.equal(factOf('future/thing', {}).type, 'unknown');
  assert.deepEqual(factOf('error', { threadId: 't', error: { message: 'm' }, willRetry: true }), {
    type: 'retrying',
    thread: 't',
    message: 'm',
  });
  const failed = {
    id: 'u',
    status: 'failed',
    error: { message: 'm', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 502 } } },
  };
  assert.deepEqual(factOf('turn/completed', { threadId: 't', turn: failed }), {
    type: 'turn-ended',
    thread: 't',
    turn: 'u',
    status: 'failed',
    error: { message: 'm', kind: 'httpConnectionFailed', status: 502 },
  });
});
