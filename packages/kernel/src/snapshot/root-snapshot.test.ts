import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Change } from '../change.ts';
import { anyHistory, growRoot } from '../forest/testing/arbitrary-roots.ts';
import { visibleState, wholeState } from '../forest/testing/observation.ts';
import { testEditor, TestRoot, user } from '../forest/testing/test-root.ts';
import { subtree } from '../forest/queries.ts';
import { summarizeRoot } from '../forest/roots.ts';
import { decideRedo, decideUndo } from '../forest/undo.ts';
import type { RootOp } from '../op.ts';
import { rootCodec } from '../root-codec.ts';
import { RootState } from '../root-state.ts';
import { rootSnapshots } from './root-snapshot.ts';

const snapshots = rootSnapshots('root-1');

/** A projection as a store keeps it. */
class KeptParts {
  readonly parts = new Map<string, string>();
  written: string[] = [];
  #base = 0;

  take(state: RootState): void {
    const { put, drop, saved } = snapshots.dump(state, this.#base);
    for (const key of drop) this.parts.delete(key);
    for (const { key, text } of put) this.parts.set(key, text);
    this.written = put.map(({ key }) => key);
    this.#base = state.seq;
    saved();
  }

  load(): RootState | undefined {
    return snapshots.load([...this.parts].map(([key, text]) => ({ key, text })));
  }
}

function reduce(changes: readonly Change<RootOp>[], state = new RootState('root-1', true)): RootState {
  for (const change of changes) state.apply(change);
  return state;
}

function changesOf(root: TestRoot): Change<RootOp>[] {
  return root.records.flatMap((record) => rootCodec.decode(record));
}

/** Undoes and redoes as long as it can; answers what could be seen after each step. */
function undoAll(state: RootState): unknown[] {
  const editor = testEditor(99);
  const seen: unknown[] = [];
  for (const decide of [decideUndo, decideRedo]) {
    for (let step = 0; step < 40; step += 1) {
      const decision =
        decide === decideUndo ? decideUndo(state, 'anna', undefined, editor) : decideRedo(state, 'anna', editor);
      seen.push(decision.ok ? decision.value : decision.refusal);
      if (!decision.ok) break;
      state.apply({ seq: state.seq + 1, time: 0, agent: 'anna', request: `u${state.seq}`, ops: decision.ops });
      seen.push(visibleState(state));
    }
  }
  return seen;
}

test('[SN1] snapshots at any places, and the rest of the log, give the state of the whole log, with all its undo', () => {
  fc.assert(
    fc.property(anyHistory, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (history, places) => {
      const changes = changesOf(growRoot(history));
      const cuts = places.map((place) => 1 + (place % changes.length)).sort((a, b) => a - b);
      const kept = new KeptParts();
      const writer = new RootState('root-1', true);
      for (const cut of cuts) {
        reduce(changes.slice(writer.seq, cut), writer);
        kept.take(writer);
      }
      const state = reduce(changes.slice(cuts.at(-1)), kept.load() ?? assert.fail('it is not whole'));
      const whole = reduce(changes);
      assert.deepEqual(wholeState(state), wholeState(whole));
      for (const { agent, request, seq } of changes) assert.equal(state.requestOf(agent, request), seq);
      assert.deepEqual([state.newNodeId(), state.newBlockId('anna')], [whole.newNodeId(), whole.newBlockId('anna')]);
      assert.deepEqual(undoAll(state), undoAll(whole));
    }),
    { numRuns: 150 },
  );
});

test('[SN1] [SN9] who counts the nodes of a snapshot, and then hears of others, has counted all of them', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), (history, place) => {
      const changes = changesOf(growRoot(history));
      const cut = 1 + (place % changes.length);
      const kept = new KeptParts();
      const whole = reduce(changes.slice(0, cut));
      kept.take(whole);
      const state = kept.load() ?? assert.fail('it is not whole');
      assert.deepEqual(summarizeRoot(state), summarizeRoot(whole));
      for (const change of changes.slice(cut)) {
        assert.deepEqual(state.apply(change), whole.apply(change));
        assert.deepEqual(summarizeRoot(state), summarizeRoot(whole));
        assert.equal(summarizeRoot(state).nodes, subtree(state, state.id).length);
      }
    }),
    { numRuns: 100 },
  );
});

/** A root with so many nodes below each other. */
function longRoot(nodes: number): TestRoot {
  const root = new TestRoot();
  let at = 'root-1';
  for (let node = 0; node < nodes; node += 1) at = root.append(at, user(`${node} said — ${'x'.repeat(node % 7)}`));
  return root;
}

test('[SN2] only chunks in which something has changed are written again', () => {
  const root = longRoot(1000);
  const kept = new KeptParts();
  const state = reduce(changesOf(root));
  kept.take(state);
  assert.equal(kept.written.filter((key) => key.startsWith('nodes/')).length, 4);
  const [first] = root.node('root-1/node-300').blocks;
  const done = root.state.seq;
  root.write([{ type: 'block-changed', block: { type: 'text', text: 'another', block_id: first?.block_id ?? '' } }]);
  reduce(changesOf(root).slice(done), state);
  kept.take(state);
  assert.deepEqual(kept.written, [
    'nodes/0000000001',
    'narrow/0000000001',
    'wide/0000000001',
    'requests/0000001001',
    'rest',
    'head',
  ]);
  assert.deepEqual(wholeState(kept.load() ?? assert.fail()), wholeState(root.state));
});

test('[SN3] without any one of its parts, or with texts that are not those of its nodes, a snapshot is as good as none', () => {
  const kept = new KeptParts();
  kept.take(reduce(changesOf(longRoot(300))));
  assert.notEqual(kept.load(), undefined);
  for (const [key, text] of new Map(kept.parts)) {
    const isText = key.startsWith('narrow/') || key.startsWith('wide/');
    for (const damaged of isText ? [undefined, `${text} `, text.slice(0, -1)] : [undefined]) {
      // A chunk without such texts has an empty part.
      if (damaged === text) continue;
      if (damaged === undefined) kept.parts.delete(key);
      else kept.parts.set(key, damaged);
      assert.equal(kept.load(), undefined, `${key} ${JSON.stringify(damaged)?.slice(0, 40)}`);
      kept.parts.set(key, text);
    }
  }
  assert.equal(rootSnapshots('root-2').load([...kept.parts].map(([key, text]) => ({ key, text }))), undefined);
});

test('[SN1] a change can be undone after a snapshot too, however long ago its node got its last child', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('parent'));
  root.append(parent, user('child'));
  // More changes than can be undone: that of the child is none of those any more.
  for (let count = 0; count < 1001; count += 1) root.write([{ type: 'root-changed', title: `${count}` }]);
  root.write([{ type: 'node-changed', node: parent, set: { title: 'titled' } }]);
  const kept = new KeptParts();
  kept.take(reduce(changesOf(root)));
  assert.deepEqual(undoAll(kept.load() ?? assert.fail()).slice(0, 2), undoAll(root.state).slice(0, 2));
  assert.equal(root.node(parent).title, 'titled', 'it was done again');
});
