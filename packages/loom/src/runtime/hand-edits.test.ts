import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { nodeJson } from '@loom/kernel';
import { ForestFolder } from '../testing/forest-folder.ts';
import { withReader, withWriter } from './opened-folder.ts';
import { asOnlyWriter } from '@loom/data-folder';
import { STORE_KINDS } from '@loom/data-folder/store-kind';

test('[FC21] a reader sees what was written into the files', async (context) => {
  for (const args of [
    ['show', 'node-2'],
    ['tree', 'node-1'],
    ['read', 'node-1', '--plain'],
    ['history', 'node-1', '--diff', '1'],
    ['search', 'brave'],
  ]) {
    const { folder, path, edit } = await talkedIn(context);
    edit('echo new', 'echo brave');
    const { code, out, note } = await folder.run(args);
    assert.equal(code, 0, note);
    assert.match(out, /brave/u, args.join(' '));
    assert.match(note, /node-1\.json was edited: the edit is now change \d+ of root-/u);
    const again = await folder.run(args);
    assert.deepEqual([again.out, again.note.includes('was edited')], [out, false]);
    assert.match(readFileSync(path.file, 'utf8'), /brave/u);
  }
});

test('[FC21] what was taken out of a file is not found any more, and undo by the name of the text brings it back', async (context) => {
  const { folder, edit } = await talkedIn(context);
  edit('echo new', 'echo brave');
  const gone = await folder.run(['search', '-F', 'echo new']);
  assert.deepEqual([gone.code, gone.out], [1, '']);
  await folder.succeed(['undo', 'node-1']);
  assert.match(await folder.succeed(['search', '-F', 'echo new']), /echo new/u);
});

test('[FC21] nothing but the look makes the difference: without it the log is shown as it was', async (context) => {
  const { folder, path, edit } = await talkedIn(context);
  edit('echo new', 'echo brave');
  const words = (files: boolean): Promise<string> =>
    withReader({ dataDir: folder.dataDir, files, note: () => {} }, async (loom) =>
      JSON.stringify(nodeJson(await loom.open(path.root), `${path.root}/node-1`)),
    );
  assert.match(await words(false), /echo new/u);
  assert.match(await words(true), /echo brave/u);
});

test('[FC21] what was read before the look is read again', async (context) => {
  const { folder, path, edit } = await talkedIn(context);
  await withReader({ dataDir: folder.dataDir, note: () => {} }, async (loom) => {
    const before = await loom.engine.forest.log(path.root).state();
    edit('echo new', 'echo brave');
    const after = await loom.open(path.root);
    assert.ok(after.seq > before.seq);
  });
});

test('[FC21] only a conversation that is opened is looked at, and with --json nothing is told', async (context) => {
  const { folder, path, edit } = await talkedIn(context);
  const other = await folder.say('echo other');
  edit('echo new', 'echo brave');
  const edited = readFileSync(path.file, 'utf8');
  await folder.succeed(['show', other.node]);
  assert.equal(readFileSync(path.file, 'utf8'), edited);
  const { out, note } = await folder.run(['show', `${path.root}/node-1`, '--json']);
  assert.match(out, /echo brave/u);
  assert.equal(note, '');
  assert.notEqual(readFileSync(path.file, 'utf8'), edited);
});

