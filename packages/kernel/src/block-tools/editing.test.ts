import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFaults } from '@loom/stores/memory';
import type { AppendFault } from '@loom/stores/memory';
import { modelWords } from '../operations/model-words.ts';
import { assertWhole, createToolWorld, done, refused, toolsOver } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';

const poem = 'one\ntwo\nthree\n';

test('[BT20] lines are inserted, deleted and replaced, all counted in the text before the batch', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const answer = await world.tools.edit(world.by(), {
    block_id,
    operations: [
      { op: 'insert', line: 3, content: 'four' },
      { op: 'delete', start_line: 0, end_line: 1, expected_text: 'one' },
      { op: 'replace', start_line: 1, end_line: 2, content: 'zwei\nund', expected_text: 'two\n' },
    ],
  });
  assert.deepEqual(answer, { version: 2 });
  assert.equal(await world.text(block_id), 'zwei\nund\nthree\nfour\n');
  assert.equal(done(await world.tools.read({ block_id })).status, 'done', 'an edit of a done block keeps it done');
});

test('[BT20] a batch of which one operation puts back what another one takes out makes no version', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'a\nb\n' });
  const operations = [
    { op: 'delete' as const, start_line: 1, end_line: 2 },
    { op: 'insert' as const, line: 2, content: 'b' },
  ];
  assert.deepEqual(await world.tools.edit(world.by(), { block_id, operations }), { version: 1 });
  refused(await world.tools.undo(world.by(), { block_id }), 'nothing-to-undo');
  const other = operations.with(1, { op: 'insert', line: 2, content: 'c' });
  assert.deepEqual(await world.tools.edit(world.by(), { block_id, operations: other }), { version: 2 });
  assert.equal(await world.text(block_id), 'a\nc\n');
});

test('[BT20] an edit that changes nothing makes no version and is nothing to undo', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const operations = [{ op: 'replace' as const, start_line: 0, end_line: 1, content: '' }];
  const same = [{ op: 'replace' as const, start_line: 1, end_line: 1, content: '' }];
  assert.deepEqual(await world.tools.edit(world.by(), { block_id, operations: same }), { version: 1 });
  assert.deepEqual(await world.tools.splice(world.by(), { block_id, offset: 3, delete_count: 0 }), { version: 1 });
  refused(await world.tools.undo(world.by(), { block_id }), 'nothing-to-undo');
  assert.deepEqual(await world.tools.edit(world.by(), { block_id, operations }), { version: 2 });
});

test('[BT21] a batch whose second operation fails leaves text, version and log as they were', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const { seq } = await world.state();
  const first = { op: 'replace' as const, start_line: 0, end_line: 1, content: 'ONE' };
  const mismatch = await world.tools.edit(world.by(), {
    block_id,
    operations: [first, { op: 'replace', start_line: 1, end_line: 2, content: 'TWO', expected_text: 'deux' }],
  });
  const refusal = refused(mismatch, 'batch-failed');
  assert.equal(refusal.op_index, 1);
  assert.equal(refusal.operations, 2);
  assert.deepEqual(refusal.refusal, {
    reason: 'text-mismatch',
    expected: 'deux',
    actual: 'two\n',
    start_line: 1,
    end_line: 2,
  });
  const outside = await world.tools.edit(world.by(), {
    block_id,
    operations: [first, { op: 'delete', start_line: 2, end_line: 9 }],
  });
  assert.equal(refused(outside, 'batch-failed').refusal.reason, 'line-out-of-range');
  const overlapping = await world.tools.edit(world.by(), {
    block_id,
    operations: [first, { op: 'delete', start_line: 0, end_line: 2 }],
  });
  assert.equal(refused(overlapping, 'batch-failed').refusal.reason, 'invalid-params');
  assert.deepEqual([await world.text(block_id), await world.version(block_id)], [poem, 1]);
  assert.equal((await world.state()).seq, seq);
  await assertWhole(world.engine.forest, world.root);
});

