import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootCodec, setUnreadableAside } from '@loom/kernel/logs';
import { RootState } from '@loom/kernel';
import type { Change, RootOp } from '@loom/kernel/logs';
import type { LogRecord } from '@loom/kernel/store';
import { withChecksum } from './checked-text.ts';

const root = 'root-1';

/** Returns a change as an older version might have written it: without a check of its content. */
function record(seq: number, ...ops: unknown[]): LogRecord {
  const change = { seq, time: seq, agent: 'person', request: `r${seq}`, ops };
  return { seq, text: withChecksum(JSON.stringify(change)) };
}

const addNode = (
  number: number,
  parent: string,
  block: object = { type: 'text', text: `text ${number}` },
): unknown => ({
  type: 'node-added',
  node: {
    id: `${root}/node-${number}`,
    parent,
    role: 'user',
    blocks: [{ ...block, block_id: `${root}/@person/${number}` }],
    source: { type: 'user' },
  },
});

function reduce(changes: readonly Change<RootOp>[]): RootState {
  const state = new RootState(root);
  for (const change of changes) state.apply(change);
  return state;
}

test('[LO25] a change that cannot be read is replaced; a message that it added is kept as a raw block, and the others stay', () => {
  const records = [
    record(1, { type: 'root-changed', config: {} }, addNode(1, root)),
    record(2, addNode(7, root, { type: 'image', media_type: 'png', url: 'x' })),
    record(3, { type: 'bookmark', node: `${root}/node-1`, title: 'kept' }),
  ];
  const { changes, aside } = setUnreadableAside(root, records);
  assert.deepEqual(
    aside.map(({ seq, problem }) => [seq, problem]),
    [[2, 'ops[0].node.blocks[0].media_type must be a media type such as image/png']],
  );
  const state = reduce(changes);
  assert.deepEqual([state.seq, [...state.nodes.keys()]], [3, [`${root}/node-1`, `${root}/node-7`]]);
  assert.equal(state.bookmarks.size, 1);
  const [raw] = state.nodes.get(`${root}/node-7`)?.blocks ?? [];
  assert.ok(raw?.type === 'raw');
  assert.match(JSON.stringify(raw.value), /"media_type":"png"/);
  assert.equal(state.newNodeId(), `${root}/node-8`);
  assert.equal(state.newBlockId('person'), `${root}/@person/8`);
  const again = changes.map((change) => ({ seq: change.seq, text: rootCodec.encode(change) }));
  assert.deepEqual(setUnreadableAside(root, again), { changes, aside: [], orphans: [] });
});

test('[LO25] what depends on such a change is set aside too, and what comes later opens', () => {
  const records = [
    record(1, { type: 'root-changed', config: {} }, addNode(1, root)),
    record(2, addNode(2, `${root}/node-1`, { type: 'hologram' })),
    record(3, { type: 'status', block: `${root}/@person/2`, status: 'done' }),
    record(4, addNode(3, `${root}/node-2`)),
  ];
  const { changes, aside, orphans } = setUnreadableAside(root, records);
  assert.deepEqual(
    aside.map(({ seq }) => seq),
    [2, 3],
  );
  assert.match(aside[1]?.problem ?? '', /does not fit/);
  assert.deepEqual(orphans, []);
  assert.equal(reduce(changes).nodes.get(`${root}/node-3`)?.parent, `${root}/node-2`);
});

test('[LO25] messages below one of which nothing is left hang below the root, and are named', () => {
  const records = [
    record(1, { type: 'root-changed', config: {} }, addNode(1, root)),
    { seq: 2, text: record(2, addNode(2, `${root}/node-1`)).text.replace('"text 2"', 'text 2"') },
    record(3, addNode(3, `${root}/node-2`), addNode(4, `${root}/node-3`)),
  ];
  const { changes, orphans } = setUnreadableAside(root, records);
  assert.deepEqual(orphans, [`${root}/node-3`]);
  assert.equal(reduce(changes).nodes.get(`${root}/node-3`)?.parent, root);
});

test('[LO25] a message whose text is not as it was written stays in its place as what stands there', () => {
  const records = [
    record(1, { type: 'root-changed', config: {} }, addNode(1, root)),
    { seq: 2, text: record(2, addNode(2, `${root}/node-1`)).text.replace('text 2', 'text 9') },
    record(3, addNode(3, `${root}/node-2`)),
  ];
  const { changes, aside, orphans } = setUnreadableAside(root, records);
  assert.deepEqual([aside.map(({ seq }) => seq), orphans], [[2], []]);
  const { nodes } = reduce(changes);
  assert.equal(nodes.get(`${root}/node-3`)?.parent, `${root}/node-2`);
  assert.match(
    JSON.stringify(nodes.get(`${root}/node-2`)?.blocks),
    /^\[\{"type":"raw","source":"unreadable",.*text 9/u,
  );
});

test('[LO25] in a segment only the entry that cannot be read is set aside; a damaged record as a whole', () => {
  const good = (seq: number): unknown => ({
    seq,
    time: seq,
    agent: 'person',
    request: `r${seq}`,
    ops: [{ type: 'root-changed', title: `title ${seq}` }],
  });
  const bad = { seq: 2, time: 2, agent: 'person', request: 'r2', ops: [{ type: 'root-changed', title: 5 }] };
  const segment = withChecksum(JSON.stringify({ segment: [good(1), bad, good(3)] }));
  const damaged = withChecksum(JSON.stringify({ segment: [good(4), good(5)] })).replace('title 4', 'title 9');
  const { changes, aside } = setUnreadableAside(root, [
    { seq: 3, text: segment },
    { seq: 5, text: damaged },
    { seq: 6, text: withChecksum(JSON.stringify(good(6))) },
  ]);
  assert.deepEqual(
    aside.map(({ seq, problem }) => [seq, problem]),
    [
      [2, 'ops[0].title must be a string'],
      [4, 'its checksum does not match'],
      [5, 'its checksum does not match'],
    ],
  );
  assert.deepEqual([changes.length, reduce(changes).title], [6, 'title 6']);
});
