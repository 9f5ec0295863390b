import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { BlockDocument } from './block-document.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { writeRawUpdate } from './testing/hostile-update.ts';
import type { RawStruct, RawUpdate } from './testing/hostile-update.ts';
import { SeededRandom } from './testing/seeded-random.ts';

const author = { agent: 'ada', unit: 'typing-1' };
const client = 50;
/** The offsets of the seed are the clocks of client 1: the smile is at 2 and 3. */
const seed = 'ab😀cd';

/** A text in which the client has written `xy` at the end, and another one `zz` at the beginning. */
function openText(): BlockDocument {
  const text = new BlockDocument(seed);
  take(text, writeRawUpdate({ sections: [{ client, clock: 0, structs: [{ origin: [1, 5], content: 'xy' }] }] }));
  text.applyEdit({ ...author, unit: 'other', client: 9, splices: [{ at: 0, delete: 0, insert: 'zz' }] });
  return text;
}

function take(text: BlockDocument, update: Uint8Array): void {
  const taken = text.takeUpdate(author, client, update);
  assert.ok(taken.ok, taken.ok ? '' : taken.problem);
  text.applyEdit({ ...author, client, ...taken.edit });
}

/** Asserts that an update is refused and changes nothing, and that a good one is still taken afterwards. */
function assertRefused(update: Uint8Array, message: RegExp, text = openText()): void {
  const [bytes, units, before] = [text.encode(), text.units.length, text.text];
  const taken = text.takeUpdate(author, client, update);
  assert.equal(taken.ok, false);
  assert.match(taken.ok ? '' : taken.problem, message);
  assert.deepEqual(text.encode(), bytes);
  assert.equal(text.text, before);
  assert.equal(text.units.length, units);
  take(text, writeRawUpdate({ sections: [{ client, clock: 2, structs: [{ origin: [client, 1], content: '!' }] }] }));
  assert.equal(text.text, `${before}!`);
}

function insert(struct: RawStruct, clock = 2, of = client): RawUpdate {
  return { sections: [{ client: of, clock, structs: [struct] }] };
}

function clientOf(text: BlockDocument, id = client): { doc: Y.Doc; text: Y.Text; updates: Uint8Array[] } {
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, text.encode());
  doc.clientID = id;
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  return { doc, text: doc.getText('text'), updates };
}

test('[CU1] what a client inserts and deletes in its own document is taken', () => {
  const text = openText();
  const { text: own, updates } = clientOf(text);
  own.insert(4, 'new 👩‍👩‍👧');
  own.delete(0, 2);
  own.insert(own.length, '\r\n');
  for (const update of updates) take(text, update);
  assert.equal(text.text, own.toJSON());
  assert.equal(text.text, 'abnew 👩‍👩‍👧😀cdxy\r\n');
});

test('[CU1] a text that is inserted and deleted at once is taken, and was never seen', () => {
  const text = openText();
  const { doc, text: own, updates } = clientOf(text);
  doc.transact(() => {
    own.insert(0, 'gone');
    own.delete(0, 4);
  });
  const [update] = updates;
  assert.ok(update);
  const taken = text.takeUpdate(author, client, update);
  assert.deepEqual(taken.ok && taken.edit.splices, []);
});

test('[CU2] an update that inserts under another id is refused', () => {
  assertRefused(writeRawUpdate(insert({ origin: [1, 0], content: 'x' }, 2, 9)), /inserts as client 9/);
  assertRefused(writeRawUpdate(insert({ origin: [1, 0], content: 'x' }, 6, 1)), /inserts as client 1,/);
  const mixed = [insert({ content: 'x' }), insert({ content: 'x' }, 0, 60)].flatMap(({ sections = [] }) => sections);
  assertRefused(writeRawUpdate({ sections: mixed }), /inserts as client 60/);
});

test('[CU3] an update that leaves out what the client has inserted before is refused', () => {
  assertRefused(writeRawUpdate(insert({ origin: [client, 1], content: 'x' }, 3)), /begins at 3, but only 2/);
  const gap = [insert({ content: 'x' }), insert({ content: 'x' }, 4)].flatMap(({ sections = [] }) => sections);
  assertRefused(writeRawUpdate({ sections: gap }), /begins at 4, but only 3/);
  const doc = new Y.Doc({ gc: false });
  doc.clientID = client;
  doc.getText('text').insert(0, 'abcdef');
  assertRefused(Y.diffUpdate(Y.encodeStateAsUpdate(doc), Y.encodeStateVector(new Map([[client, 4]]))), /begins at 4/);
});

