import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { editableText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { Change } from '../change.ts';
import { createToolWorld, done } from '../block-tools/testing/tool-world.ts';
import { anyHistory, growRoot } from '../forest/testing/arbitrary-roots.ts';
import { testEditor } from '../forest/testing/test-root.ts';
import { decideRedo, decideUndo } from '../forest/undo/undo.ts';
import type { RootOp } from '../op.ts';
import { rootCodec } from '../log/codec/root-codec.ts';
import { RootState } from '../state/root-state.ts';
import { openText } from '../forest/editing/text/open-text.ts';
import { emptyChanges, purgeChanges, relativesAmong } from './purge-changes.ts';

function reduce(changes: readonly Change<RootOp>[], id = 'root-1'): RootState {
  const state = new RootState(id);
  for (const change of changes) state.apply(change);
  return state;
}

function blocksOf(state: RootState): MessageBlock[] {
  return [...[...state.nodes.values()].flatMap((node) => node.blocks), ...state.retired.values()];
}

test('[PU1] [PU2] [PU3] any block of any root, with its relatives, is emptied after every change, and nothing else is', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), (history, number) => {
      const changes = growRoot(history).records.flatMap((record) => rootCodec.decode(record));
      const state = reduce(changes);
      const blocks = blocksOf(state);
      const chosen = blocks[number % blocks.length]?.block_id ?? '';
      const links = blocks.flatMap(({ block_id: id, from }) =>
        id === undefined || from === undefined ? [] : [[id, from.block] as const],
      );
      const purged = relativesAmong(links, new Set([chosen]));
      assert.ok(purged.has(chosen));
      const [before, after] = [new RootState('root-1'), new RootState('root-1')];
      for (const [index, change] of purgeChanges(changes, state, { blocks: purged }).entries()) {
        before.apply(changes[index] ?? change);
        // The purged change is written and read again.
        for (const read of rootCodec.decode(rootCodec.encode(change))) after.apply(read);
        const kept = new Map(blocksOf(before).map((block) => [block.block_id, block]));
        for (const block of blocksOf(after)) {
          const original = kept.get(block.block_id) ?? assert.fail('there is another block');
          const [text, was] = [editableText(block), editableText(original)];
          if (!purged.has(block.block_id ?? '')) assert.deepEqual(block, original);
          else if (text !== undefined) assert.equal(text, '█'.repeat(was?.length ?? 0));
          assert.equal(block.version, original.version);
        }
        assert.equal(kept.size, blocksOf(after).length);
      }
    }),
    { numRuns: 100 },
  );
});

test('[PU9] of a root that is emptied nothing is left but that it is deleted, and its ids are not used again', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const changes = growRoot(history).records.flatMap((record) => rootCodec.decode(record));
      const before = reduce(changes);
      const emptied = emptyChanges(changes, before);
      const after = reduce(emptied.flatMap((change) => rootCodec.decode(rootCodec.encode(change))));
      assert.deepEqual([after.seq, after.deleted, after.nodes.size, after.title], [before.seq, true, 0, undefined]);
      const text = JSON.stringify(emptied);
      for (const block of blocksOf(before)) assert.ok(!text.includes(block.block_id ?? '?'), text);
      const numbers = [...before.nodes.keys()].map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0));
      assert.ok(emptied[0]?.ops.some((op) => op.type === 'counters-raised' && op.node >= Math.max(0, ...numbers)));
    }),
    { numRuns: 50 },
  );
});

