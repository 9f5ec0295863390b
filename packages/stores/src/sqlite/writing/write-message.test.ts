import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { request } from '../../testing/writer.ts';
import { decodeWorks, encodeWorks } from './write-message.ts';
import type { WriteWork } from './write-work.ts';

test('[SQ21] works are the same on the other side', () => {
  const text = fc.string({ unit: 'binary' });
  const seq = fc.nat();
  const anyWork: fc.Arbitrary<WriteWork> = fc.oneof(
    fc
      .record({ log: text, newEpoch: text, epoch: fc.option(text, { nil: undefined }), seq, texts: fc.array(text) })
      .map(({ log, newEpoch, epoch, seq: expectedSeq, texts: all }) => {
        return { type: 'append' as const, log, newEpoch, request: request(epoch, expectedSeq, all) };
      }),
    fc.tuple(text, text, seq, seq, text).map(([log, epoch, first, last, folded]) => {
      return { type: 'fold' as const, log, request: { epoch, first, record: { seq: last, text: folded } } };
    }),
    fc
      .tuple(text, text, seq, fc.option(seq, { nil: undefined }), fc.array(fc.tuple(text, text)), fc.array(text))
      .map(([log, epoch, last, base, parts, drop]) => {
        const put = parts.map(([key, value]) => ({ key, text: value }));
        return { type: 'projection' as const, log, name: epoch, request: { epoch, seq: last, base, put, drop } };
      }),
    fc.tuple(text, text, fc.double({ noNaN: true }), seq).map(([key, holder, now, milliseconds]) => {
      return { type: 'lease' as const, key, holder, now, milliseconds };
    }),
    fc.tuple(text, text).map(([key, holder]) => ({ type: 'release' as const, key, holder })),
    fc.constantFrom({ type: 'client-id' as const, above: 7 }, { type: 'commit-mark' as const }),
  );
  fc.assert(
    fc.property(fc.array(anyWork, { maxLength: 5 }), (works) => {
      assert.deepEqual(decodeWorks(structuredClone(encodeWorks(works))), works);
    }),
  );
});