test('[CU3] an update that builds on or deletes what is not there is refused', () => {
  assertRefused(writeRawUpdate(insert({ origin: [77, 0], content: 'x' })), /builds on text that is not there/);
  assertRefused(writeRawUpdate(insert({ rightOrigin: [1, 6], content: 'x' })), /builds on text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 77, ranges: [[0, 1]] }] }), /deletes text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [[5, 2]] }] }), /deletes text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client, ranges: [[2, 1]] }] }), /deletes text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [[0, 0]] }] }), /deletes text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [[4, 0]] }] }), /deletes text that is not there/);
});

test('[CU3] an item that builds on itself or on what comes after it is refused', () => {
  assertRefused(writeRawUpdate(insert({ origin: [client, 2], content: 'x' })), /builds on text that is not there/);
  assertRefused(
    writeRawUpdate(insert({ rightOrigin: [client, 3], content: 'xy' })),
    /builds on text that is not there/,
  );
  const structs = [{ origin: [client, 3], content: 'x' } as const, { origin: [1, 0], content: 'y' } as const];
  assertRefused(writeRawUpdate({ sections: [{ client, clock: 2, structs }] }), /builds on text that is not there/);
});

test('[CU4] embeds, formats, types, subdocuments, binaries and gaps are refused', () => {
  const makers: Record<string, (doc: Y.Doc) => void> = {
    embed: (doc) => doc.getText('text').insertEmbed(0, { image: 'x' }),
    format: (doc) => doc.getText('text').format(0, 2, { bold: true }),
    'formatted insert': (doc) => doc.getText('text').insert(0, 'x', { bold: true }),
    attribute: (doc) => doc.getText('text').setAttribute('lang', 'de'),
    type: (doc) => doc.getText('text').insertEmbed(0, new Y.Map()),
    map: (doc) => doc.getMap('other').set('a', 1),
    array: (doc) => doc.getArray('other').push(['a', 1, new Uint8Array(3)]),
    'text elsewhere': (doc) => doc.getText('other').insert(0, 'x'),
    xml: (doc) => doc.getXmlFragment('other').insert(0, [new Y.XmlElement('p'), new Y.XmlText('x')]),
    subdocument: (doc) => doc.getMap('other').set('sub', new Y.Doc()),
  };
  for (const [name, make] of Object.entries(makers)) {
    const text = openText();
    const { doc, updates } = clientOf(text);
    make(doc);
    const [update] = updates;
    assert.ok(update, name);
    assertRefused(update, /something other than/, text);
  }
  const gc = { ref: 0, write: (encoder: Y.UpdateEncoderV1) => encoder.writeLen(5) };
  assertRefused(writeRawUpdate(insert({ content: gc })), /cannot be read|something other than/);
  // Text that was deleted at once and collected by the client is no longer text.
  const collected = { ref: 1, write: (encoder: Y.UpdateEncoderV1) => encoder.writeLen(5) };
  assertRefused(writeRawUpdate(insert({ origin: [1, 0], content: collected })), /something other than inserted text/);
});

test('[CU4] text below another root, below an item or under a key is refused', () => {
  assertRefused(writeRawUpdate(insert({ parent: 'other', content: 'x' })), /something other than the text/);
  assertRefused(writeRawUpdate(insert({ parent: '__proto__', content: 'x' })), /something other than the text/);
  assertRefused(writeRawUpdate(insert({ parent: [1, 0], content: 'x' })), /something other than the text/);
  assertRefused(writeRawUpdate(insert({ parentSub: 'key', content: 'x' })), /something other than the text/);
});