test('[PU4] [PU6] a document of which everything is purged is opened, undone and redone as before', async () => {
  const world = await createToolWorld();
  const block = await world.block({ content: 'a secret word' });
  const other = await world.block({ content: 'another' });
  const splice = async (agent: string, offset: number, delete_count: number, insert: string): Promise<void> => {
    done(await world.tools.splice(world.by(agent), { block_id: block, offset, delete_count, insert }));
  };
  await splice('ann', 2, 6, 'hidden');
  await splice('bob', 0, 0, 'the plain ');
  await splice('ann', 4, 5, 'PLAIN');
  done(await world.tools.undo(world.by('bob'), { block_id: block }));
  done(await world.tools.undo(world.by('ann'), { block_id: block }));
  done(await world.tools.redo(world.by('bob'), { block_id: block }));
  const contents = (await world.store.read(world.root, 0)) ?? assert.fail();
  const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
  const state = reduce(changes, world.root);
  const purged = purgeChanges(changes, state, { blocks: new Set([block]) });
  const log = purged.map((change) => rootCodec.encode(change)).join('\n');
  for (const word of ['secret', 'hidden', 'plain', 'PLAIN', 'word']) assert.ok(!log.includes(word), word);
  for (const { ops } of purged) {
    for (const op of ops) {
      const bytes = 'update' in op && op.update !== undefined ? Buffer.from(op.update, 'base64').toString() : '';
      for (const word of ['hidden', 'plain', 'PLAIN']) assert.ok(!bytes.includes(word), `${word} in an update`);
    }
  }
  const after = reduce(purged, world.root);
  const [text, was] = [state, after].map((some) => editableText(some.block(block) ?? assert.fail()) ?? '');
  assert.equal(was, '█'.repeat(text?.length ?? 0));
  assert.equal(openText(after, block).text, was);
  assert.deepEqual(after.block(other), state.block(other));
  assert.deepEqual(
    openText(after, block).units.map(({ agent, active }) => [agent, active]),
    openText(state, block).units.map(({ agent, active }) => [agent, active]),
  );
  for (const decide of [decideUndo, decideRedo]) {
    const [one, two] = [state, after].map((some) =>
      decide === decideUndo
        ? decideUndo(some, 'bob', undefined, testEditor(77))
        : decideRedo(some, 'bob', testEditor(77)),
    );
    if (!one?.ok || !two?.ok) assert.fail('it is refused');
    const change = (state: RootState, ops: RootOp[]): Change<RootOp> => {
      return { seq: state.seq + 1, time: 0, agent: 'bob', request: `x${state.seq}`, ops };
    };
    state.apply(change(state, one.ops));
    after.apply(change(after, two.ops));
    const [now, then] = [state, after].map((some) => editableText(some.block(block) ?? assert.fail()) ?? '');
    assert.equal(then, '█'.repeat(now?.length ?? 0));
    assert.equal(openText(after, block).text, then);
  }
});

test('[PU1] [PU5] [PU13] a call, its approval and what was answered are emptied, and its message is marked', () => {
  const block = {
    type: 'tool-use' as const,
    id: 'c1',
    name: 'shell',
    parameters: { key: 'secret' },
    block_id: 'root-1/@a/1',
  };
  const source = { type: 'user' as const };
  const node = { id: 'root-1/node-1', parent: 'root-1', role: 'assistant' as const, blocks: [block], source };
  const quote = 'secret '.repeat(40);
  const changes: Change<RootOp>[] = [
    {
      seq: 1,
      time: 1,
      agent: 'a',
      request: 'r1\u001f0123abcd',
      result: { quote, id: 'root-1/node-1' },
      ops: [{ type: 'node-added', node }],
    },
    {
      seq: 2,
      time: 2,
      agent: 'a',
      request: 'r2',
      ops: [
        {
          type: 'approval',
          turn: 't',
          node: 'n',
          decision: 'answered',
          arguments: '{"key":"secret"}',
          text: 'the secret one',
          answers: [{ chosen: ['secret'], text: 'secret' }],
          rules: [{ tool: 'shell', command: 'secret', effect: 'allow' }],
          arguments_changed: '{"key":"other secret"}',
        },
      ],
    },
    {
      seq: 3,
      time: 3,
      agent: 'a',
      request: 'r3',
      ops: [{ type: 'status', block: 'root-1/@a/1', status: 'done', parameters: { key: 'secret' } }],
    },
  ];
  const purged = purgeChanges(changes, reduce(changes), { blocks: new Set(['root-1/@a/1']) });
  assert.ok(!JSON.stringify(purged).includes('secret'), JSON.stringify(purged));
  assert.deepEqual(reduce(purged).nodes.get(node.id)?.note, { lines: 'purged', marked: true });
  assert.deepEqual(Object.keys(purged[0]?.result ?? {}), ['quote', 'id']);
  assert.equal(purged[0]?.request, 'r1', 'a digest of what was said would tell who has guessed it');
  assert.equal(reduce(purged).block('root-1/@a/1')?.status, 'done');
});