for (const store of STORE_KINDS) {
  test(`[FC21] ${store}: the list shows the title that was written into root.json, and the words of a first message`, async (context) => {
    const folder = new ForestFolder(context, store);
    const [titled, reworded] = [await folder.say('echo one'), await folder.say('echo two')];
    const edit = (name: string, from: RegExp, to: string): void => {
      const file = join(folder.dataDir, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    };
    edit(join(titled.root, 'root.json'), /\{/u, '{ "title": "By hand",');
    edit(join(reworded.root, 'nodes/node-1.json'), /echo two/u, 'echo three');
    const { out, note } = await folder.run(['ls']);
    assert.match(out, new RegExp(`^${titled.root}  By hand `, 'mu'));
    assert.match(out, new RegExp(`^${reworded.root}  echo three `, 'mu'));
    assert.equal(note.match(/was edited/gu)?.length, 2);
    const again = await folder.run(['ls']);
    assert.deepEqual([again.out, again.note], [out, '']);
  });
}

test('[FC21] a command that reads everything does not check the files of everything', async (context) => {
  const folder = new ForestFolder(context);
  await withWriter({ dataDir: folder.dataDir }, async ({ call }) => {
    for (let number = 0; number < 22; number += 1) {
      const made = await call('root.create', { config: { systemPrompt: `prompt ${number}` } });
      const root = made.ok ? made.value.root : assert.fail(JSON.stringify(made.refusal));
      await call('node.append', { parent: root, messages: [{ role: 'user', content: 'new' }] });
    }
  });
  for (const root of readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'))) {
    const file = join(folder.dataDir, root, 'nodes/node-1.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"new"', '"brave"'));
  }
  const { note } = await folder.run(['tree']);
  assert.equal(note.match(/was edited/gu)?.length, 20);
});

test('[FC22] where the folder is read-only nothing is written, the log is shown, and that is said', async (context) => {
  const { folder, edit } = await talkedIn(context);
  edit('echo new', 'echo brave');
  const before = photograph(folder.dataDir);
  chmodSync(folder.dataDir, 0o500);
  try {
    const { code, out, note } = await folder.run(['show', 'node-1']);
    assert.equal(code, 0, note);
    assert.match(out, /echo new/u);
    assert.match(note, /node-1\.json was changed and not taken in: .* cannot be written to/u);
    assert.deepEqual(photograph(folder.dataDir), before);
  } finally {
    chmodSync(folder.dataDir, 0o700);
  }
  // The same with rights: it is the folder that made the difference.
  assert.match(await folder.succeed(['show', 'node-1']), /echo brave/u);
  assert.notDeepEqual(photograph(folder.dataDir), before);
});

test('[FC22] a copy that cannot be written to is not taken for one that was edited', async (context) => {
  const { folder, path } = await talkedIn(context);
  const touched = new Date(Date.now() - 5_000_000);
  utimesSync(path.file, touched, touched);
  chmodSync(folder.dataDir, 0o500);
  try {
    const { code, out, note } = await folder.run(['show', 'node-1']);
    assert.equal(code, 0, note);
    assert.match(out, /echo new/u);
    assert.equal(note, '');
  } finally {
    chmodSync(folder.dataDir, 0o700);
  }
});

test('[FC22] an older conversation that was never changed stays as it is, with or without logs', async (context) => {
  const folder = new ForestFolder(context);
  const { root, file } = await makeOlder(folder);
  for (const isAdopted of [false, true]) {
    if (isAdopted) await folder.succeed(['chat', '-p', 'echo somewhere else']);
    // To know that no conversation has such a node, a writer reads them all.
    if (isAdopted) assert.equal((await folder.run(['rm', 'node-9'])).code, 1);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/echo \w+/u, `echo edited${String(isAdopted)}`));
    const before = photograph(join(folder.dataDir, root));
    const { out, note } = await folder.run(['show', `${root}/node-1`]);
    assert.deepEqual(photograph(join(folder.dataDir, root)), before);
    if (isAdopted) assert.match(note, /node-1\.json was changed and not taken in yet/u);
    assert.match(out, /echo editedfalse/u);
  }
});

test('[FC22] while another process writes, and while a file is half written, the log is shown', async (context) => {
  const { folder, path, edit } = await talkedIn(context);
  edit('echo new', 'echo brave');
  const writer = { holder: 'somebody' };
  const held = await asOnlyWriter(folder.dataDir, writer, () => folder.run(['show', 'node-1']));
  assert.deepEqual([held.code, /echo new/u.test(held.out), held.note], [0, true, '']);
  assert.match(await folder.succeed(['show', 'node-1']), /echo brave/u);

  const half = readFileSync(path.file, 'utf8').slice(0, 200);
  writeFileSync(path.file, half);
  const soon = new Date(Date.now() + 100);
  utimesSync(path.file, soon, soon);
  assert.match(await folder.succeed(['show', 'node-1']), /echo brave/u);
  assert.equal(readFileSync(path.file, 'utf8'), half);
  // No program has gone on writing it; a reader puts nothing aside all the same.
  utimesSync(path.file, 1, 1);
  assert.match((await folder.run(['show', 'node-1'])).note, /node-1\.json was written, but not as valid JSON/u);
  assert.equal(readFileSync(path.file, 'utf8'), half);
  await folder.succeed(['doctor']);
  assert.match(readFileSync(path.file, 'utf8'), /echo brave/u);
});