test('[CU5] nothing is inserted into a surrogate pair, and no half of one is deleted', () => {
  assertRefused(writeRawUpdate(insert({ origin: [1, 2], rightOrigin: [1, 3], content: 'x' })), /middle of a character/);
  assertRefused(writeRawUpdate(insert({ origin: [1, 2], content: 'x' })), /middle of a character/);
  assertRefused(writeRawUpdate(insert({ rightOrigin: [1, 3], content: 'x' })), /middle of a character/);
  const structs = [{ content: '👍' }, { origin: [client, 2], rightOrigin: [client, 3], content: 'x' } as const];
  assertRefused(writeRawUpdate({ sections: [{ client, clock: 2, structs }] }), /middle of a character/);
  for (const range of [
    [2, 1],
    [3, 1],
    [0, 3],
    [3, 3],
  ] as const) {
    assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [range] }] }), /half a character/);
  }
  const text = openText();
  const { text: own, updates } = clientOf(text);
  own.insert(5, 'x');
  assert.equal(own.toJSON(), 'zzab\uFFFDx\uFFFDcdxy', 'Yjs lets a client do it');
  const [split] = updates;
  assert.ok(split);
  assertRefused(split, /middle of a character/, text);
});

test('[CU5] NUL and lone surrogates are refused', () => {
  for (const content of ['a\0b', '\0']) {
    assertRefused(writeRawUpdate(insert({ origin: [1, 0], content })), /half a character, or NUL/);
  }
  // UTF-8 has no lone surrogates: in an update they are bytes that cannot be read.
  const bytes = writeRawUpdate(insert({ origin: [1, 0], content: 'abc' }));
  const at = bytes.indexOf('a'.charCodeAt(0));
  assertRefused(
    bytes
      .with(at, 0xed)
      .with(at + 1, 0xa0)
      .with(at + 2, 0x80),
    /cannot be read|half a character/,
  );
});

test('[CU6] an update that comes twice changes nothing the second time', () => {
  const text = openText();
  const { text: own, updates } = clientOf(text);
  own.insert(3, 'abc👍');
  own.insert(5, 'inside');
  for (const update of updates) take(text, update);
  const bytes = text.encode();
  for (const update of [...updates, ...updates.toReversed(), Y.mergeUpdates(updates)]) {
    const taken = text.takeUpdate(author, client, update);
    assert.deepEqual(taken.ok && taken.edit.splices, []);
    if (taken.ok) text.applyEdit({ ...author, client, ...taken.edit });
    assert.deepEqual(text.encode(), bytes);
  }
});

test('[CU6] of an update that repeats what is known only the rest is taken and logged', () => {
  const text = openText();
  const { text: own, updates } = clientOf(text);
  own.insert(4, 'one');
  own.insert(7, 'two');
  own.delete(5, 1);
  const [first, ...rest] = updates;
  assert.ok(first);
  take(text, first);
  take(text, Y.mergeUpdates([first, ...rest]));
  assert.equal(text.text, own.toJSON());
});

test('[CU7] what a client says otherwise the second time does not reach the log', () => {
  const text = openText();
  const replica = new Y.Doc({ gc: false });
  Y.applyUpdate(replica, text.encode());
  const other = writeRawUpdate({ sections: [{ client, clock: 0, structs: [{ origin: [1, 5], content: 'PQRS' }] }] });
  const taken = text.takeUpdate(author, client, other);
  assert.ok(taken.ok);
  const logged = fromBase64(taken.edit.update);
  const inserted = Y.decodeUpdate(logged).structs;
  assert.deepEqual(
    inserted.map(({ id, length }) => [id.clock, length]),
    [[2, 2]],
  );
  Y.applyUpdate(replica, logged);
  assert.equal(replica.getText('text').toJSON(), text.text);
  assert.equal(text.text, 'zzab😀cdxyRS');
  // Half of a pair would be new.
  assertRefused(writeRawUpdate(insert({ origin: [1, 5], content: 'x😀' }, 0)), /half a character/);
});

test('[CU7] an update in several sections of one client, or with bytes behind its end, is logged as one that has neither', () => {
  const text = openText();
  const sections = [
    { client, clock: 2, structs: [{ origin: [client, 1] as const, content: 'one' }] },
    { client, clock: 5, structs: [{ origin: [client, 4] as const, content: 'two' }] },
  ];
  const bytes = writeRawUpdate({ sections });
  const taken = text.takeUpdate(author, client, new Uint8Array([...bytes, ...new Uint8Array(1000)]));
  assert.ok(taken.ok);
  text.applyEdit({ ...author, client, ...taken.edit });
  assert.equal(text.text, 'zzab😀cdxyonetwo');
  assert.ok(fromBase64(taken.edit.update).length < 40);
  const replica = new BlockDocument(seed);
  const whole = new Y.Doc({ gc: false });
  Y.applyUpdate(whole, text.encode());
  assert.equal(whole.store.pendingStructs, null);
  assert.equal(replica.text, seed);
});

