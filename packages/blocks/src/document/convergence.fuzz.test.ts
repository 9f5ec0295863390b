import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { fromBase64 } from '../text/base64.ts';
import { BlockDocument } from './block-document.ts';
import { runConvergence } from './testing/convergence-run.ts';
import { withDeletesReversed } from './testing/hostile-update.ts';

const author = { agent: 'ada', unit: 'one' };

test('[CV1][CV2][CV3] 500 traces: replicas that got the same updates, in any order and any number of times, are byte-equal', () => {
  let done = 0;
  const failures = runConvergence({ traces: 500, seed: 0 }, () => {
    done += 1;
  });
  assert.deepEqual(failures, []);
  assert.equal(done, 500);
});

test('[CV4] the traces find an update that is lost, and deletions that are in the wrong order', () => {
  const lost = runConvergence({ traces: 20, seed: 0 }, undefined, (updates) => updates.slice(0, -1));
  assert.ok(lost.length > 10, `${lost.length} of 20`);
  const reversed = runConvergence({ traces: 40, seed: 0 }, undefined, (updates) => updates.map(withDeletesReversed));
  assert.ok(reversed.length > 0);
});

test('[CV1] deletions are written in the order of their ids, so that one that comes too early is not lost', () => {
  const text = new BlockDocument('');
  const edit = (at: number, insert: string, count = 0): Uint8Array => {
    const planned = text.planEdit(7, [{ at, delete: count, insert }]);
    text.applyEdit({ ...author, client: 7, ...planned });
    return fromBase64(planned.update);
  };
  // The second text stands before the first one, so the order of the text is not that of the ids.
  const inserts = [edit(0, 'first'), edit(0, 'second')];
  const deletes = edit(0, '', 11);
  const ranges = Y.decodeUpdate(deletes)
    .ds.clients.get(7)
    ?.map(({ clock, len }) => [clock, len]);
  assert.deepEqual(ranges, [[0, 11]]);
  const replica = new Y.Doc({ gc: false });
  for (const update of [deletes, ...inserts]) Y.applyUpdate(replica, update);
  assert.equal(replica.getText('text').toJSON(), '');
  assert.deepEqual(Y.encodeStateAsUpdate(replica), text.encode());
});

test('[CV5] two documents of one seed are the same document, and what is edited in one is understood by the other', () => {
  const [one, other] = [new BlockDocument('hello'), new BlockDocument('hello')];
  assert.deepEqual(one.encode(), other.encode());
  const edit = one.planEdit(7, [{ at: 5, delete: 0, insert: ' world' }]);
  one.applyEdit({ ...author, client: 7, ...edit });
  other.applyEdit({ ...author, client: 7, ...edit });
  assert.equal(other.text, 'hello world');
  assert.deepEqual(one.encode(), other.encode());
  const merged = new Y.Doc({ gc: false });
  for (const document of [one, other, new BlockDocument('hello')]) Y.applyUpdate(merged, document.encode());
  assert.equal(merged.getText('text').toJSON(), 'hello world');
});
