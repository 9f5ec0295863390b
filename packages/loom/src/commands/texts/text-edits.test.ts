import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { ForestFolder } from '../../testing/forest-folder.ts';

/** A conversation whose first answer, node-2, has the lines a to e. */
async function fiveLines(folder: ForestFolder): Promise<string> {
  const { root } = await folder.say('echo a\nb\nc\nd\ne');
  return root;
}

const textOf = (folder: ForestFolder): Promise<string> => folder.succeed(['read', 'node-2', '--plain']);

test('[TX5] edit-lines replaces, inserts and deletes lines, and shows what differs', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const out = await folder.succeed(['edit-lines', 'node-2', '--replace', '1:3', '--with', 'B']);
  assert.match(out, /^Changed node-2; it has version \d+ now\.\n@@ .* @@\n a\n-b\n-c\n\+B\n d\n/);
  assert.equal(await textOf(folder), 'a\nB\nd\ne');
  await folder.succeed(['edit-lines', 'node-2', '--insert', '0', '--with', '-'], { input: 'zero\n\n' });
  assert.equal(await textOf(folder), 'zero\n\na\nB\nd\ne');
  await folder.succeed(['edit-lines', 'node-2', '--insert', 'end', '--with', 'f']);
  await folder.succeed(['edit-lines', 'node-2', '--delete', '0-1']);
  assert.equal(await textOf(folder), 'a\nB\nd\ne\nf');
  await folder.succeed(['edit-lines', 'node-2', '--delete', '3:']);
  assert.equal(await textOf(folder), 'a\nB\nd');
  assert.equal(
    await folder.succeed(['edit-lines', 'node-2', '--replace', '0', '--with', 'a']),
    'node-2 says that already.\n',
  );
});

test('[TX6] wrong combinations of options are usage errors, and change nothing', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const wrong: [string[], RegExp][] = [
    [[], /needs --replace, --insert, --delete or --ops/],
    [['--insert', '0'], /--insert needs --with/],
    [['--replace', '0'], /--replace needs --with/],
    [['--insert', '0', '--delete', '1'], /--insert and --delete exclude each other/],
    [['--delete', '1', '--with', 'x'], /--with does not go with --delete/],
    [['--insert', '1', '--with', 'x', '--expect', 'y'], /--expect does not go with --insert/],
    [['--ops', '-', '--with', 'x'], /--with does not go with --ops/],
    [['--insert', 'first', '--with', 'x'], /--insert needs a line, or end, not "first"/],
    [['--insert', '0', '--with', 'x', '--base-version', 'new'], /--base-version needs a whole number/],
  ];
  for (const [args, message] of wrong) {
    const { code, out, note } = await folder.run(['edit-lines', 'node-2', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(note, message);
  }
  for (const args of [
    ['read', 'node-2', '--plain', '--json'],
    ['history', 'node-2', '--diff', '1', '--limit', '2'],
    ['history', 'node-2', '--diff', '1:2:3'],
    ['search', 'x', '--context', '101'],
    ['search', 'x', '--kind', 'txt'],
    ['undo', 'node-2', 'node-1'],
  ]) {
    assert.equal((await folder.run(args)).code, 2, args.join(' '));
  }
  assert.equal(await textOf(folder), 'a\nb\nc\nd\ne');
});

test('[TX7] lines that are not what was expected are compared with it, and stay', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const args = ['edit-lines', 'node-2', '--replace', '1:3', '--with', 'x', '--expect'];
  const { code, out, note } = await folder.run([...args, 'b\nC']);
  assert.deepEqual([code, out], [1, '']);
  assert.equal(
    note,
    `loom: lines 1 to 2 of node-2 are not what was expected:
--- expected
+++ there
 b
-C
+c
Read it again: loom read node-2 --lines 1:3 --data-dir ${folder.dataDir}
`,
  );
  const failure = z.looseObject({ error: z.looseObject({ code: z.string(), actual: z.string() }) });
  const { error } = failure.parse(JSON.parse((await folder.run([...args, 'C', '--json'])).out));
  assert.deepEqual([error.code, error.actual], ['text-mismatch', 'b\nc\n']);
  await folder.succeed([...args, 'b\r\nc']);
  assert.equal(await textOf(folder), 'a\nx\nd\ne');
});

