import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ConfinedFolder, hashOf } from './confined-folder.ts';
import { bestReach } from './held-folder.ts';
import type { Reach } from './held-folder.ts';
import { PathError } from './path-error.ts';
import { replaceFiles } from './replace-files.ts';
import { trueName } from './true-name.ts';
import type { NamesOfFolder } from './true-name.ts';

const reaches: readonly Reach[] = [...new Set<Reach>([bestReach, 'path'])];
const canary = 'the canary of another folder';

/** A folder with files and links, and a file outside of it. */
function stage(t: TestContext) {
  const top = temporaryDirectory(t);
  const inside = join(top, 'inside');
  const outside = join(top, 'outside');
  mkdirSync(join(inside, 'sub'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'canary'), canary);
  writeFileSync(join(inside, 'file'), 'one\n');
  writeFileSync(join(inside, 'sub', 'deep'), 'deep\n');
  return { top, inside, outside };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PathError, String(error));
  assert.ok(!error.message.includes(canary));
  return error.code;
}

for (const reach of reaches) {
  test(`[FO1] no path leads out of the folder, whether it is held by ${reach}`, async (t) => {
    const { inside, outside } = stage(t);
    symlinkSync(join(outside, 'canary'), join(inside, 'absolute-link'));
    symlinkSync('../outside/canary', join(inside, 'relative-link'));
    symlinkSync('../../outside', join(inside, 'sub', 'folder-link'));
    symlinkSync('/proc/self/root', join(inside, 'proc-link'));
    symlinkSync('sub/../../outside/canary', join(inside, 'dotted-link'));
    symlinkSync('loop', join(inside, 'loop'));
    const folder = await ConfinedFolder.open(inside, reach);
    const paths = [
      '../outside/canary',
      'sub/../../outside/canary',
      'sub/..',
      '..',
      join(outside, 'canary'),
      `/proc/self/root${join(outside, 'canary')}`,
      `/proc/self/root${join(inside, 'file')}`,
      `${inside}x/file`,
      'absolute-link',
      'relative-link',
      'sub/folder-link/canary',
      `proc-link${join(outside, 'canary')}`,
      'dotted-link',
      'loop',
    ];
    for (const path of paths) {
      assert.equal(await refusal(folder.read(path, 1000)), 'outside', path);
      assert.equal(
        await refusal(replaceFiles(folder, [{ path, before: undefined, after: Buffer.from('x') }])),
        'outside',
        path,
      );
    }
    assert.equal(await refusal(folder.read('fi\0le', 1000)), 'bad-name');
    assert.equal(readFileSync(join(outside, 'canary'), 'utf8'), canary);
    assert.deepEqual(readdirSync(outside), ['canary']);
  });

  test(`[FO2] links inside the folder lead to what they name, and writing keeps the link (${reach})`, async (t) => {
    const { inside } = stage(t);
    symlinkSync('sub/deep', join(inside, 'link'));
    symlinkSync('../file', join(inside, 'sub', 'up'));
    symlinkSync(join(inside, 'sub'), join(inside, 'whole'));
    const folder = await ConfinedFolder.open(inside, reach);
    const found = [];
    for (const path of ['link', 'sub/up', 'whole/up', 'whole/deep', join(inside, 'file'), './sub//deep'])
      found.push((await folder.read(path, 1000)).path);
    assert.deepEqual(found, ['sub/deep', 'file', 'file', 'sub/deep', 'file', 'sub/deep']);
    await replaceFiles(folder, [{ path: 'link', before: hashOf(Buffer.from('deep\n')), after: Buffer.from('new\n') }]);
    assert.equal(readFileSync(join(inside, 'sub', 'deep'), 'utf8'), 'new\n');
    assert.equal((await folder.list('.')).entries.find(({ name }) => name === 'link')?.kind, 'link');
  });

  test(`[FO4] what is no regular file is neither opened nor replaced (${reach})`, async (t) => {
    const { inside } = stage(t);
    execFileSync('mkfifo', [join(inside, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(inside, 'socket'), resolve));
    t.after(() => server.close());
    const folder = await ConfinedFolder.open(inside, reach);
    for (const path of ['pipe', 'socket', 'sub', '.']) {
      assert.equal(await refusal(folder.read(path, 1000)), 'not-a-file', path);
      const written = replaceFiles(folder, [{ path, before: undefined, after: Buffer.from('x') }]);
      assert.ok(['not-a-file', 'changed', 'bad-name'].includes(await refusal(written)), path);
    }
    const devices = await ConfinedFolder.open('/dev', reach);
    assert.equal(await refusal(devices.read('null', 1000)), 'not-a-file');
    assert.equal(await refusal(folder.read('file', 3)), 'too-large');
    assert.equal(await refusal(folder.read('file/x', 1000)), 'not-a-folder');
    assert.equal(await refusal(folder.read('gone', 1000)), 'not-found');
  });
}

/** More in the deep run. */
const swaps = Number(process.env['LOOM_SWAPS'] ?? 150);

test('[FO3] a program that swaps files, links and folders all the time never gets another file read or written', async (t) => {
  const staged = stage(t);
  const { inside, outside } = staged;
  const folder = await ConfinedFolder.open(inside);
  const stop = await startSwapping(staged);
  const counts = { read: 0, written: 0, refused: 0 };
  const attempt = async (work: () => Promise<unknown>, done: 'read' | 'written'): Promise<void> => {
    try {
      await work();
      counts[done] += 1;
    } catch (error) {
      assert.ok(error instanceof PathError, String(error));
      counts.refused += 1;
    }
  };
  let tried = 0;
  for (const round of rounds((done) => done >= swaps)) {
    tried = round;
    for (const path of ['file', 'sub/deep']) {
      await attempt(async () => {
        const { bytes } = await folder.read(path, 1000);
        assert.ok(!bytes.toString().includes(canary), 'the canary was read');
      }, 'read');
    }
    await attempt(
      () => replaceFiles(folder, [{ path: `sub/new-${round}`, before: undefined, after: Buffer.from('x') }]),
      'written',
    );
    await attempt(
      () => replaceFiles(folder, [{ path: 'file', before: hashOf(Buffer.from('one\n')), after: Buffer.from('one\n') }]),
      'written',
    );
  }
  await stop();
  tellTried(t, tried, `rounds beside a program that swaps: ${JSON.stringify(counts)}`);
  assert.ok(counts.refused > 0 && counts.read > 0, JSON.stringify(counts));
  assert.equal(readFileSync(join(outside, 'canary'), 'utf8'), canary);
  assert.deepEqual(readdirSync(outside), ['canary']);
});

test('[FO3] the swaps find a planted fault: a reader that looks at a path before it opens it', async (t) => {
  const staged = stage(t);
  const stop = await startSwapping(staged);
  const path = join(staged.inside, 'file');
  const careless = (): string => {
    try {
      return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '';
    } catch {
      return '';
    }
  };
  let wasRead = false;
  for (let round = 0; round < 200_000 && !wasRead; round += 1) wasRead = careless().includes(canary);
  await stop();
  assert.ok(wasRead, 'the canary was never read');
});

/** Starts a program that puts links to the outside in the place of what is inside, and back. Returns a function that ends it. */
async function startSwapping({ inside, outside }: ReturnType<typeof stage>): Promise<() => Promise<void>> {
  const swap = `
    const { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
    const [inside, outside] = process.argv.slice(2);
    process.chdir(inside);
    const quiet = (work) => { try { work(); } catch {} };
    process.send('ready');
    process.on('disconnect', () => process.exit());
    let round = 0;
    const swapOnce = () => {
      for (let step = 0; step < 50; step += 1, round += 1) {
        quiet(() => symlinkSync(outside, 'spare'));
        quiet(() => renameSync('sub', 'kept'));
        quiet(() => renameSync('spare', 'sub'));
        quiet(() => symlinkSync(outside + '/canary', 'trap'));
        quiet(() => renameSync('trap', 'file'));
        quiet(() => unlinkSync('sub'));
        quiet(() => renameSync('kept', 'sub'));
        quiet(() => unlinkSync('file'));
        quiet(() => writeFileSync('file', 'one\\n'));
      }
      setImmediate(swapOnce);
    };
    swapOnce();`;
  const script = join(outside, '..', 'swap.cjs');
  writeFileSync(script, swap);
  const attacker = fork(script, [inside, outside], { stdio: 'ignore' });
  const gone = new Promise((resolve) => attacker.once('exit', resolve));
  await new Promise((resolve) => attacker.once('message', resolve));
  return async () => {
    attacker.disconnect();
    await gone;
  };
}

test('[FO5] a name is known by its spelling in the folder, also where the file system ignores case or accents', async () => {
  const stats = statSync('/', { bigint: true });
  const other = statSync('/proc/self', { bigint: true });
  const folding = (names: readonly string[]): NamesOfFolder => ({
    list: async () => names,
    look: async (name) =>
      names.some((one) => one.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase())
        ? stats
        : undefined,
  });
  assert.equal(await trueName(folding(['.env']), '.ENV', stats), '.env');
  assert.equal(await trueName(folding(['.env']), '.env', stats), '.env');
  assert.equal(await trueName(folding(['Café']), 'Café'.normalize('NFD'), stats), 'Café');
  // Two files whose names differ in case, where case counts.
  const exact: NamesOfFolder = { list: async () => ['a', 'A'], look: async (name) => (name === 'a' ? stats : other) };
  assert.equal(await trueName(exact, 'a', stats), 'a');
  assert.equal(await trueName(exact, 'A', other), 'A');
});

test('[FO6] a write replaces by rename: hard links keep the old content, mode bits stay, no other name is left', async (t) => {
  const { inside } = stage(t);
  chmodSync(join(inside, 'file'), 0o751);
  linkSync(join(inside, 'file'), join(inside, 'other-name'));
  const folder = await ConfinedFolder.open(inside);
  const before = hashOf(Buffer.from('one\n'));
  const [done] = await replaceFiles(folder, [{ path: 'file', before, after: Buffer.from('two\n') }]);
  assert.deepEqual([done?.mode, done?.before?.bytes.toString()], [0o751, 'one\n']);
  assert.equal(statSync(join(inside, 'file')).mode & 0o7777, 0o751);
  assert.equal(readFileSync(join(inside, 'other-name'), 'utf8'), 'one\n');
  await replaceFiles(folder, [{ path: 'a/b/c', before: undefined, after: Buffer.from('c'), mode: 0o600 }]);
  assert.equal(statSync(join(inside, 'a', 'b', 'c')).mode & 0o7777, 0o600);
  assert.deepEqual(readdirSync(inside).sort(), ['a', 'file', 'other-name', 'sub']);
  // Calls of one round need the same folder at the same time.
  const both = ['d/e/1', 'd/e/2', 'd/e/3'].map((path) =>
    replaceFiles(folder, [{ path, before: undefined, after: Buffer.from('c') }]),
  );
  await Promise.all(both);
  assert.deepEqual(readdirSync(join(inside, 'd', 'e')), ['1', '2', '3']);
  assert.deepEqual(readdirSync(join(inside, 'a', 'b')), ['c']);
});

test('[FO7] several files change together or not at all, and only as long as they are as they were', async (t) => {
  const { inside } = stage(t);
  const folder = await ConfinedFolder.open(inside);
  const [one, deep] = [hashOf(Buffer.from('one\n')), hashOf(Buffer.from('deep\n'))];
  const change = (path: string, before: string | undefined, after: string | undefined) => ({
    path,
    before,
    after: after === undefined ? undefined : Buffer.from(after),
  });
  const both = [change('file', one, 'two\n'), change('made/new', undefined, 'n'), change('sub/deep', one, 'x')];
  assert.equal(await refusal(replaceFiles(folder, both)), 'changed');
  assert.deepEqual(readdirSync(inside).sort(), ['file', 'sub']);
  // The last step fails after the first ones were done: a folder stands where the file should go.
  mkdirSync(join(inside, 'taken'));
  assert.ok(await refusal(replaceFiles(folder, [change('file', one, 'two\n'), change('taken', undefined, 'x')])));
  assert.equal(readFileSync(join(inside, 'file'), 'utf8'), 'one\n');
  assert.equal(await refusal(replaceFiles(folder, [change('file', undefined, 'two\n')])), 'changed');
  await replaceFiles(folder, [
    change('file', one, undefined),
    change('sub/moved', undefined, 'm'),
    change('sub/deep', deep, 'd'),
  ]);
  assert.deepEqual(readdirSync(inside).sort(), ['sub', 'taken']);
  assert.deepEqual(readdirSync(join(inside, 'sub')).sort(), ['deep', 'moved']);
  renameSync(join(inside, 'sub'), join(inside, 'elsewhere'));
  assert.equal(await refusal(replaceFiles(folder, [change('sub/deep', hashOf(Buffer.from('d')), 'e')])), 'changed');
});
