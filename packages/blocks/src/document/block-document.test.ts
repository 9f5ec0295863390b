import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { BlockDocument } from './block-document.ts';
import { LoggedText } from './testing/logged-text.ts';
import { SeededRandom } from './testing/seeded-random.ts';

const ada = { agent: 'ada', unit: 'one' };
const bob = { agent: 'bob', unit: 'one' };

test('[DO1] the characters of a seed have the ids of client 1, by offset', () => {
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, new BlockDocument('a😀b').encode());
  assert.deepEqual([...Y.decodeStateVector(Y.encodeStateVector(doc))], [[1, 4]]);
  assert.equal(doc.getText('text').toJSON(), 'a😀b');
  assert.equal(new BlockDocument('').encode().length, 2);
});

test('[DO2] a plan changes nothing, and what it says is what happens when it comes back', () => {
  const text = new BlockDocument('hello world');
  const before = text.encode();
  const splices = [
    { at: 6, delete: 5, insert: 'all' },
    { at: 0, delete: 1, insert: 'J' },
  ];
  const edit = text.planEdit(7, splices);
  text.planAppend(ada, 7, '!', true);
  assert.deepEqual(text.encode(), before);
  assert.equal(text.text, 'hello world');
  assert.deepEqual(text.units, []);
  text.applyEdit({ ...ada, client: 7, ...edit });
  assert.equal(text.text, 'Jello all');
  assert.equal(text.length, 9);
  assert.deepEqual(
    text.units.map(({ agent, name, phase }) => [agent, name, phase]),
    [['ada', 'one', 'open']],
  );
});

test('[DO2] a plan that was made before something else came does what its update says', () => {
  const text = new BlockDocument('abc');
  const planned = text.planEdit(7, [{ at: 1, delete: 1, insert: '' }]);
  const other = new BlockDocument('abc').planEdit(8, [{ at: 0, delete: 0, insert: 'xyz' }]);
  text.applyEdit({ ...bob, client: 8, ...other });
  text.applyEdit({ ...ada, client: 7, ...planned });
  assert.equal(text.text, 'xyzac');
  assert.equal(textOf(text), 'xyzac');
});

test('[DO3] a new text stands directly behind the visible character before it, in front of hidden ones', () => {
  const text = new LoggedText('abc', []);
  text.edit(ada, [{ at: 1, delete: 1, insert: '' }]);
  text.edit(bob, [{ at: 1, delete: 0, insert: 'X' }]);
  text.flip(0);
  assert.equal(text.document.text, 'aXbc');
  text.edit({ ...bob, unit: 'two' }, [{ at: 0, delete: 0, insert: '>' }]);
  assert.equal(text.document.text, '>aXbc');
});

test('[DO3] a text that takes the place of another stands directly before that, so that both come back in their place', () => {
  const text = new LoggedText('one\ntwo\nthree\n', []);
  const replace = (line: string, by: string): void => {
    text.edit({ ...ada, unit: by }, [{ at: text.document.text.indexOf(line), delete: line.length, insert: by }]);
  };
  replace('one\n', 'ONE\n');
  replace('two\n', 'TWO\n');
  replace('three\n', 'THREE\n');
  text.flip(0);
  assert.equal(text.document.text, 'one\nTWO\nTHREE\n');
  text.flip(2);
  assert.equal(text.document.text, 'one\nTWO\nthree\n');
  text.flip(0);
  assert.equal(text.document.text, 'ONE\nTWO\nthree\n');
});

test('[DO3] an edit that would cut a surrogate pair, or is outside the text, is a mistake', () => {
  const text = new BlockDocument('a😀b');
  for (const [at, count] of [
    [2, 0],
    [1, 1],
    [2, 1],
    [0, 2],
  ] as const) {
    assert.throws(() => text.planEdit(7, [{ at, delete: count, insert: 'x' }]), /surrogate pair/);
  }
  assert.throws(() => text.planEdit(7, [{ at: 5, delete: 0, insert: 'x' }]), RangeError);
  assert.throws(() => text.planEdit(7, [{ at: 3, delete: 2, insert: '' }]), RangeError);
});

test('[DO4] an append goes to the very end, behind what is hidden there', () => {
  const text = new LoggedText('abc', []);
  text.edit(ada, [{ at: 2, delete: 1, insert: '' }]);
  text.append(bob, 'X', false);
  assert.equal(text.document.text, 'abX');
  text.flip(0);
  assert.equal(text.document.text, 'abcX');
});

