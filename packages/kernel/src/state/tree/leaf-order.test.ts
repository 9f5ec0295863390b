import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../testing/seeded-random.ts';
import type { Leaf } from './leaf-order.ts';
import { LeafOrder } from './leaf-order.ts';

test('[FR121] while the arrangement of leaves is the same object, so is their order', () => {
  let kept = 0;
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = seededRandom(seed);
    const order = new LeafOrder();
    const leaves = Array.from({ length: 4 }, (_, index): Leaf => ({ node: { id: `r/node-${index}` }, leafSeq: 0 }));
    let before = { arrangement: order.arrangement, ids: [...order.newestFirst()] };
    let seq = 1;
    for (let step = 0; step < 200; step += 1) {
      const leaf = leaves[Math.floor(random() * leaves.length)];
      if (leaf === undefined) throw new RangeError('there are four');
      const choice = random();
      if (choice < 0.2) order.drop(leaf);
      else for (let time = 0; time < 3; time += 1) order.touch(leaf, choice < 0.6 ? seq : (seq += 1));
      const after = { arrangement: order.arrangement, ids: [...order.newestFirst()] };
      if (after.arrangement === before.arrangement) {
        assert.deepEqual(after.ids, before.ids, `seed ${seed}, step ${step}`);
        kept += 1;
      }
      before = after;
    }
  }
  assert.ok(kept > 1000, `kept ${kept} times`);
});
