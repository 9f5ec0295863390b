import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameError, parseServerFrame } from './index.ts';

const change = { type: 'change', epoch: 'e', seq: 3, time: 5, agent: 'ann', events: [] };
const node = { id: 'n', parent: 'r', role: 'user', blocks: [], source: { agent: 'ann' }, time: 1, touched: 1 };
const cursor = { epoch: 'e', seq: 3 };
const welcome = { type: 'welcome', id: 'j', agent: 'ann', cursor, here: [], cursors: [] };

test('[SY58] what a newer server tells more is let through', () => {
  const frames = [
    { ...change, more: 1 },
    { ...change, events: [{ type: 'of-tomorrow', anything: [] }] },
    { ...change, events: [{ type: 'text-appended', block: 'b', field: 'text', version: 2, text: 'a', more: {} }] },
    { ...change, turn: 't', events: [{ type: 'node-added', node: { ...node, more: 1 } }] },
    { ...change, events: [{ type: 'node-changed', node: 'n', set: {}, blocks: ['b', { type: 'text', text: 'a' }] }] },
    welcome,
    { type: 'outline', nodes: [{ id: 'n', parent: 'r', role: 'user', time: 1, touched: 1, head: 'a' }], isLast: true },
    { type: 'resync' },
  ];
  for (const frame of frames) assert.equal(parseServerFrame(frame), frame);
});

test('[SY58] what is missing or of another kind is refused, with its place', () => {
  const wrong: [unknown, RegExp][] = [
    [[], /feed: must be an object with a type\./u],
    [null, /must be an object with a type/u],
    [{ type: 'of-tomorrow' }, /must be of a known type/u],
    [{ type: 'constructor' }, /must be of a known type/u],
    [{ ...change, seq: -1 }, /feed: seq must be a whole number/u],
    [{ ...change, seq: 1.5 }, /seq must be a whole number/u],
    [{ ...change, turn: null }, /turn must be a string/u],
    [{ ...change, events: {} }, /events must be a list/u],
    [{ ...change, events: [{}] }, /events\.0 must be an object with a type/u],
    [
      { ...change, events: [{ type: 'node-added', node: { ...node, role: 'judge' } }] },
      /events\.0\.node\.role must be one of user, assistant, tool/u,
    ],
    [
      { ...change, events: [{ type: 'block-added', node: 'n', index: 0, block: { text: 'a' } }] },
      /events\.0\.block must be a block/u,
    ],
    [{ ...change, events: [{ type: 'node-changed', node: 'n', set: [] }] }, /events\.0\.set must be an object/u],
    [{ ...welcome, here: [1] }, /here\.0 must be a string/u],
    [{ ...welcome, snapshot: { root: {} } }, /snapshot\.root\.config must be an object/u],
    [{ type: 'outline', nodes: [], isLast: 'yes' }, /isLast must be true or false/u],
  ];
  for (const [frame, problem] of wrong) {
    assert.throws(() => parseServerFrame(frame), FrameError);
    assert.throws(() => parseServerFrame(frame), problem);
  }
});