test('[DO4] a stream goes on behind its last character, wherever that is and whatever became of it', () => {
  const text = new LoggedText('', [], undefined);
  text.append(ada, 'one ', true);
  text.append(bob, '[bob]', false);
  text.append(ada, 'two ', true);
  assert.equal(text.document.text, 'one two [bob]');
  // Its last character is deleted and comes back, and another agent writes behind it.
  text.edit({ ...bob, unit: 'delete' }, [{ at: 4, delete: 4, insert: '' }]);
  text.flip(2);
  text.edit({ ...bob, unit: 'behind' }, [{ at: 8, delete: 0, insert: '|' }]);
  text.append(ada, 'three ', true);
  assert.equal(text.document.text, 'one two three |[bob]');
});

test('[DO4] an append of nothing changes nothing but the list of editors', () => {
  const text = new LoggedText('abc', []);
  const before = text.document.encode();
  text.append(ada, '', true);
  text.append(ada, '', false);
  assert.deepEqual(text.document.encode(), before);
  text.append(ada, 'd', true);
  assert.equal(text.document.text, 'abcd');
});

test('[DO5] the document of early logs, which have no updates, is the same', () => {
  const splices = [
    { at: 1, delete: 1, insert: '' },
    { at: 3, delete: 0, insert: 'X' },
  ];
  const [planned, early] = [new BlockDocument('abc'), new BlockDocument('abc')];
  planned.applyEdit({ ...ada, client: 7, ...planned.planEdit(7, splices) });
  early.applyEdit({ ...ada, client: 7, splices });
  assert.deepEqual(early.encode(), planned.encode());
  assert.deepEqual(early.units, planned.units);
});

test('[DO5] in early logs all new text stands behind the visible character before it, as it did then', () => {
  const early = new BlockDocument('abc');
  early.applyEdit({ ...ada, client: 7, splices: [{ at: 0, delete: 1, insert: 'A' }] });
  early.applyEdit({ ...bob, client: 7, splices: [{ at: 1, delete: 1, insert: 'B' }] });
  early.applyFlip({ ...early.planFlip(8, 0) });
  assert.equal(early.text, 'Bac');
});

test('[DO6] while an update is taken and not logged, nothing else happens', () => {
  const text = new BlockDocument('abc');
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, text.encode());
  doc.clientID = 9;
  doc.getText('text').insert(3, 'd');
  const update = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(new Map([[1, 3]])));
  const taken = text.takeUpdate(ada, 9, update);
  assert.ok(taken.ok);
  assert.equal(text.text, 'abcd');
  const other = { ...bob, client: 7, splices: [{ at: 0, delete: 0, insert: 'x' }] };
  assert.throws(() => text.applyEdit(other), /taken in but not logged/);
  assert.throws(() => text.applyFlip({ unit: 0, copies: [] }), /taken in but not logged/);
  assert.throws(() => text.takeUpdate(bob, 9, update), /taken in but not logged/);
  text.applyEdit({ ...ada, client: 9, ...taken.edit });
  text.applyEdit(other);
  assert.equal(text.text, 'xabcd');
});

test('[DO8] the text is that of the Yjs document after edits everywhere in 50 KB of many items', () => {
  const random = new SeededRandom(1);
  const text = new LoggedText('line of 😀 text\n'.repeat(3300), []);
  for (let step = 0; step < 1500; step += 1) {
    const { document } = text;
    const at = safePlace(text, random.below(document.length + 1));
    const end = random.chance(3) ? at + random.below(3000) : at + random.below(9);
    const stop = safePlace(text, Math.min(document.length, end));
    if (random.chance(8)) {
      const unit = random.chance(60) ? document.undoable('ada') : document.redoable('ada');
      if (unit !== undefined) text.flip(unit.ordinal);
    } else if (random.chance(10)) text.append(bob, 'more 👍\n', random.chance(50));
    else {
      const insert = random.chance(2) ? 'long '.repeat(500) : random.pick(['x', '😀', 'word ', '']);
      text.edit({ agent: 'ada', unit: `unit-${step}` }, [{ at, delete: stop - at, insert }]);
    }
    if (step % 100 === 0) assert.equal(document.text, textOf(document), `step ${step}`);
  }
  assert.equal(text.document.text, textOf(text.document));
  assert.equal(text.document.text, text.spliced);
  assert.equal(text.restart(['ada', 'bob']), undefined);
});