test('[PU5] [PU6] what a person answered goes with the result that repeats it, and why a turn failed with the error', () => {
  const source = { type: 'user' as const };
  const [call, result, error] = ['root-1/@a/1', 'root-1/@a/2', 'root-1/@a/3'];
  const ask = { type: 'tool-use' as const, id: 'c1', name: 'ask', parameters: { question: 'which?' }, block_id: call };
  const step = (seq: number, ...ops: RootOp[]): Change<RootOp> => ({
    seq,
    time: seq,
    agent: 'a',
    request: `r${seq}`,
    ops,
  });
  const reply = { id: 'root-1/node-2', parent: 'root-1/node-1', role: 'tool' as const, tool_call_id: 'c1', source };
  const failure = { code: 'overloaded', message: 'no room for secret' };
  const changes = [
    step(1, {
      type: 'node-added',
      node: { id: 'root-1/node-1', parent: 'root-1', role: 'assistant', blocks: [ask], source },
    }),
    step(2, { type: 'node-added', node: { ...reply, blocks: [] } }),
    step(3, {
      type: 'approval',
      turn: 't',
      node: reply.id,
      decision: 'answered',
      arguments: '{"question":"which?"}',
      text: 'the secret one',
    }),
    step(4, {
      type: 'block-added',
      node: reply.id,
      index: 0,
      block: { type: 'text', text: 'the secret one', block_id: result },
    }),
    step(5, {
      type: 'block-added',
      node: 'root-1/node-1',
      index: 1,
      block: { type: 'error', ...failure, block_id: error },
    }),
    step(6, { type: 'turn-ended', turn: 't', reason: 'error', error: failure }),
  ];
  const said = JSON.stringify(purgeChanges(changes, reduce(changes), { blocks: new Set([result]) }));
  assert.ok(!said.includes('the secret one') && said.includes('which?') && said.includes('no room for secret'), said);
  const failed = JSON.stringify(purgeChanges(changes, reduce(changes), { blocks: new Set([error]) }));
  assert.ok(!failed.includes('no room for secret') && failed.includes('the secret one'), failed);
});

test('[PU5] [PU6] files that were taken back go with the block that changed them, and so does the reason that a block failed', () => {
  const source = { type: 'user' as const };
  const [before, after, other] = ['1', '2', '3'].map((digit) => `sha256:${digit.repeat(64)}`);
  const block = {
    type: 'file-change' as const,
    changes: [{ path: 'keys/secret', kind: 'modify' as const, ...(before && after ? { before, after } : {}) }],
    block_id: 'root-1/@a/1',
    status: 'error' as const,
    error: { code: 'failed', message: 'no room for secret' },
  };
  const node = {
    id: 'root-1/node-1',
    parent: 'root-1',
    role: 'tool' as const,
    tool_call_id: 'c',
    blocks: [block],
    source,
  };
  const kept = { path: 'plain', ...(other === undefined ? {} : { blob: other }) };
  const undone: RootOp = {
    type: 'files-undone',
    turn: 't',
    to: 'undone',
    files: [{ path: 'keys/secret', ...(before === undefined ? {} : { blob: before }) }, kept],
  };
  const failed: RootOp = { type: 'status', block: 'root-1/@a/1', status: 'error', error: block.error };
  const changes = [[{ type: 'node-added' as const, node }], [failed], [undone]].map((ops, index): Change<RootOp> => ({
    seq: index + 1,
    time: 1,
    agent: 'a',
    request: `r${index}`,
    ops,
  }));
  const purged = purgeChanges(changes, reduce(changes), { blocks: new Set(['root-1/@a/1']) });
  const said = purged.map((change) => rootCodec.encode(change)).join('\n');
  for (const word of ['secret', before, after]) assert.ok(!said.includes(word ?? '?'), `${word} in ${said}`);
  assert.deepEqual(purged[2]?.ops, [{ ...undone, files: [{ path: '████' }, kept] }], 'other files stay');
});
