import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatePart } from './late-part.ts';
import { NotLoadedError } from './lazily.ts';
import { tellBack } from './when-back.ts';

test('[WB136] a part that was tried again and came stays when the server is heard of after that', async () => {
  const [fetched, part] = failing(1);
  assert.equal(await part.load(), false);
  assert.deepEqual(part.state.getSnapshot(), { failure: away });
  part.tryAgain();
  assert.equal(await part.load(), true);
  tellBack();
  assert.deepEqual([part.state.getSnapshot(), fetched()], [{ Shown: 'the part' }, 2]);
});

test('[WB136] a part that the server does not have any more is left until the page is loaded again', async () => {
  const part = new LatePart(() => Promise.reject(new SyntaxError('no such module')));
  assert.equal(await part.load(), false);
  tellBack();
  part.tryAgain();
  assert.match(part.state.getSnapshot().failure?.message ?? '', /Reload the page to get it\.$/u);
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
    assert.equal(part.state.getSnapshot().failure, isThere ? undefined : away);
    tellBack();
    assert.equal(part.state.getSnapshot().failure, undefined);
  }
  assert.equal(fetched(), 3);
});

const away = new NotLoadedError(true, new TypeError('Failed to fetch'));

/** A part that cannot be loaded so many times, and how often that was tried. */
function failing(times: number): [fetched: () => number, part: LatePart<string>] {
  let count = 0;
  const part = new LatePart(() => {
    count += 1;
    return count <= times ? Promise.reject(away) : Promise.resolve('the part');
  });
  return [() => count, part];
}