test('[FC23] [NW34] a file of a newer Loom stays, and every command that opens its conversation says so; so does doctor', async (context) => {
  const { folder, path, edit } = await talkedIn(context);
  edit('"format": 2', '"format": 1000');
  const newer = readFileSync(path.file, 'utf8');
  const told = /node-1\.json was written by a newer Loom \(format 1000\).*[\s\S]*Update Loom, or move the file away/u;
  for (let times = 0; times < 2; times += 1) {
    const { code, out, note } = await folder.run(['show', 'node-1']);
    assert.deepEqual([code, /echo new/u.test(out)], [0, true]);
    assert.match(note, told);
  }
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 0);
  assert.match(out, /^shown file /mu);
  assert.match(out, told);
  assert.equal(readFileSync(path.file, 'utf8'), newer);
  rmSync(path.file);
  await folder.succeed(['chat', '--continue', '-p', 'echo on']);
  assert.match(readFileSync(path.file, 'utf8'), /"format": 2/u);
});

test('[FC23] where there are no logs, files that cannot be read are told, five at a time', async (context) => {
  const folder = new ForestFolder(context);
  const { root, file } = await makeOlder(folder);
  for (let number = 10; number < 17; number += 1) {
    writeFileSync(join(folder.dataDir, root, 'nodes', `node-${number}.json`), '{ torn');
  }
  const newer = readFileSync(file, 'utf8').replace('"metadata": {', '"metadata": { "format": 1000,');
  writeFileSync(file.replace('node-1', 'node-3'), newer);
  const before = photograph(folder.dataDir);
  const { code, note } = await folder.run(['tree', root]);
  assert.equal(code, 0);
  assert.match(note, /node-3\.json is of format 1000, and this Loom knows 3; open it with a newer Loom\./u);
  assert.equal(note.match(/node-1\d\.json is not JSON/gu)?.length, 4);
  assert.match(note, /^3 more files cannot be read: loom doctor --data-dir \S+ lists them\.$/mu);
  assert.deepEqual(photograph(folder.dataDir), before);
});

async function talkedIn(context: TestContext): Promise<{
  folder: ForestFolder;
  path: { root: string; file: string };
  edit: (from: string, to: string) => void;
}> {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo new');
  const file = join(folder.dataDir, root, 'nodes/node-1.json');
  const edit = (from: string, to: string): void => {
    const text = readFileSync(file, 'utf8').replace(from, to);
    const { mtimeMs } = statSync(file);
    // The clocks of file systems tick a few hundred times a second; a file with the size and time of before does not count as edited.
    do writeFileSync(file, text);
    while (statSync(file).mtimeMs < mtimeMs + 1);
  };
  return { folder, path: { root, file }, edit };
}

/** A conversation whose files say nothing of formats, seqs and blocks, and no logs. */
async function makeOlder(folder: ForestFolder): Promise<{ root: string; file: string }> {
  const { root } = await folder.say('echo old');
  const nodes = join(folder.dataDir, root, 'nodes');
  for (const name of readdirSync(nodes)) {
    const text = readFileSync(join(nodes, name), 'utf8');
    const plain = text
      .replaceAll(/,\s*"(?:block_id|status)": "[^"]*"/gu, '')
      .replaceAll(/,\s*"(?:format|seq)": \d+/gu, '');
    writeFileSync(join(nodes, name), plain);
  }
  for (const name of readdirSync(folder.dataDir)) if (name.startsWith('loom.')) rmSync(join(folder.dataDir, name));
  rmSync(join(folder.dataDir, root, 'root.json'));
  return { root, file: join(nodes, 'node-1.json') };
}

/** Returns every file but for those of the lock and the database, byte for byte. */
function photograph(directory: string): Map<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('loom.'));
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );
}
