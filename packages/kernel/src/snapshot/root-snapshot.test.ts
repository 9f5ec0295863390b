import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { Change } from '../change.ts';
import { decideAppend } from '../forest/editing/append.ts';
import { decideEditBlock } from '../forest/editing/text/edit-block.ts';
import { anyHistory, growRoot } from '../forest/testing/arbitrary-roots.ts';
import { visibleState, wholeState } from '../forest/testing/observation.ts';
import { assertRefused, calling, result, testEditor, TestRoot, user } from '../forest/testing/test-root.ts';
import { subtree } from '../state/tree/queries.ts';
import { summarizeRoot } from '../forest/root-head.ts';
import { decideRedo, decideUndo } from '../forest/undo/undo.ts';
import type { RootOp } from '../op.ts';
import { rootCodec } from '../log/codec/root-codec.ts';
import { RootState } from '../state/root-state.ts';
import { rootSnapshots } from './root-snapshot.ts';

const snapshots = rootSnapshots('root-1');

/** A projection as a store keeps it. */
class KeptParts {
  readonly parts: Map<string, string>;
  written: string[] = [];
  #base = 0;

  /** The writers of the same parts are processes that do not know of each other. */
  constructor(parts = new Map<string, string>()) {
    this.parts = parts;
  }

  /** Takes a snapshot; `meanwhile` changes the state until it is written. */
  take(state: RootState, meanwhile = (): unknown => undefined): void {
    const { seq } = state;
    const { put, drop, saved } = snapshots.dump(state, this.#base);
    meanwhile();
    if (this.#base === 0) this.parts.clear();
    for (const key of drop) this.parts.delete(key);
    for (const { key, text } of put) this.parts.set(key, text);
    this.written = put.map(({ key }) => key);
    this.#base = seq;
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

/** Undoes and redoes as long as it can; returns what could be seen after each step. */
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

/** The steps of others beside the agent whose changes are undone in the end, and the steps that were undone before. */
const anyOthers = fc.array(fc.record({ what: fc.constantFrom('undo', 'redo', 'title', 'turn'), at: fc.nat() }), {
  maxLength: 30,
});

function growTogether(history: Parameters<typeof growRoot>[0], others: { what: string; at: number }[]): TestRoot {
  const root = growRoot(history);
  for (const { what, at } of others) {
    const nodes = [root.state.id, ...root.state.nodes.keys()];
    const node = nodes[at % nodes.length] ?? '';
    const decision =
      what === 'undo'
        ? decideUndo(root.state, 'anna', undefined, root.editor)
        : what === 'redo'
          ? decideRedo(root.state, 'anna', root.editor)
          : decideAppend(root.state, 'bot', { parent: node, messages: [calling('I look', `${at}`), result(`${at}`)] });
    if (what === 'title' && node !== root.state.id) {
      root.write([{ type: 'node-changed', node, set: { title: `${at}` } }], at % 2 === 0 ? 'anna' : 'bert');
    } else if (what !== 'title' && decision.ok) {
      if (what === 'turn') root.write(decision.ops, 'bot', 'turn-1');
      else root.write(decision.ops);
    }
  }
  return root;
}

const anyCut = fc.record({ place: fc.nat(), restarts: fc.boolean(), isSlow: fc.boolean() });
// From few cuts to so many that parts written in pieces are put together again.
const anyCuts = fc.oneof(
  fc.array(anyCut, { minLength: 1, maxLength: 4 }),
  fc.array(anyCut, { minLength: 20, maxLength: 60 }),
);

test('[SN1] snapshots at any places, and the rest of the log, give the state of the whole log, with all its undo', () => {
  fc.assert(
    fc.property(anyHistory, anyOthers, anyCuts, (history, others, places) => {
      const changes = changesOf(growTogether(history, others));
      const cuts = places.map(({ place, ...how }) => ({ cut: 1 + (place % changes.length), ...how }));
      const kept = new KeptParts();
      let writer = new RootState('root-1', true);
      for (const { cut, restarts, isSlow } of cuts.toSorted((a, b) => a.cut - b.cut)) {
        reduce(changes.slice(writer.seq, cut), writer);
        kept.take(writer, () => isSlow && reduce(changes.slice(writer.seq, writer.seq + 2), writer));
        if (restarts) writer = kept.load() ?? assert.fail('it is not whole');
      }
      const state = kept.load() ?? assert.fail('it is not whole');
      reduce(changes.slice(state.seq), state);
      const whole = reduce(changes);
      assert.deepEqual(wholeState(state), wholeState(whole));
      for (const { agent, request, turn, seq } of changes) {
        assert.equal(state.requestOf(agent, request), turn === undefined ? seq : undefined);
      }
      assert.deepEqual([state.newNodeId(), state.newBlockId('anna')], [whole.newNodeId(), whole.newBlockId('anna')]);
      assert.deepEqual(undoAll(state), undoAll(whole));
    }),
    { numRuns: 150 },
  );
});

test('[SN1] [SN9] a reader that counts the nodes of a snapshot, and then hears of others, has counted all of them', () => {
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
    'undo/0000001001-0000001002',
    'places/0000001001-0000001002',
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

test('[SN3] parts that two processes wrote, each from another snapshot up to the same change, are not a snapshot', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('said'));
  const block = root.node(node).blocks[0]?.block_id ?? '';
  for (const text of ['said a', 'said ab', 'said abc']) {
    root.done(decideEditBlock(root.state, 'anna', { block, text }, root.editor));
  }
  const changes = changesOf(root);
  const parts = new Map<string, string>();
  const [quick, slow] = [new KeptParts(parts), new KeptParts(parts)];
  const states = { quick: reduce(changes.slice(0, 4)), slow: reduce(changes.slice(0, 3)) };
  quick.take(states.quick);
  slow.take(states.slow);
  reduce(changes.slice(3, 4), states.slow);
  slow.take(states.slow);
  assert.notEqual(slow.load(), undefined);
  const isPiece = (key: string): boolean => /^(?:edits|undo|places)\//u.test(key);
  const ofQuick = new Set(quick.written.filter(isPiece));
  assert.deepEqual([ofQuick.size, slow.written.filter((key) => ofQuick.has(key))], [3, []]);
  reduce(changes.slice(4), states.quick);
  quick.take(states.quick);
  assert.equal(quick.load(), undefined);
});

test('[SN1] a change can be undone after a snapshot too, however long ago its node got its last child', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('parent'));
  root.append(parent, user('child'));
  // More changes than can be undone: that of the child is no longer among them.
  for (let count = 0; count < 1001; count += 1) root.write([{ type: 'root-changed', title: `${count}` }]);
  root.write([{ type: 'node-changed', node: parent, set: { title: 'titled' } }]);
  const kept = new KeptParts();
  kept.take(reduce(changesOf(root)));
  assert.deepEqual(undoAll(kept.load() ?? assert.fail()).slice(0, 2), undoAll(root.state).slice(0, 2));
  assert.equal(root.node(parent).title, 'titled', 'it was done again');
});

test('[SN1] what has become too old to be undone is so after a snapshot, too, and nothing is kept of it', () => {
  const root = new TestRoot();
  const kept = new KeptParts();
  const state = reduce(changesOf(root));
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 400; count += 1) {
      root.write([{ type: 'root-changed', title: `${round} ${count}` }]);
      if (count < 5) root.undo();
    }
    reduce(changesOf(root).slice(state.seq), state);
    kept.take(state);
  }
  const loaded = kept.load() ?? assert.fail();
  for (const change of [3, root.state.seq - 1001, root.state.seq - 1000, root.state.seq - 999]) {
    const [there, here] = [loaded, root.state].map((each) => decideUndo(each, 'anna', change, testEditor(99)));
    assert.deepEqual(there, here, `change ${change}`);
  }
  const { seqs, undone } = loaded.history.window();
  assert.deepEqual([seqs.length, undone.length, Math.min(...undone) >= Math.min(...seqs)], [1000, 10, true]);
});