test('[CU8] bytes that are not an update are refused: cut off, changed or made up', () => {
  const random = new SeededRandom(4);
  const text = openText();
  const { doc, text: own, updates } = clientOf(text);
  doc.transact(() => {
    own.insert(3, 'abc👍def');
    own.delete(0, 2);
    own.insert(1, 'q');
  });
  const [good] = updates;
  assert.ok(good);
  let refused = 0;
  for (let round = 0; round < 4000; round += 1) {
    const bytes = damage(random, good, round);
    const before = text.encode();
    const taken = text.takeUpdate(author, client, bytes);
    if (taken.ok) {
      // The bytes happened to be an update after all. Then it does what it says, in every replica.
      text.applyEdit({ ...author, client, ...taken.edit });
      assert.equal(text.text.isWellFormed() && !text.text.includes('\0'), true);
      const replica = new Y.Doc({ gc: false });
      Y.applyUpdate(replica, before);
      Y.applyUpdate(replica, fromBase64(taken.edit.update));
      assert.equal(replica.getText('text').toJSON(), text.text, `round ${round}: ${toBase64(bytes)}`);
      assert.equal(replica.store.pendingStructs ?? replica.store.pendingDs, null);
    } else {
      refused += 1;
      assert.deepEqual(text.encode(), before);
    }
  }
  assert.ok(refused > 3000, `${refused} refused`);
});

function damage(random: SeededRandom, good: Uint8Array, round: number): Uint8Array {
  const kind = round % 3;
  if (kind === 0) return good.slice(0, random.below(good.length));
  if (kind === 1) return Uint8Array.from({ length: random.below(60) }, () => random.below(256));
  const bytes = good.slice();
  for (let count = 1 + random.below(3); count > 0; count -= 1) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

test('[CU8] an update that declares more than it holds is refused without making room for it', () => {
  const huge = 2 ** 52;
  const before = process.memoryUsage().rss;
  assertRefused(writeRawUpdate({ sections: [{ client, clock: 2, structs: [], declared: huge }] }), /cannot be read/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [[0, huge]] }] }), /deletes text that is not there/);
  assertRefused(writeRawUpdate({ deletes: [{ client: 1, ranges: [[huge, huge]] }] }), /deletes text that is not there/);
  for (const ref of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const content = { ref, write: (encoder: Y.UpdateEncoderV1) => encoder.writeLen(huge) };
    assertRefused(writeRawUpdate(insert({ origin: [1, 0], content })), /cannot be read|something other than|begins at/);
  }
  // Clients and deletions without number, and deep nesting.
  for (const start of [
    [0xff, 0xff, 0xff, 0xff, 0x7f],
    [0, 0xff, 0xff, 0xff, 0xff, 0x7f],
    [0, 1, 1, 0xff, 0xff, 0xff, 0x7f],
  ]) {
    assertRefused(Uint8Array.from(start), /cannot be read/);
  }
  const nested = {
    ref: 8,
    write: (encoder: Y.UpdateEncoderV1) => {
      encoder.writeLen(1);
      for (let depth = 0; depth < 200_000; depth += 1) {
        // A list of one thing.
        encoder.writeInfo(117);
        encoder.writeInfo(1);
      }
    },
  };
  assertRefused(writeRawUpdate(insert({ origin: [1, 0], content: nested })), /cannot be read/);
  assert.ok(process.memoryUsage().rss - before < 500_000_000);
});

test('[CU8] empty bytes and empty texts are refused or change nothing', () => {
  assertRefused(new Uint8Array(), /cannot be read/);
  const text = openText();
  const before = text.encode();
  for (const update of [writeRawUpdate({}), writeRawUpdate(insert({ origin: [1, 0], content: '' }))]) {
    const taken = text.takeUpdate(author, client, update);
    assert.deepEqual(taken.ok && taken.edit.splices, []);
    if (taken.ok) text.applyEdit({ ...author, client, ...taken.edit });
    assert.deepEqual(text.encode(), before);
  }
});
