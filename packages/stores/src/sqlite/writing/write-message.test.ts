import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewRecord } from '@loom/kernel/store';
import * as fc from 'fast-check';
import { decodeWorks, encodeWorks } from './write-message.ts';
import type { WriteWork } from './write-work.ts';

const text = fc.string();
const seq = fc.nat();

/** Crossing between threads gives objects their usual prototype. */
function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const anyRecord: fc.Arbitrary<NewRecord> = fc.record(
  { first: seq, seq, text },
  { requiredKeys: ['seq', 'text'], noNullPrototype: true },
);

const anyRequest = fc.record(
  {
    epoch: fc.option(text, { nil: undefined }),
    expectedSeq: seq,
    records: fc.array(anyRecord, { maxLength: 3 }),
    head: fc.oneof(fc.constant('same' as const), plain({ time: seq, text })),
    format: seq,
  },
  { requiredKeys: ['epoch', 'expectedSeq', 'records'], noNullPrototype: true },
);

const anyWork: fc.Arbitrary<WriteWork> = fc.oneof(
  plain({ type: fc.constant('append' as const), log: text, newEpoch: text, request: anyRequest }),
  plain({ type: fc.constant('release' as const), key: text, holder: text }),
  plain({ type: fc.constant('client-id' as const), above: seq }),
  fc.constant({ type: 'commit-mark' as const }),
);

test('[SQ21] works reach the writing thread as they were sent, in their order', () => {
  const property = fc.property(fc.array(anyWork, { maxLength: 6 }), (works) => {
    assert.deepEqual(decodeWorks(structuredClone(encodeWorks(works))), works);
  });
  fc.assert(property);
});

test('[SQ21] a message that was cut short is refused, not half written', () => {
  const request = { epoch: 'e', expectedSeq: 1, records: [{ seq: 2, text: 'two' }] };
  const message = encodeWorks([{ type: 'append', log: 'a', newEpoch: '', request }]);
  for (let length = 1; length < message.length; length += 1) {
    assert.throws(() => decodeWorks(message.slice(0, length)), TypeError, `${length} fields`);
  }
});