test('[TX8] several operations are made together, or none of them', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const run = (operations: unknown): ReturnType<ForestFolder['run']> =>
    folder.run(['edit-lines', 'node-2', '--ops', '-'], { input: JSON.stringify(operations) });
  const insert = { op: 'insert', line: 0, content: 'zero' };
  const { code, note } = await run([insert, { op: 'delete', start_line: 3, end_line: 9 }]);
  assert.equal(code, 1);
  assert.match(note, /^loom: operation 2 failed, so none was applied: node-2 has no line 9\nIt has 5 lines/);
  const wrong = await run([{ op: 'insert', line: 0 }]);
  assert.match(wrong.note, /the operations cannot be used: operations\[0\]\.content must be a string\n/);
  assert.match((await run([])).note, /the operations cannot be used: operations must not be empty\n/);
  assert.equal((await folder.run(['edit-lines', 'node-2', '--ops', '-'], { input: '{' })).code, 1);
  assert.equal((await folder.run(['edit-lines', 'node-2', '--ops', join(folder.dataDir, 'none')])).code, 1);
  assert.equal(await textOf(folder), 'a\nb\nc\nd\ne');
  const file = join(folder.dataDir, 'operations.json');
  writeFileSync(file, JSON.stringify([insert, { op: 'replace', start_line: 4, end_line: 5, content: 'E' }]));
  await folder.succeed(['edit-lines', 'node-2', '--ops', file]);
  assert.equal(await textOf(folder), 'zero\na\nb\nc\nd\nE');
});

test('[TX9] lines of an older version are carried along, and refused if they were changed', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const read = z.looseObject({ version: z.int() });
  const { version } = read.parse(JSON.parse(await folder.succeed(['read', 'node-2', '--json'])));
  await folder.succeed(['edit-lines', 'node-2', '--replace', '0', '--with', 'A\nA']);
  const base = ['--base-version', `${version}`];
  await folder.succeed(['edit-lines', 'node-2', '--replace', '4:', '--with', 'E', ...base]);
  assert.equal(await textOf(folder), 'A\nA\nb\nc\nd\nE');
  const { code, note } = await folder.run(['edit-lines', 'node-2', '--delete', '0', ...base]);
  assert.equal(code, 1);
  assert.match(note, /line 0 of node-2 changed since that version/);
  const none = await folder.run(['edit-lines', 'node-2', '--delete', '0', '--base-version', '99']);
  assert.match(none.note, /has no version 99\nloom history node-2 --data-dir .* lists/);
});

/** Moves c to upper case, made for a text that is two lines shorter. */
const patch = '--- a\n+++ b\n@@ -1,3 +1,3 @@\n b\n-c\n+C\n d\n';

test('[TX10] patch tells the offset of each hunk, and changes nothing if one does not fit', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  const { code, out, note } = await folder.run(['patch', 'node-2'], {
    input: patch.replaceAll('-1,3 +1,3', '-3,3 +3,3'),
  });
  assert.equal(code, 0, note);
  assert.match(out, /^Changed node-2; it has version \d+ now\.\n@@ .* @@\n a\n b\n-c\n\+C\n/);
  assert.match(note, /^Hunk 1: 1 line above where it says \(offset -1\)\.$/m);
  assert.equal(await textOf(folder), 'a\nb\nC\nd\ne');
  const again = await folder.run(['patch', 'node-2', '-'], { input: patch });
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(
    again.note,
    /^loom: hunk 1 of 1 .*\nnode-2 is as it was\. To see its text: loom read node-2 --plain --data-dir \S+\n$/,
  );
  assert.equal((await folder.run(['patch', 'node-2'], { input: 'hello' })).code, 1);
  assert.match((await folder.run(['patch', 'node-2', join(folder.dataDir, 'none')])).note, /there is no file/);
  assert.match((await folder.run(['patch', 'node-2', folder.dataDir])).note, /cannot be read/);
  assert.equal(await textOf(folder), 'a\nb\nC\nd\ne');
  const file = join(folder.dataDir, 'fix.diff');
  writeFileSync(file, '@@ -5 +5 @@\n-e\n\\ No newline at end of file\n+E\n\\ No newline at end of file\n');
  const done = z.looseObject({ ok: z.literal(true), offsets: z.array(z.int()) });
  assert.deepEqual(done.parse(JSON.parse(await folder.succeed(['patch', 'node-2', file, '--json']))).offsets, [0]);
  assert.equal(await textOf(folder), 'a\nb\nC\nd\nE');
});

test('[TX12] an edit under what follows says what it costs, and how to take it back', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one', '-m', 'demo:thinking');
  await folder.say('echo two', '--continue', '-m', 'demo:thinking');
  const args = ['edit-lines', 'node-1', '--replace', '0', '--with', 'echo other'];
  const costs =
    /ends with node-4: about \d+ tokens are paid again, 2 thoughts .*\. To take it back: loom undo node-1 --data-dir \S+\n$/;
  assert.match((await folder.run(args)).note, costs);
  const { out, note } = await folder.run(['undo', 'node-1']);
  assert.match(out, /^Undid your last edit of node-1; it has version 3 now\./);
  assert.equal(note, '');
  const answer = z.looseObject({ ok: z.literal(true), version: z.literal(4), price: z.string() });
  answer.parse(JSON.parse(await folder.succeed([...args, '--json'])));
});

