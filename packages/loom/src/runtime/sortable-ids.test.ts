import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSortableIds } from './sortable-ids.ts';

test('[FC4] ids are lower case, all different and in the order of their making, whatever the clock does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 47 }), { minLength: 2, maxLength: 40 }), (times) => {
      let at = 0;
      const ids = createSortableIds(() => times[at++] ?? 0);
      const made = times.map(() => ids.next());
      for (const id of made) assert.match(id, /^[0-9a-hjkmnp-tv-z]{26}$/);
      assert.deepEqual([...new Set(made)].sort(), made);
    }),
  );
});

test('[FC4] a clock before 1970 is refused, since ids would come again', () => {
  const ids = createSortableIds(() => -1);
  assert.throws(() => ids.next(), { code: 'clock-wrong' });
});

test('[FC4] the first ten characters tell the millisecond', () => {
  const [early, late] = [1_700_000_000_000, 1_700_000_000_001].map((now) => createSortableIds(() => now).next());
  assert.ok(early !== undefined && late !== undefined && early.slice(0, 10) < late.slice(0, 10));
  assert.equal(
    createSortableIds(() => 33)
      .next()
      .slice(0, 10),
    '0000000011',
  );
});