/** The tools of a process whose store fails as planned. */
function failing(world: ToolWorld, ...faults: (AppendFault | undefined)[]): ReturnType<typeof toolsOver> {
  const store = withFaults(world.store.share(), ({ number }) => faults[number - 1]);
  return toolsOver(world.another({ store }).forest, world.ids);
}

test('[BT21] a batch is there whole or not at all when the store fails or the process dies around its write', async () => {
  for (const fault of ['fail-before', 'fail-after'] as const) {
    const world = await createToolWorld();
    const block_id = await world.block({ content: poem });
    done(await world.tools.splice(world.by('bob'), { block_id, offset: 0, delete_count: 0, insert: '0\n' }));
    const operations = [
      { op: 'replace' as const, start_line: 0, end_line: 1, content: 'zero' },
      { op: 'insert' as const, line: 4, content: 'four' },
    ];
    const request = world.by();
    const tools = failing(world, fault);
    await assert.rejects(tools.edit(request, { block_id, operations }), { code: 'store-failed' });
    const whole = 'zero\none\ntwo\nthree\nfour\n';
    const now = fault === 'fail-before' ? `0\n${poem}` : whole;
    assert.equal(await world.text(block_id), now, `${fault}: another process sees all or nothing`);
    assert.equal(await world.version(block_id), fault === 'fail-before' ? 2 : 3);
    assert.equal(done(await tools.read({ block_id, line_numbers: false })).content, now, 'and so does this one');
    for (const again of [tools, world.restarted()]) {
      assert.deepEqual(await again.edit(request, { block_id, operations }), { version: 3 }, 'repeating finds out');
    }
    assert.equal(await world.text(block_id), whole);
    done(await world.restarted().undo(world.by(), { block_id }));
    assert.equal(await world.text(block_id), `0\n${poem}`);
    await assertWhole(world.engine.forest, world.root);
  }
});

test('[BT21] an edit that was overtaken by another process is made on what that one wrote', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const other = failing(world, 'conflict', 'conflict');
  const operations = [{ op: 'insert' as const, line: 3, content: 'four' }];
  assert.deepEqual(await other.edit(world.by('bob'), { block_id, operations }), { version: 2 });
  const both = await Promise.all([
    world.tools.edit(world.by(), { block_id, operations: [{ op: 'insert', line: 0, content: 'zero' }] }),
    other.edit(world.by('bob'), { block_id, operations: [{ op: 'insert', line: 4, content: 'five' }] }),
    world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: '>' }),
    other.undo(world.by('bob'), { block_id }),
  ]);
  assert.deepEqual(new Set(both.map((answer) => done(answer).version)), new Set([3, 4, 5, 6]));
  await assertWhole(world.engine.forest, world.root);
  assert.equal(await world.text(block_id), done(await other.read({ block_id, line_numbers: false })).content);
});

test('[BT22] expected_text lets an edit through exactly when the lines say that, whatever their line ends', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'a\r\nb\r\n' });
  const replace = (expected_text: string) =>
    world.tools.edit(world.by(), {
      block_id,
      operations: [{ op: 'replace', start_line: 0, end_line: 2, content: 'a\nb', expected_text }],
    });
  for (const wrong of ['a', 'a\nb\n\n', 'a b', ' a\nb', 'A\nB']) refused(await replace(wrong), 'text-mismatch');
  for (const right of ['a\nb', 'a\r\nb\r\n', 'a\nb\n']) done(await replace(right));
  assert.deepEqual([await world.text(block_id), await world.version(block_id)], ['a\r\nb\r\n', 1]);
});