for (const turn of [undefined, 'turn-1']) {
  test(`[SN1] an undo ${turn === undefined ? 'by a person' : 'in a turn'} between two snapshots lets the change before it be undone, unless another agent has edited in between`, () => {
    const root = new TestRoot();
    const kept = new KeptParts();
    const state = new RootState('root-1', true);
    const snapshot = (): RootState => {
      reduce(changesOf(root).slice(state.seq), state);
      kept.take(state);
      return kept.load() ?? assert.fail();
    };
    const node = root.append('root-1', user('said'));
    const said = root.state.seq;
    root.write([{ type: 'node-changed', node, set: { title: 'titled' } }]);
    snapshot();
    const undo = decideUndo(root.state, 'anna', undefined, root.editor);
    if (!undo.ok) assert.fail(JSON.stringify(undo.refusal));
    root.write(undo.ops, 'anna', turn);
    const undone = snapshot();
    assert.ok(decideUndo(undone, 'anna', said, testEditor(99)).ok, 'only the message is in effect');
    root.write([{ type: 'node-changed', node, set: { title: 'titled by another' } }], 'bert');
    const changed = snapshot();
    assertRefused(decideUndo(changed, 'anna', said, testEditor(99)), 'changed-since', { ids: [node] });
  });
}

test('[SN1] what a turn has hung below a node does not come between a change of that node and its undo', () => {
  const root = new TestRoot();
  const answer = decideAppend(root.state, 'bot', {
    parent: 'root-1',
    messages: [calling('I look', 'one'), result('one')],
  });
  if (!answer.ok) assert.fail(JSON.stringify(answer.refusal));
  root.write(answer.ops, 'bot', 'turn-1');
  const kept = new KeptParts();
  const state = reduce(changesOf(root));
  // A turn's changes cannot be undone, so the first snapshot does not say where it made them.
  kept.take(state);
  const done = root.state.seq;
  root.write([{ type: 'node-changed', node: answer.value.nodes[0] ?? '', set: { title: 'titled' } }]);
  reduce(changesOf(root).slice(done), state);
  kept.take(state);
  assert.deepEqual(undoAll(kept.load() ?? assert.fail()), undoAll(root.state));
  assert.equal(root.node(answer.value.nodes[0] ?? '').title, 'titled', 'it was done again');
});

