import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { PendingCall } from '../call-book.ts';
import { questionFor, readVerdict } from './prompts.ts';

const ask: PendingCall = {
  node: 'r/node-2',
  call: { type: 'tool-use', id: 'c', name: 'run_command', parameters: {} },
  kind: 'ask',
};
const question: PendingCall = { ...ask, kind: 'question' };

test('[CH13] only a clear yes approves; anything else denies and is the reason', () => {
  assert.match(questionFor(ask), /run_command/);
  for (const yes of ['y', 'Y', ' yes ']) assert.deepEqual(readVerdict(ask, yes), { decision: 'approved' });
  assert.deepEqual(readVerdict(ask, 'a'), { decision: 'approved', isAlways: true });
  assert.deepEqual(readVerdict(ask, 'no'), { decision: 'denied' });
  assert.deepEqual(readVerdict(ask, 'yes, but slowly'), { decision: 'denied', text: 'yes, but slowly' });
  assert.equal(readVerdict(ask, '  '), undefined);
  fc.assert(
    fc.property(fc.string(), (line) => {
      fc.pre(!/^(?:y|yes|a|always)$/i.test(line.trim()));
      assert.notEqual(readVerdict(ask, line)?.decision, 'approved');
    }),
  );
});

test('[CH14] whatever is said to a question is its answer', () => {
  assert.deepEqual(readVerdict(question, ' y '), { decision: 'answered', text: 'y' });
  assert.equal(readVerdict(question, ''), undefined);
});
