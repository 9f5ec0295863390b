import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { countBelow, GrowingShape, pathTo, shapeOf, siblingsOf, tipBelow } from './branches.ts';

const node = (id: string, parent: string, time: number) => ({ id, parent, role: 'user' as const, time });
// a ─ b ─ d
//   └ c ─ e
//       └ f
const shape = shapeOf([
  node('a', 'root', 1),
  node('b', 'a', 2),
  node('c', 'a', 3),
  node('d', 'b', 4),
  node('e', 'c', 5),
  node('f', 'c', 6),
]);

test('[WB1] a branch goes from the first message to its end, by the ways that were taken last, else by the newest', () => {
  assert.deepEqual(pathTo(shape, 'e'), ['a', 'c', 'e']);
  assert.deepEqual(pathTo(shape, 'root'), []);
  assert.equal(tipBelow(shape, 'root', new Map()), 'f');
  assert.equal(tipBelow(shape, 'root', new Map([['a', 'b']])), 'd');
  assert.equal(tipBelow(shape, 'c', new Map([['c', 'gone']])), 'f', 'a choice that is gone is none');
});

test('[WB2] siblings stand in the order in which they came, and what is elsewhere is counted', () => {
  assert.deepEqual(siblingsOf(shape, 'c'), { all: ['b', 'c'], at: 1 });
  assert.deepEqual(siblingsOf(shape, 'a'), { all: ['a'], at: 0 });
  assert.equal(countBelow(shape, 'c'), 3);
});

test('[WB160] a shape that grows is the one that is made at once, whatever is added, changed, moved or taken out', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'add', 'add', 'change', 'move', 'remove'),
    at: fc.nat(),
    to: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const growing = new GrowingShape();
      let outline: ReturnType<typeof node>[] = [];
      for (const [time, { kind, at, to }] of steps.entries()) {
        const parents = ['root', ...outline.map(({ id }) => id)];
        const parent = parents[to % parents.length] ?? 'root';
        const index = outline.length === 0 ? 0 : at % outline.length;
        const chosen = outline[index];
        if (kind === 'add' || chosen === undefined) outline = [...outline, node(`n${time}`, parent, time)];
        else if (kind === 'change') outline = outline.with(index, { ...chosen, time });
        else if (kind === 'move') outline = outline.with(index, { ...chosen, parent });
        else outline = outline.toSpliced(index, 1);
        assert.deepEqual(growing.shape(outline), shapeOf(outline));
      }
      const { children, forks } = growing.shape(outline);
      assert.equal(forks, [...children.values()].filter(({ length }) => length > 1).length);
    }),
  );
});
