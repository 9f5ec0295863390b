import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closePath } from '../../../testing/closed-path.ts';
import { ForestFolder } from '../../../testing/forest-folder.ts';

for (const what of ['log.jsonl', 'folder'] as const) {
  test(`[FC26] [DR5] a conversation whose ${what} may not be opened does not keep the others from being read, and is left as it is`, async (context) => {
    const folder = new ForestFolder(context, 'files');
    const { root } = await folder.say('echo the first needle');
    const { root: other } = await folder.say('echo the second needle');
    const before = photograph(join(folder.dataDir, root));
    const giveBack = closePath(context, join(folder.dataDir, root, ...(what === 'folder' ? [] : [what])));

    const listed = await folder.run(['ls']);
    assert.equal(listed.code, 0, listed.note);
    assert.match(listed.out, new RegExp(`^${other} .*2 nodes$`, 'mu'));
    assert.match(listed.out, new RegExp(`^${root} .*no permission$`, 'mu'));
    const line = `${root} cannot be read and was left out: you do not have permission to open .*log\\.jsonl \\(EACCES\\)\\. .*Correct the permissions`;
    assert.match(listed.note, new RegExp(`^${line}.*\n`, 'u'));
    const drawn = await folder.run(['tree']);
    assert.deepEqual([drawn.code, drawn.out.includes(other), drawn.out.includes(root)], [0, true, false]);
    assert.match(await folder.succeed(['show', other]), /the second needle/u);
    const found = await folder.run(['search', 'needle']);
    assert.deepEqual([found.code, found.out.includes('second'), found.out.includes('first')], [0, true, false]);
    const named = await folder.run(['show', root]);
    assert.deepEqual([named.code, named.out], [1, '']);
    assert.match(
      named.note,
      /^loom: you do not have permission to open .*\nNothing was changed\. Correct the permissions/u,
    );

    const examined = await folder.run(['doctor']);
    assert.equal(examined.code, 1, examined.note);
    assert.match(
      examined.out,
      new RegExp(`^broken log ${root}: you do not have permission to open .*Correct the permissions`, 'mu'),
    );
    assert.match(examined.out, /^2 conversations with 2 messages/mu);

    await folder.succeed(['chat', '--continue', '-p', 'echo more']);
    assert.match(await folder.succeed(['show', other]), /more/u);
    const refused = await folder.run(['chat', '--node', root, '-p', 'echo more']);
    assert.equal(refused.code, 1);
    assert.match(refused.note, /^loom: you do not have permission to open/u);
    assert.equal(
      (await folder.run(['backup', join(folder.dataDir, '../copy')])).code,
      1,
      'a part was left out silently',
    );

    giveBack();
    assert.deepEqual(photograph(join(folder.dataDir, root)), before);
    assert.match(await folder.succeed(['show', root]), /the first needle/u);
    assert.match(await folder.succeed(['doctor']), /all is well/u);
  });
}

test('[FC26] sqlite: a conversation whose folder may not be opened goes on in the database', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo the first needle');
  closePath(context, join(folder.dataDir, root));
  for (const line of [
    ['show', root],
    ['chat', '--node', root, '-p', 'echo more'],
    ['backup', join(folder.dataDir, '../copy')],
  ]) {
    const { code, note } = await folder.run(line);
    assert.equal(code, 0, `${line.join(' ')}: ${note}`);
  }
  for (const line of [['doctor'], ['migrate', '--dry-run'], ['tree']]) {
    const { code, note } = await folder.run(line);
    assert.ok(code < 2, `${line.join(' ')}: ${note}`);
  }
});

test('[FC1] a lock that cannot be opened is told as that', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  rmSync(join(folder.dataDir, 'loom.lock'));
  // Root may open anything: a folder in its place fails in the same way as missing rights.
  mkdirSync(join(folder.dataDir, 'loom.lock'));
  for (const line of [['ls'], ['doctor'], ['chat', '-p', 'echo two']]) {
    const { code, note } = await folder.run(line);
    assert.equal(code, 1, note);
    assert.match(note, /^loom: .*loom\.lock cannot be opened\n.*Correct the permissions/u);
  }
});

test('[FC23] a node file that may not be read is told of and left as it is, and the others are looked at', async (context) => {
  const folder = new ForestFolder(context, 'files');
  const { root, node } = await folder.say('echo the first needle');
  const [first = '', second = ''] = [1, 2].map((number) => join(folder.dataDir, root, `nodes/node-${number}.json`));
  // As after a copy: another time.
  utimesSync(first, new Date(0), new Date(0));
  const before = photograph(first);
  const giveBack = closePath(context, first);
  const shown = await folder.run(['show', root]);
  assert.match(shown.out, /the first needle/u);
  assert.match(shown.note, new RegExp(`^A file of ${root} was changed and may not be read: EACCES.*node-1`, 'u'));
  const { out } = await folder.run(['doctor']);
  assert.match(out, /^shown file .*could not be written or read \(EACCES.*node-1\.json/mu);
  await folder.succeed(['chat', '--node', node, '-p', 'echo more']);
  assert.match(readFileSync(join(folder.dataDir, root, 'nodes/node-4.json'), 'utf8'), /more/u);
  assert.match(readFileSync(second, 'utf8'), /"child_ids": \[\s*"/u);
  giveBack();
  assert.deepEqual(photograph(first), before);
});

/** Returns the contents and times of a file, or of every file below a folder. */
function photograph(path: string): unknown[] {
  const { mtimeMs } = statSync(path);
  if (statSync(path).isFile()) return [path, mtimeMs, readFileSync(path, 'utf8')];
  return [path, mtimeMs, ...readdirSync(path).flatMap((name) => photograph(join(path, name)))];
}