test('[BT23] base_version names the text whose lines are meant; what others did elsewhere is carried along', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  done(
    await world.tools.edit(world.by('bob'), {
      block_id,
      operations: [{ op: 'insert', line: 0, content: 'zero\nhalf' }],
    }),
  );
  const operations = [{ op: 'replace' as const, start_line: 1, end_line: 2, content: 'TWO', expected_text: 'two' }];
  assert.deepEqual(await world.tools.edit(world.by(), { block_id, base_version: 1, operations }), { version: 3 });
  assert.equal(await world.text(block_id), 'zero\nhalf\none\nTWO\nthree\n');
  refused(await world.tools.edit(world.by('bob'), { block_id, base_version: 1, operations }), 'version-mismatch');
  refused(await world.tools.edit(world.by(), { block_id, base_version: 9, operations }), 'version-not-found');
  refused(await world.tools.edit(world.by(), { block_id, base_version: 0, operations }), 'version-not-found');
  done(await world.tools.undo(world.by(), { block_id }));
  assert.deepEqual(
    await world
      .restarted()
      .edit(world.by(), { block_id, base_version: 2, operations: [{ op: 'delete', start_line: 4, end_line: 5 }] }),
    { version: 5 },
  );
  assert.equal(await world.text(block_id), 'zero\nhalf\none\ntwo\n');
});

test('[BT23] base_version holds while others write at the same time, and after the text was replaced as a whole', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const last = (content: string) => ({
    block_id,
    base_version: 1,
    operations: [{ op: 'insert' as const, line: 3, content }],
  });
  const answers = await Promise.all([
    world.tools.edit(world.by('bob'), last('b')),
    world.tools.edit(world.by('cyd'), last('c')),
    world.tools.splice(world.by('dan'), { block_id, offset: 0, delete_count: 0, insert: 'zero\n' }),
    world.tools.edit(world.by(), {
      block_id,
      base_version: 1,
      operations: [{ op: 'delete', start_line: 0, end_line: 1 }],
    }),
  ]);
  assert.deepEqual(new Set(answers.map((answer) => done(answer).version)), new Set([2, 3, 4, 5]));
  assert.deepEqual((await world.text(block_id)).split('\n').toSorted(), ['', 'b', 'c', 'three', 'two', 'zero']);
  const content = { type: 'text' as const, text: 'something else' };
  const replaced = await world.engine.forest.editBlock(world.by(), world.root, { block: block_id, content });
  assert.ok(replaced.ok);
  const operations = [{ op: 'delete' as const, start_line: 0, end_line: 1 }];
  refused(await world.tools.edit(world.by(), { block_id, base_version: 2, operations }), 'version-mismatch');
});

test('[BT25] a splice counts in UTF-8 bytes and never cuts a code point', async () => {
  const world = await createToolWorld();
  const family = '👩‍👩‍👧';
  const block_id = await world.block({ content: `é${family}\r\nz` });
  const bytes = Buffer.byteLength(family);
  const splice = (offset: number, delete_count: number, insert?: string) =>
    world.tools.splice(world.by(), { block_id, offset, delete_count, ...(insert === undefined ? {} : { insert }) });
  for (const [offset, count] of [
    [1, 0],
    [3, 0],
    [0, 1],
    [2, 3],
    [2 + bytes - 1, 1],
    [99, 0],
    [0, 99],
    [Number.MAX_SAFE_INTEGER, 1],
  ] as const) {
    const where =
      Math.max(offset, offset + count) >= 99 ? /after the end of the text, which has 23 bytes/ : /inside a character/;
    assert.match(modelWords(refused(await splice(offset, count), 'invalid-params')), where, `${offset} ${count}`);
  }
  assert.equal(await world.version(block_id), 1);
  assert.deepEqual(await splice(2 + bytes, 1, '\n'), { version: 2 });
  assert.equal(await world.text(block_id), `é${family}\n\nz`, 'half of a line break is a byte of its own');
  done(await splice(2, 7));
  assert.equal(await world.text(block_id), `é👩‍👧\n\nz`, 'a family may lose a member: each is a code point');
  done(await splice(0, 2, 'a\0b\uDC00'));
  assert.equal(await world.text(block_id), 'a\uFFFDb\uFFFD👩‍👧\n\nz');
  const length = Buffer.byteLength(await world.text(block_id));
  done(await splice(length, 0, '!'));
  done(await splice(0, length + 1));
  assert.equal(await world.text(block_id), '');
  done(await splice(0, 0, 'new'));
  await assertWhole(world.engine.forest, world.root);
});