test('[DO10] a log read in another process says nothing on the console, from any writer', (context) => {
  const log = context.mock.method(console, 'log', () => {});
  const text = new BlockDocument('abc');
  text.applyEdit({ ...ada, client: 7, splices: [{ at: 0, delete: 0, insert: 'x' }] });
  const twin = new BlockDocument('abc');
  twin.applyEdit({ ...ada, client: 7, splices: [{ at: 0, delete: 0, insert: 'x' }] });
  text.applyEdit({ ...ada, client: 7, ...twin.planEdit(7, [{ at: 4, delete: 0, insert: 'y' }]) });
  assert.equal(text.text, 'xabcy');
  assert.equal(log.mock.callCount(), 0);
});

test('[UN6] a turn that goes on after its undo begins a new unit, and its redo leaves the first one closed', () => {
  const text = new LoggedText('', []);
  text.append(ada, 'first ', true);
  text.flip(0);
  text.append(ada, 'second', true);
  assert.deepEqual(
    text.document.units.map(({ active, phase }) => [active, phase]),
    [
      [false, 'dead'],
      [true, 'open'],
    ],
  );
  assert.equal(text.document.redoable('ada'), undefined);
  text.flip(1);
  text.flip(1);
  text.append(ada, ' third', true);
  assert.equal(text.document.text, 'second third');
  assert.deepEqual(
    text.document.units.map(({ phase }) => phase),
    ['dead', 'closed', 'open'],
  );
  assert.throws(() => text.document.applyFlip({ unit: 0, copies: [] }), /dead and cannot be flipped/);
});

test('[UN7] a deletion of an old copy is carried to the one that is there now, for replicas too', () => {
  const text = new LoggedText('abc', []);
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, text.document.encode());
  doc.clientID = 9;
  text.edit(ada, [{ at: 1, delete: 1, insert: '' }]);
  text.flip(0);
  assert.equal(text.document.text, 'abc');
  // The client has not seen any of that.
  const before = Y.encodeStateVector(doc);
  doc.getText('text').delete(1, 1);
  const taken = text.take({ agent: 'cy', unit: 'typing' }, 9, Y.encodeStateAsUpdate(doc, before));
  assert.ok(taken.ok);
  assert.equal(text.document.text, 'ac');
  for (const entry of text.log) {
    const update = entry.type === 'edit' ? entry.edit.update : entry.type === 'flip' ? entry.flip.update : undefined;
    if (update !== undefined) Y.applyUpdate(doc, fromBase64(update));
  }
  assert.equal(doc.getText('text').toJSON(), 'ac');
  assert.equal(toBase64(Y.encodeStateAsUpdate(doc)), toBase64(text.document.encode()));
  const unit = text.document.undoable('cy');
  assert.ok(unit);
  text.flip(unit.ordinal);
  assert.equal(text.document.text, 'abc');
});

test('[UN9] a cut takes what is hidden before it along for good, and freezes the units that it touches', () => {
  const text = new LoggedText('left|right', []);
  text.edit({ ...ada, unit: 'in the left half' }, [{ at: 1, delete: 2, insert: '' }]);
  text.edit({ ...ada, unit: 'undone there' }, [{ at: 0, delete: 0, insert: 'X' }]);
  text.edit({ ...bob, unit: 'in the right half' }, [{ at: 7, delete: 0, insert: 'Y' }]);
  text.flip(1);
  text.cut(3);
  assert.equal(text.document.text, 'rigYht');
  const phases = text.document.units.map(({ name, active, phase }) => [name, active, phase]);
  assert.deepEqual(phases, [
    ['in the left half', true, 'frozen'],
    ['undone there', false, 'frozen'],
    ['in the right half', true, 'open'],
  ]);
  assert.equal(text.document.undoable('ada'), undefined);
  assert.equal(text.document.redoable('ada'), undefined);
  text.flip(2);
  assert.equal(text.document.text, 'right');
  assert.equal(text.restart(['ada', 'bob']), undefined);
});

test('[UN9] what was cut off does not come back by the undo of a client that deleted it offline', () => {
  const text = new LoggedText('left|right', []);
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, text.document.encode());
  const before = Y.encodeStateVector(doc);
  text.edit(ada, [{ at: 10, delete: 0, insert: '!' }]);
  text.cut(5);
  doc.getText('text').delete(3, 4);
  assert.ok(text.take(bob, 9, Y.encodeStateAsUpdate(doc, before)).ok);
  assert.equal(text.document.text, 'ght!');
  const unit = text.document.undoable('bob');
  assert.ok(unit);
  text.flip(unit.ordinal);
  assert.equal(text.document.text, 'right!');
});

function textOf(document: { encode(): Uint8Array }): string {
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, document.encode());
  return doc.getText('text').toJSON();
}

function safePlace({ document }: LoggedText, at: number): number {
  return document.isInsidePair(at) ? at + 1 : at;
}