test('[SN2] what it takes to undo changes is written once, and put together after a while', () => {
  const root = longRoot(300);
  const kept = new KeptParts();
  const state = reduce(changesOf(root));
  kept.take(state);
  const whole = kept.parts.get('undo/0000000000-0000000301')?.length ?? 0;
  for (let round = 0; round < 40; round += 1) {
    const done = root.state.seq;
    root.write([{ type: 'root-changed', title: `${round}` }]);
    reduce(changesOf(root).slice(done), state);
    kept.take(state);
    const parts = [...kept.parts.keys()].filter((key) => key.startsWith('undo/'));
    const written = kept.written.filter((key) => key.startsWith('undo/'));
    assert.ok(parts.length <= 16, `there are ${parts.length}`);
    assert.equal(written.length, 1);
    const isWhole = parts.length === 1;
    assert.equal((kept.parts.get(written[0] ?? '')?.length ?? 0) > whole, isWhole, `round ${round}`);
    const places = [...kept.parts.keys()].filter((key) => key.startsWith('places/'));
    assert.deepEqual(
      places,
      parts.map((key) => key.replace('undo/', 'places/')),
    );
  }
  assert.deepEqual(undoAll(kept.load() ?? assert.fail()), undoAll(root.state));
});

test('[SN3] a snapshot of the first format is read, and whatever is built on it is whole', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), (history, place) => {
      const changes = changesOf(growRoot(history));
      const cut = 1 + (place % changes.length);
      const kept = new KeptParts();
      kept.take(reduce(changes.slice(0, cut)));
      for (const [key, text] of inFirstFormat(kept.parts)) kept.parts.set(key, text);
      const state = kept.load() ?? assert.fail('it is not read');
      reduce(changes.slice(cut), state);
      kept.take(state);
      assert.deepEqual(undoAll(kept.load() ?? assert.fail('it is not whole')), undoAll(reduce(changes)));
    }),
    { numRuns: 50 },
  );
});

/** Returns the parts as Loom wrote them before the undo records had separate parts. */
function inFirstFormat(parts: Map<string, string>): Map<string, string> {
  const parse = (value: unknown) => z.record(z.string(), z.json()).parse(value);
  const [head, rest] = ['head', 'rest'].map((key) => parse(JSON.parse(parts.get(key) ?? '')));
  const { undone } = parse(rest?.['undo']);
  let [undoRecords, last]: unknown[] = [[], { node: [], children: [], bookmark: [], root: [] }];
  for (const [key, text] of parts) {
    if (key.startsWith('undo/')) undoRecords = JSON.parse(text);
    else if (key.startsWith('places/')) last = JSON.parse(text);
    else continue;
    parts.delete(key);
  }
  return new Map([
    ['head', JSON.stringify({ ...head, format: 1 })],
    ['rest', JSON.stringify({ ...rest, undo: { undone, last }, undoRecords })],
  ]);
}