const patch = '--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n';

test('[BT26] a patch is applied exactly or at an offset, told in offsets; dry_run only says whether it would be', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  const dry = await world.patch(world.by(), { block_id, patch, dry_run: true });
  assert.deepEqual(dry, { success: true, offsets: [0] });
  assert.deepEqual([await world.text(block_id), await world.version(block_id)], [poem, 1]);
  const request = world.by();
  assert.deepEqual(await world.patch(request, { block_id, patch }), {
    success: true,
    version: 2,
    offsets: [0],
  });
  assert.equal(await world.text(block_id), 'one\nTWO\nthree\n');
  assert.deepEqual(await world.patch(request, { block_id, patch }), { success: true, version: 2 }, 'repeated');
  done(await world.tools.undo(world.by(), { block_id }));
  done(
    await world.tools.edit(world.by('bob'), { block_id, operations: [{ op: 'insert', line: 0, content: '-1\n0' }] }),
  );
  assert.deepEqual(await world.patch(world.by(), { block_id, patch }), {
    success: true,
    version: 5,
    offsets: [2],
  });
  assert.equal(await world.text(block_id), '-1\n0\none\nTWO\nthree\n');
});

test('[BT26] what keeps a patch from being applied is listed in errors, also by dry_run, and nothing is changed', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'other\ntext\n' });
  const missing = `${world.root}/@ann/99`;
  const cases: [id: string, patch: string][] = [
    [block_id, patch],
    [block_id, 'no patch'],
    [block_id, ''],
    [missing, patch],
    ['nowhere', patch],
  ];
  for (const [id, given] of cases) {
    for (const dry_run of [true, false]) {
      const answer = await world.patch(world.by(), { block_id: id, patch: given, dry_run });
      assert.equal(answer.success, false);
      assert.ok(
        (answer.errors ?? []).length > 0 && answer.errors?.every((error) => error.length > 10),
        `${id} ${given}`,
      );
      assert.equal(answer.version, undefined);
    }
  }
  assert.equal(await world.version(block_id), 1);
});

test('[BT27] many calls at once are made one after the other, each a version of its own', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const appends = Array.from({ length: 50 }, (_, index) =>
    world.tools.append(world.by(), { block_id, text: `${index}\n` }),
  );
  const versions = (await Promise.all(appends)).map((answer) => done(answer).version);
  assert.deepEqual(
    versions,
    Array.from({ length: 50 }, (_, index) => index + 2),
  );
  assert.equal(await world.text(block_id), Array.from({ length: 50 }, (_, index) => `${index}\n`).join(''));
});

test('[BT28] the first edit of a text that was edited often lets others have their turn, and so does a client that joins', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: poem });
  for (let count = 0; count < 4_100; count += 1) {
    const offset = count % 7 === 0 ? 0 : 4 + count;
    done(await world.tools.splice(world.by(), { block_id, offset, delete_count: 0, insert: 'x' }));
  }
  const restart = () => {
    let turns = 0;
    const after = (milliseconds: number, callback: () => void) => {
      // Lists gather their news for a moment.
      if (milliseconds > 0) return () => {};
      turns += 1;
      setImmediate(callback);
      return () => assert.fail('no caller waits for it any more');
    };
    const clock = { now: () => 0, after };
    return { tools: toolsOver(world.another({ clock }).forest, world.ids), turns: () => turns };
  };
  const joined = restart();
  const { update } = done(await joined.tools.document(block_id));
  assert.equal(update, done(await world.tools.document(block_id)).update);
  assert.equal(joined.turns(), 2);
  const edited = restart();
  const splice = { block_id, offset: 1, delete_count: 2, insert: 'first' };
  const [first, second] = [edited.tools.splice(world.by(), splice), edited.tools.undo(world.by(), { block_id })];
  assert.deepEqual([done(await first).version, done(await second).version], [4_102, 4_103]);
  assert.equal(edited.turns(), 2);
  await assertWhole(world.engine.forest, world.root);
});
