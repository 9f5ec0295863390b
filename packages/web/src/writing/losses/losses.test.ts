import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '@loom/blocks';
import { lossOf, mergedBack, readLosses } from './losses.ts';

test('[WB633] a lost edit is put into what others have made of the text, which stays', () => {
  const loss = lossOf({
    block: 'b',
    base: 'one two',
    text: 'one 2',
    refusal: { reason: 'block-not-found', block: 'b' },
  });
  assert.equal(loss.why, 'The text was deleted meanwhile.');
  assert.equal(spliceText('zero one two', mergedBack(loss, 'zero one two')), 'zero one 2');
});

test('[WB633] kept losses that cannot be read are none, and the others are as they were', () => {
  const loss = { block: 'b', base: '', text: 't', why: 'w' };
  assert.deepEqual(readLosses([loss]), [loss]);
  for (const damaged of [undefined, {}, [null], [{ ...loss, text: 1 }], ['x']])
    assert.equal(readLosses(damaged), undefined);
});