test('[TX13] undo and redo of a text act on the person and on that text alone', async (context) => {
  const folder = new ForestFolder(context);
  await fiveLines(folder);
  await folder.succeed(['edit-lines', 'node-2', '--delete', '1:']);
  await folder.succeed(['edit-lines', 'node-2', '--insert', 'end', '--with', 'z']);
  await folder.succeed(['edit-lines', 'node-1', '--insert', '0', '--with', 'first']);
  await folder.succeed(['undo', 'node-2']);
  assert.equal(await textOf(folder), 'a');
  assert.match(await folder.succeed(['undo', 'node-2']), /^Undid your last edit of node-2; .*\n@@/);
  assert.equal(await textOf(folder), 'a\nb\nc\nd\ne', 'what the model said stays');
  const { code, note } = await folder.run(['undo', 'node-2']);
  assert.equal(code, 1);
  assert.match(note, /you have nothing to undo in node-2/);
  assert.match(await folder.succeed(['redo', 'node-2']), /^Did again your last edit of node-2/);
  assert.equal(await textOf(folder), 'a');
  assert.match(await folder.succeed(['read', 'node-1', '--plain']), /^first\n/);
});

test('[TX14] undo and redo without a text act on the last change of the conversation that was changed last', async (context) => {
  const folder = new ForestFolder(context);
  const first = await fiveLines(folder);
  const { root: second } = await folder.say('echo two');
  await folder.succeed(['edit-lines', `${first}/node-2`, '--replace', '0', '--with', 'first']);
  await folder.succeed(['bookmark', 'add', `${second}/node-2`, 'good']);
  await folder.succeed(['bookmark', 'remove', `${second}/node-2`]);
  await folder.succeed(['rm', `${second}/node-2`]);
  await folder.succeed(['rm', second]);
  const undone = `Undone in ${second} (echo two): `;
  assert.equal(await folder.succeed(['undo']), `${undone}the conversation is back.\n`);
  assert.equal(await folder.succeed(['undo']), `${undone}node-2 is back.\n`);
  assert.equal(await folder.succeed(['undo']), `${undone}node-2 is bookmarked good.\n`);
  assert.equal(await folder.succeed(['redo']), `Done again in ${second} (echo two): node-2 has no bookmark.\n`);
  await folder.succeed(['edit-lines', `${first}/node-2`, '--delete', '1']);
  const effects = z.looseObject({ ok: z.literal(true), root: z.literal(first), effects: z.array(z.string()) });
  assert.deepEqual(effects.parse(JSON.parse(await folder.succeed(['undo', '--json']))).effects, [
    'the text of node-2 is changed (+2 characters)',
  ]);
  assert.match(await folder.succeed(['undo']), /the text of node-2 is changed \(\+2 −6 characters\)\.\n$/);
  assert.equal(await folder.succeed(['read', `${first}/node-2`, '--plain']), 'a\nb\nc\nd\ne');
});

test('[TX14] undo takes back what was edited by hand in a file, and redo brings it again', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo two');
  const path = join(folder.dataDir, root, 'nodes/node-2.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"text": "two', '"text": "three'));
  const done = `in ${root} (echo two): the text of node-2 is changed`;
  assert.equal(await folder.succeed(['undo']), `Undone ${done} (+2 −4 characters).\n`);
  assert.equal(await folder.succeed(['read', `${root}/node-2`, '--plain']), 'two');
  await folder.succeed(['redo']);
  assert.equal(await folder.succeed(['read', `${root}/node-2`, '--plain']), 'three');
});

test('[TX15] what was answered, and nothing at all, is not undone', async (context) => {
  const folder = new ForestFolder(context);
  assert.match((await folder.run(['undo'])).note, /there is no conversation in /);
  await fiveLines(folder);
  const answered = await folder.run(['undo']);
  assert.deepEqual([answered.code, answered.out], [1, '']);
  assert.match(
    answered.note,
    /changed since\nA message that was answered cannot be undone: loom rm --data-dir \S+ deletes it/,
  );
  const nothing = await folder.run(['redo']);
  assert.equal(nothing.code, 1);
  assert.match(nothing.note, /you have nothing to redo in root-.* \(echo a b c d e\)\n/);
});
