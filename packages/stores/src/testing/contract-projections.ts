import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectionPart, ProjectionRequest } from '@loom/kernel/store';
import * as fc from 'fast-check';
import type { StoreKind } from './contract.ts';
import { begin, request } from './writer.ts';

/** Tests projections: data derived from a log and kept beside it. */
export function testProjections({ name, capabilities, create, runs = 40 }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';
  const needsDurable = capabilities.durable ? false : 'not durable: nothing is left after the last handle';

  test(`[ST31] ${name}: reading through a seq ends with the record that holds it`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three', 'four', 'five']);
    await begin(store, 'b', ['other']);
    const seqs = async (afterSeq: number, throughSeq: number): Promise<number[] | undefined> =>
      (await store.read('a', afterSeq, throughSeq))?.records.map(({ seq }) => seq);
    assert.deepEqual(await seqs(0, 2), [1, 2]);
    assert.deepEqual(await seqs(2, 3), [3]);
    assert.deepEqual(await seqs(2, 5), [3, 4, 5]);
    assert.deepEqual(await seqs(2, 99), [3, 4, 5]);
    assert.deepEqual(await seqs(5, 99), []);
    assert.deepEqual(await seqs(3, 3), []);
    assert.deepEqual(await seqs(3, 1), []);
    assert.deepEqual(await seqs(0, 0), []);
    assert.equal(await store.read('c', 0, 1), undefined);
    await store.fold('a', { epoch, first: 2, record: { seq: 4, text: 'two to four' } });
    assert.deepEqual(await seqs(0, 1), [1]);
    assert.deepEqual(await seqs(0, 2), [1, 4]);
    assert.deepEqual(await seqs(2, 3), [4]);
    assert.deepEqual(await seqs(4, 5), [5]);
    for (const throughSeq of [-1, 0.5, Number.NaN]) await assert.rejects(store.read('a', 0, throughSeq), RangeError);
  });

  test(`[ST32] ${name}: a projection is made, extended and replaced, and its parts are read sorted, all or by prefix`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three']);
    const other = await begin(store, 'b', ['one']);
    assert.equal(await store.readProjection('a', 'state'), undefined);
    const put = parts('nodes/2', 'texts/1', 'nodes/10', 'nodes/1', 'nodes');
    assert.equal(await store.writeProjection('a', 'state', { ...whole(epoch, 1), put }), true);
    assert.equal(await store.writeProjection('a', 'files', { ...whole(epoch, 3), put: parts('x') }), true);
    assert.equal(await store.writeProjection('b', 'state', { ...whole(other, 1), put: parts('y') }), true);
    const all = parts('nodes', 'nodes/1', 'nodes/10', 'nodes/2', 'texts/1');
    assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 1, parts: all });
    assert.deepEqual((await store.readProjection('a', 'state', 'nodes/1'))?.parts, parts('nodes/1', 'nodes/10'));
    assert.deepEqual(await store.readProjection('a', 'state', 'z'), { epoch, seq: 1, parts: [] });
    const step = {
      epoch,
      seq: 3,
      base: 1,
      put: [{ key: 'nodes/2', text: 'new' }, ...parts('a')],
      drop: ['nodes/1', 'no such part'],
    };
    assert.equal(await store.writeProjection('a', 'state', step), true);
    assert.deepEqual(await store.readProjection('a', 'state'), {
      epoch,
      seq: 3,
      parts: [...parts('a', 'nodes', 'nodes/10'), { key: 'nodes/2', text: 'new' }, ...parts('texts/1')],
    });
    assert.equal(await store.writeProjection('a', 'state', { ...whole(epoch, 2), put: parts('only') }), true);
    assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 2, parts: parts('only') });
    assert.equal(await store.writeProjection('a', 'state', { ...whole(epoch, 2), base: 2, drop: ['only'] }), true);
    assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 2, parts: [] });
    assert.deepEqual((await store.readProjection('a', 'files'))?.parts, parts('x'));
    assert.deepEqual((await store.readProjection('b', 'state'))?.parts, parts('y'));
  });

  test(`[ST33] ${name}: a projection of no such log, of another epoch, from another base or beyond the log is not written`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two']);
    const put = parts('x');
    assert.equal(await store.writeProjection('a', 'state', { ...whole(epoch, 2), base: 0, put }), false);
    assert.equal(await store.readProjection('a', 'state'), undefined);
    await store.writeProjection('a', 'state', { ...whole(epoch, 1), put: parts('first') });
    for (const [log, wrong] of [
      ['c', whole(epoch, 0)],
      ['a', whole('another', 1)],
      ['a', whole(epoch, 3)],
      ['a', { ...whole(epoch, 2), base: 0 }],
      ['a', { ...whole(epoch, 2), base: 2 }],
      ['a', { ...whole('another', 2), base: 1 }],
      ['a', { ...whole(epoch, 3), base: 1 }],
    ] as const) {
      assert.equal(await store.writeProjection(log, 'state', { ...wrong, put }), false, JSON.stringify(wrong));
    }
    assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 1, parts: parts('first') });
    assert.deepEqual(await store.logs(), ['a']);
    assert.equal(await store.readProjection('c', 'state'), undefined);
  });

  test(`[ST34] ${name}: a request with a key twice, a way back, a lone surrogate or no name is a mistake`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two']);
    await store.writeProjection('a', 'state', { ...whole(epoch, 2), put: parts('x') });
    const wrong: [log: string, name: string, request: ProjectionRequest][] = [
      ['a', 'state', { ...whole(epoch, 2), put: parts('k', 'k') }],
      ['a', 'state', { ...whole(epoch, 2), drop: ['k', 'k'] }],
      ['a', 'state', { ...whole(epoch, 2), put: parts('k'), drop: ['k'] }],
      ['a', 'state', { ...whole(epoch, 1), base: 2 }],
      ['a', 'state', whole(epoch, -1)],
      ['a', 'state', { ...whole(epoch, 1), base: 0.5 }],
      ['a', 'state', { ...whole(epoch, 2), put: parts('lone \uD800') }],
      ['a', 'state', { ...whole(epoch, 2), put: [{ key: 'k', text: '\uDC00' }] }],
      ['a', 'state', { ...whole(epoch, 2), drop: ['lone \uD800'] }],
      ['a', 'lone \uD800', whole(epoch, 2)],
      ['a', '', whole(epoch, 2)],
      ['', 'state', whole(epoch, 2)],
    ];
    for (const [log, projection, mistake] of wrong) {
      await assert.rejects(store.writeProjection(log, projection, mistake), (error) => {
        assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
        return true;
      });
    }
    assert.deepEqual((await store.readProjection('a', 'state'))?.parts, parts('x'));
    await assert.rejects(store.readProjection('a', ''), TypeError);
  });

  test(`[ST35] ${name}: keys, names and texts come back character by character, and what was handed in or out is a copy`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one']);
    const hard = [
      '',
      '\0',
      'a\0b',
      '../x',
      "'; --",
      'é',
      'e\u0301',
      '\uFFFF',
      '\u{10FFFF}',
      '😀',
      '\uE000',
      'x'.repeat(400),
    ];
    const put = hard.map((key, index) => ({ key, text: `${key}${'🧵 "\\\n'.repeat(index * 30)}` }));
    const given = put.map((part) => ({ ...part }));
    const answer = store.writeProjection('a', '../p\0q', { ...whole(epoch, 1), put: given });
    given.forEach((part) => (part.text = 'changed'));
    given.length = 2;
    assert.equal(await answer, true);
    const expected = put.sort((a, b) => (a.key < b.key ? -1 : 1));
    const read = await store.readProjection('a', '../p\0q');
    assert.deepEqual(read?.parts, expected);
    for (const part of read.parts) part.text = 'changed';
    assert.deepEqual((await store.readProjection('a', '../p\0q'))?.parts, expected);
    assert.deepEqual(
      (await store.readProjection('a', '../p\0q', '\u{10FFFF}'))?.parts.map(({ key }) => key),
      ['\u{10FFFF}'],
    );
  });

  test(
    `[ST36] ${name}: of several writers on one base one wins, and each write is there as a whole or not at all`,
    { skip: needsShared },
    async (t) => {
      const data = create(t);
      const handles = [await data.open(), await data.open()];
      const [first] = handles;
      assert.ok(first !== undefined);
      const epoch = await begin(
        first,
        'a',
        Array.from({ length: 20 }, (_, index) => `${index}`),
      );
      await first.writeProjection('a', 'state', { ...whole(epoch, 0), put: parts('x', 'y') });
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const put = ['x', 'y'].map((key) => ({ key, text: `${index}` }));
          return (handles[index % 2] ?? first).writeProjection('a', 'state', {
            epoch,
            seq: 1 + index,
            base: 0,
            put,
            drop: [],
          });
        }),
      );
      assert.equal(answers.filter(Boolean).length, 1);
      const winner = answers.indexOf(true);
      const expected = ['x', 'y'].map((key) => ({ key, text: `${winner}` }));
      for (const store of handles) {
        assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 1 + winner, parts: expected });
      }
    },
  );

  test(`[ST36] ${name}: whatever is written one after the other, a projection is what a map would be`, async (t) => {
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 120 }), fc.boolean(), async (steps, reopens) => {
      const data = create(t);
      let store = await data.open();
      const epoch = await begin(
        store,
        'a',
        Array.from({ length: 200 }, (_, index) => `${index}`),
      );
      const model = new Map<string, string>();
      let seq: number | undefined;
      for (const { replaces, put, drop, advance } of steps) {
        const base = replaces ? undefined : seq;
        seq = (base ?? 0) + advance;
        const dropped = drop.filter((key) => !put.some((part) => part.key === key));
        assert.equal(await store.writeProjection('a', 'p', { epoch, seq, base, put, drop: dropped }), true);
        if (base === undefined) model.clear();
        for (const key of dropped) model.delete(key);
        for (const { key, text } of put) model.set(key, text);
      }
      if (reopens && capabilities.durable) {
        await store.close();
        store = await data.open();
      }
      const expected = Array.from(model, ([key, text]) => ({ key, text })).sort((a, b) => (a.key < b.key ? -1 : 1));
      const found = await store.readProjection('a', 'p');
      assert.deepEqual(found, seq === undefined ? undefined : { epoch, seq, parts: expected });
      await store.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / 3) });
  });

  test(`[ST37] ${name}: a projection outlives its store and grows with its log`, { skip: needsDurable }, async (t) => {
    const data = create(t);
    const before = await data.open();
    const epoch = await begin(before, 'a', ['one']);
    await before.writeProjection('a', 'state', { ...whole(epoch, 1), put: parts('x') });
    await before.close();
    const after = await data.open();
    await after.append('a', request(epoch, 1, ['two']));
    assert.equal(await after.writeProjection('a', 'state', { ...whole(epoch, 2), base: 1, put: parts('y') }), true);
    assert.deepEqual(await after.readProjection('a', 'state'), { epoch, seq: 2, parts: parts('x', 'y') });
  });
}

function whole(epoch: string, seq: number): ProjectionRequest {
  return { epoch, seq, base: undefined, put: [], drop: [] };
}

function parts(...keys: string[]): ProjectionPart[] {
  return keys.map((key) => ({ key, text: `text of ${key}` }));
}

const anyKey = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyStep = fc.record({
  replaces: fc.oneof({ weight: 20, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  put: fc.uniqueArray(fc.record({ key: anyKey, text: fc.string() }), { selector: ({ key }) => key, maxLength: 3 }),
  drop: fc.uniqueArray(anyKey, { maxLength: 2 }),
  advance: fc.nat(1),
});
