import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatePart } from './late-part.ts';
import { tellBack } from './when-back.ts';

test('[WB136] a part that was tried again and came stays when the server is heard of after that', async () => {
  const [fetched, part] = failing(1);
  assert.equal(await part.load(), false);
  assert.deepEqual(part.state.getSnapshot(), { hasFailed: true });
  part.tryAgain();
  assert.equal(await part.load(), true);
  tellBack();
  assert.deepEqual([part.state.getSnapshot(), fetched()], [{ Shown: 'the part' }, 2]);
});

test('[WB136] a part is loaded once, also if it is asked for while it is on its way', async () => {
  const [fetched, part] = failing(0);
  assert.deepEqual(await Promise.all([part.load(), part.load()]), [true, true]);
  assert.equal(await part.load(), true);
  assert.equal(fetched(), 1);
});

test('[WB136] a part that could not be loaded is asked for again once the server is back, each time', async () => {
  const [fetched, part] = failing(2);
  for (const isThere of [false, false, true]) {
    assert.equal(await part.load(), isThere);
    assert.equal(part.state.getSnapshot().hasFailed === true, !isThere);
    tellBack();
    assert.equal(part.state.getSnapshot().hasFailed, undefined);
  }
  assert.equal(fetched(), 3);
});

/** A part that cannot be loaded so many times, and how often that was tried. */
function failing(times: number): [fetched: () => number, part: LatePart<string>] {
  let count = 0;
  const part = new LatePart(() => {
    count += 1;
    return count <= times ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve('the part');
  });
  return [() => count, part];
}
