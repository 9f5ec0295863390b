import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { rootCodec } from '@loom/kernel/logs';
import type { Change, RootOp } from '@loom/kernel/logs';
import { say } from '../testing/scripted-provider.ts';
import { createWorld, until } from '../testing/world.ts';
import { wholeState } from '../forest/testing/observation.ts';
import { RootState } from '../state/root-state.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.toWellFormed());
const anyOp: fc.Arbitrary<RootOp> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ text: anyText, block: fc.constantFrom('r/@m/1', 'r/@m/2') }).map(appended) },
  { weight: 1, arbitrary: anyText.map((title): RootOp => ({ type: 'root-changed', title })) },
);

function appended({ text, block }: { text: string; block: string }): RootOp {
  return { type: 'text-appended', block, field: 'text', text, unit: 'turn-1' };
}

/** Changes as logs have them: mostly of one writer that counts its requests, some by others. */
const anyChanges: fc.Arbitrary<Change<RootOp>[]> = fc
  .array(
    fc.record({
      op: anyOp,
      wait: fc.nat({ max: 1000 }),
      who: fc.constantFrom('writer', 'writer', 'writer', 'other', 'answered', 'odd'),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((steps) => {
    let time = 1_700_000_000_000.5;
    let count = 0;
    return steps.map(({ op, wait, who }, index) => {
      time += wait;
      const change = { seq: index + 5, time, agent: 'p:m', turn: 'turn-1', result: null, ops: [op] };
      if (who === 'odd') return { ...change, request: ['x', 'x.07', 'x.1e3', '.', 'x.', 'x.-1'][index % 6] ?? '' };
      if (who === 'other') {
        const { turn: _turn, result: _result, ...rest } = change;
        return { ...rest, request: `r.${index}` };
      }
      count += 1;
      return { ...change, request: `w.${count}`, result: who === 'answered' ? { n: 1 } : null };
    });
  });

test('[LO14] a segment gives back exactly the changes that it was made of', () => {
  fc.assert(
    fc.property(anyChanges, (changes) => {
      const encoded = rootCodec.encodeSegment(changes);
      assert.deepEqual(rootCodec.decode(encoded), changes);
      const damaged = `${encoded.slice(0, -3)}#${encoded.slice(-2)}`;
      assert.throws(() => rootCodec.decode(damaged), { code: 'store-corrupt' });
    }),
    { numRuns: 500 },
  );
});

test('[LO28] changes that are written together come back one by one or from segments, none twice and none missing', () => {
  const longer = anyChanges.map((changes) =>
    changes.map((change, index) => (index % 7 === 3 ? lengthen(change) : change)),
  );
  fc.assert(
    fc.property(fc.oneof(anyChanges, longer), (changes) => {
      const records = rootCodec.encodeBatch(changes);
      if (changes.length < 8) assert.equal(records.length, changes.length);
      assert.deepEqual(
        records.flatMap(({ text }) => rootCodec.decode(text)),
        changes,
      );
      let due = changes[0]?.seq ?? 0;
      for (const { seq, first = seq, text } of records) {
        const held = rootCodec.decode(text);
        assert.deepEqual([held[0]?.seq, held.at(-1)?.seq, first], [first, seq, due]);
        assert.ok(held.length === 1 || text.length < 80_000, 'a segment is read, and kept in memory, as a whole');
        due = seq + 1;
      }
    }),
    { numRuns: 300 },
  );
});

function lengthen(change: Change<RootOp>): Change<RootOp> {
  return { ...change, ops: [appended({ text: 'long '.repeat(9000), block: 'r/@m/1' })] };
}

test('[LO15] appends that follow each other cost little more than their text', () => {
  const op = (text: string): RootOp => appended({ text, block: 'r/@m/1' });
  const changes = Array.from({ length: 1000 }, (_, index) => ({
    seq: index + 1,
    time: 1_700_000_000_000 + index * 37,
    agent: 'p:m',
    turn: 'turn-1',
    request: `01K.${index + 1}`,
    result: null,
    ops: [op('a line of about fifty characters, as they are streamed\n')],
  }));
  const text = changes.length * 55;
  assert.ok(rootCodec.encodeSegment(changes).length < text * 1.25);
});

test('[LO16] a turn that is over is kept in few records, and the root that is read back is the same', async () => {
  const words = Array.from({ length: 300 }, (_, index) => `line ${index}\n`);
  const world = await createWorld([say(...words)]);
  await world.engine.turns.wait(await world.answer(await world.say('count')));
  const { seq } = await world.state();
  const records = async () => (await world.store.read(world.root, 0))?.records ?? [];
  await until(async () => (await records()).length < 20);
  assert.ok(seq > 300);
  const again = new RootState(world.root);
  for (const { text } of await records()) for (const change of rootCodec.decode(text)) again.apply(change);
  assert.deepEqual(wholeState(again), wholeState(await world.state()));
  // A reader that was in the middle of it when it happened goes on from there.
  const { epoch } = await world.engine.forest.log(world.root).cursor();
  const missed = await world.engine.forest.log(world.root).past.replay({ epoch, seq: 100 });
  assert.deepEqual(
    missed.map((item) => item.type === 'change' && item.seq),
    Array.from({ length: seq - 100 }, (_, index) => index + 101),
  );
});
