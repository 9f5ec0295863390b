import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppendRequest, StoreError } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { begin, request, texts } from './writer.ts';

/** Tests one writer: appends, reads and answers. */
export function testLogs({ name, create }: StoreKind): void {
  test(`[ST2] ${name}: records are read in order, without a gap, as they were appended`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two']);
    assert.deepEqual(await store.append('a', request(epoch, 2, ['three'])), { ok: true, epoch });
    assert.deepEqual(await store.append('a', request(epoch, 3, ['four', 'five'])), { ok: true, epoch });
    const records = ['one', 'two', 'three', 'four', 'five'].map((text, index) => ({ seq: index + 1, text }));
    assert.deepEqual(await store.read('a', 0), { epoch, records });
  });

  test(`[ST3] ${name}: reading after a seq gives the records behind it; a log that does not exist is undefined`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three']);
    await begin(store, 'b', ['other']);
    assert.deepEqual(await store.read('a', 1), {
      epoch,
      records: [
        { seq: 2, text: 'two' },
        { seq: 3, text: 'three' },
      ],
    });
    assert.deepEqual(await store.read('a', 3), { epoch, records: [] });
    assert.deepEqual(await store.read('a', 99), { epoch, records: [] });
    assert.equal(await store.read('c', 0), undefined);
    assert.equal(await store.read('A', 0), undefined);
    for (const afterSeq of [-1, 0.5, Number.NaN, Infinity]) await assert.rejects(store.read('a', afterSeq), RangeError);
  });

  test(`[ST29] ${name}: records that were folded are one, and everything else stays as it was`, async (t) => {
    const place = create(t);
    const store = await place.open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three', 'four']);
    const record = { seq: 3, text: `two and three ${'…'.repeat(500)}` };
    assert.equal(await store.fold('a', { epoch, first: 2, record }), true);
    const [one, four] = [
      { seq: 1, text: 'one' },
      { seq: 4, text: 'four' },
    ];
    assert.deepEqual(await store.read('a', 0), { epoch, records: [one, record, four] });
    assert.deepEqual(await store.read('a', 1), { epoch, records: [record, four] });
    assert.deepEqual((await store.read('a', 2))?.records, [record, four]);
    assert.deepEqual((await store.read('a', 3))?.records, [four]);
    assert.deepEqual(await store.append('a', request(epoch, 4, ['five'])), { ok: true, epoch });
    const whole = { seq: 5, text: 'all' };
    assert.equal(await store.fold('a', { epoch, first: 1, record: whole }), true);
    assert.deepEqual((await store.read('a', 0))?.records, [whole]);
    assert.deepEqual(await store.append('a', request(epoch, 5, ['six'])), { ok: true, epoch });
    await store.close();
    if (store.capabilities.durable) {
      assert.deepEqual((await (await place.open()).read('a', 0))?.records, [whole, { seq: 6, text: 'six' }]);
    }
  });

  test(`[ST42] ${name}: an append may bring records of several changes, which are read as folded ones are`, async (t) => {
    const place = create(t);
    const store = await place.open();
    const first = { first: 1, seq: 3, text: `one to three ${'…'.repeat(500)}` };
    const begun = await store.append('a', {
      epoch: undefined,
      expectedSeq: 0,
      records: [first, { seq: 4, text: 'four' }],
    });
    assert.ok(begun.ok);
    const { epoch } = begun;
    const second = { first: 5, seq: 9, text: 'five to nine' };
    assert.deepEqual(await store.append('a', { epoch, expectedSeq: 4, records: [second] }), { ok: true, epoch });
    const records = [
      { seq: 3, text: first.text },
      { seq: 4, text: 'four' },
      { seq: 9, text: second.text },
    ];
    assert.deepEqual((await store.read('a', 0))?.records, records);
    assert.deepEqual((await store.read('a', 6))?.records, records.slice(2));
    const late = await store.append('a', request(epoch, 4, ['late']));
    assert.deepEqual(late, { ok: false, conflict: { epoch, tail: records.slice(2) } });
    const whole = { seq: 9, text: 'four to nine' };
    assert.equal(await store.fold('a', { epoch, first: 4, record: whole }), true);
    for (const wrong of [
      { first: 11, seq: 12 },
      { first: 9, seq: 12 },
      { first: 10, seq: 9 },
      { seq: 12 },
      { first: 10, seq: 10.5 },
    ]) {
      const record = { ...wrong, text: 'x' };
      await assert.rejects(store.append('a', { epoch, expectedSeq: 9, records: [record] }), RangeError);
    }
    assert.deepEqual(await store.append('a', request(epoch, 9, ['ten'])), { ok: true, epoch });
    await store.close();
    if (!store.capabilities.durable) return;
    const again = await (await place.open()).read('a', 0);
    assert.deepEqual(again?.records, [records[0], whole, { seq: 10, text: 'ten' }]);
  });

  test(`[ST30] ${name}: what is not exactly some of the records is not folded`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three', 'four']);
    await store.fold('a', { epoch, first: 2, record: { seq: 3, text: 'two and three' } });
    const before = await store.read('a', 0);
    for (const [first, seq] of [
      [1, 2],
      [3, 4],
      [3, 3],
      [4, 5],
      [5, 6],
    ] as const) {
      assert.equal(await store.fold('a', { epoch, first, record: { seq, text: 'x' } }), false, `${first} to ${seq}`);
    }
    const record = { seq: 4, text: 'x' };
    assert.equal(await store.fold('a', { epoch: 'another', first: 1, record }), false);
    assert.equal(await store.fold('b', { epoch, first: 1, record }), false);
    await assert.rejects(store.fold('a', { epoch, first: 0, record }), RangeError);
    await assert.rejects(store.fold('a', { epoch, first: 5, record }), RangeError);
    await assert.rejects(store.fold('a', { epoch, first: 1, record: { seq: 4, text: '\uD800' } }), TypeError);
    assert.deepEqual(await store.read('a', 0), before);
  });

  test(`[ST4] ${name}: each log begins with an epoch of its own and keeps it`, async (t) => {
    const store = await create(t).open();
    const epochs = await Promise.all(['a', 'b', 'c'].map((log) => begin(store, log, ['x'])));
    assert.equal(new Set(epochs).size, 3);
    await store.append('a', request(epochs[0], 1, ['y']));
    assert.equal((await store.read('a', 0))?.epoch, epochs[0]);
  });

  test(`[ST5] ${name}: a writer that is behind gets exactly the records it has not seen, and writes nothing`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two', 'three']);
    assert.deepEqual(await store.append('a', request(epoch, 1, ['x', 'y', 'z'])), {
      ok: false,
      conflict: {
        epoch,
        tail: [
          { seq: 2, text: 'two' },
          { seq: 3, text: 'three' },
        ],
      },
    });
    assert.deepEqual(await texts(store, 'a'), ['one', 'two', 'three']);
    assert.deepEqual(await store.append('a', request(epoch, 3, ['four'])), { ok: true, epoch });
  });

  test(`[ST6] ${name}: a writer with another epoch, or with none for a log that exists, gets the whole log`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one', 'two']);
    const conflict = {
      epoch,
      tail: [
        { seq: 1, text: 'one' },
        { seq: 2, text: 'two' },
      ],
    };
    for (const behind of [
      request(undefined, 0, ['x']),
      request('other', 1, ['x']),
      request('other', 2, ['x']),
      request('other', 7, ['x']),
    ]) {
      assert.deepEqual(await store.append('a', behind), { ok: false, conflict });
    }
    assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
  });

  test(`[ST7] ${name}: a writer that knows more than is stored is told of the loss instead of a conflict without end`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one']);
    const lost = (error: StoreError): boolean => error.code === 'store-corrupt' && error.advice !== '';
    await assert.rejects(store.append('a', request(epoch, 2, ['x'])), lost);
    await assert.rejects(store.append('b', request(epoch, 1, ['x'])), lost);
    assert.deepEqual([await texts(store, 'a'), await texts(store, 'b')], [['one'], undefined]);
  });

  test(`[ST8] ${name}: texts come back character by character`, async (t) => {
    const store = await create(t).open();
    const hard = [
      '',
      '\0',
      'a\0b\0',
      '\uFEFFbyte order mark',
      `'single' "double" \`back\` \\ %s ?1 :name $1 -- ; DROP TABLE records`,
      'line\nline\r\nline\rline\u2028line\u2029',
      'é e\u0301 ﬁ Å 👩‍👩‍👧 🏳️‍🌈 \u{10FFFF} \uFFFF \uFFFE \uE000',
      '{"seq":1}',
      '7',
      '1e3',
      'x'.repeat(1024 * 1024),
      '🧵'.repeat(256 * 1024),
    ];
    await begin(store, 'a', hard);
    assert.deepEqual(await texts(store, 'a'), hard);
    const everything: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 0x800) {
      // A block of 2,048 code points; the block of surrogates is not text.
      if (code === 0xd800) continue;
      everything.push(String.fromCodePoint(...Array.from({ length: 0x800 }, (_, index) => code + index)));
    }
    await begin(store, 'b', everything);
    assert.deepEqual(await texts(store, 'b'), everything);
  });

  test(`[ST9] ${name}: a log may have any name; names are listed sorted by code unit`, async (t) => {
    const store = await create(t).open();
    assert.deepEqual(await store.logs(), []);
    const names = [
      'forest',
      'Forest',
      'root-1',
      'root-1/child',
      'root-10',
      '../../etc/passwd',
      '..',
      '.',
      '/',
      'a\\b',
      ' ',
      'a b',
      'a%2Fb',
      'nul\0nul',
      'nul',
      "'; DROP TABLE logs; --",
      'é',
      'e\u0301',
      '\uFB01',
      '👩‍👩‍👧',
      'CON',
      '__proto__',
      'x'.repeat(5000),
    ];
    for (const log of names) await begin(store, log, [`in ${log}`]);
    assert.deepEqual(await store.logs(), names.sort());
    for (const log of names) assert.deepEqual(await texts(store, log), [`in ${log}`]);
  });

  test(`[ST10] ${name}: a request that no store could accept is rejected as a mistake, and nothing is written`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one']);
    const wrong: [log: string, request: AppendRequest][] = [
      ['a', { epoch, expectedSeq: 1, records: [] }],
      ['a', { epoch, expectedSeq: 1, records: [{ seq: 3, text: 'gap' }] }],
      ['a', { epoch, expectedSeq: 1, records: [{ seq: 1, text: 'again' }] }],
      [
        'a',
        {
          epoch,
          expectedSeq: 1,
          records: [
            { seq: 2, text: 'x' },
            { seq: 4, text: 'gap' },
          ],
        },
      ],
      [
        'a',
        {
          epoch,
          expectedSeq: 1,
          records: [
            { seq: 2, text: 'x' },
            { seq: 2, text: 'twice' },
          ],
        },
      ],
      ['a', request(epoch, -1, ['x', 'y'])],
      ['a', request(epoch, 0.5, ['x'])],
      ['a', request(epoch, Number.NaN, ['x'])],
      ['a', request(epoch, 2 ** 32 - 1, ['x'])],
      ['a', request(epoch, 1, ['fine', 'lone \uD800 surrogate'])],
      ['b', request(undefined, 1, ['no log, but a seq'])],
      ['', request(undefined, 0, ['no name'])],
      ['lone \uDC00', request(undefined, 0, ['x'])],
    ];
    for (const [log, mistake] of wrong) {
      await assert.rejects(store.append(log, mistake), (error) => {
        assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
        return true;
      });
    }
    assert.deepEqual([await store.logs(), await texts(store, 'a')], [['a'], ['one']]);
  });

  test(`[ST11] ${name}: what was handed in or out may be changed without changing what is stored`, async (t) => {
    const store = await create(t).open();
    const given = request(undefined, 0, ['one', 'two']);
    const answer = store.append('a', given);
    given.records.forEach((record) => (record.text = 'changed'));
    given.records.length = 1;
    const { epoch } = await answer.then((result) => (result.ok ? result : result.conflict));
    const contents = await store.read('a', 0);
    const result = await store.append('a', request(epoch, 1, ['late']));
    for (const taken of [contents?.records, result.ok ? undefined : result.conflict.tail]) {
      assert.ok(taken !== undefined && taken.length > 0);
      taken.forEach((record) => (record.text = 'changed'));
      taken.length = 0;
    }
    assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
  });
}
