import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from '../../open-loom.ts';

async function stage(t: TestContext) {
  const loom = await openLoom({ store: createMemoryStore(), dataDir: temporaryDirectory(t), providers: [] });
  t.after(() => loom.close());
  const ask = async (name: string, params: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const outcome: unknown = await loom.call(name, params);
    assert.ok(typeof outcome === 'object' && outcome !== null);
    const { value, refusal } = { value: undefined, refusal: undefined, ...outcome };
    return {
      ...(typeof value === 'object' ? value : {}),
      ...(refusal === undefined ? {} : { refused: JSON.stringify(refusal) }),
    };
  };
  return { loom, ask };
}

function folderWith(t: TestContext, files: readonly string[]): string {
  const directory = temporaryDirectory(t);
  for (const path of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), `${path}\n`);
  }
  return directory;
}

test('[FO8] folder.list shows the folders in a folder, repositories among them, and those that were used lately', async (t) => {
  const { loom, ask } = await stage(t);
  const directory = folderWith(t, ['b/x', 'a/.git/HEAD', '.hidden/x', 'file']);
  symlinkSync('/', join(directory, 'link'));
  const created = await loom.call('root.create', { config: { directory: join(directory, 'a') } });
  assert.ok(created.ok);
  const listed = await ask('folder.list', { path: directory });
  assert.partialDeepStrictEqual(listed, {
    path: directory,
    parent: dirname(directory),
    folders: [
      { name: 'a', path: join(directory, 'a'), is_repository: true },
      { name: 'b', path: join(directory, 'b') },
    ],
    recent: [{ path: join(directory, 'a') }],
  });
  assert.equal(listed['git'], undefined);
  assert.equal((await ask('folder.list', { path: join(directory, 'a') }))['git'], 'repository');
  assert.equal(Array.isArray(listed['folders']) && listed['folders'].length, 2);
  for (const [path, says] of [
    ['relative', 'must be an absolute path'],
    [join(directory, 'gone'), 'does not exist'],
    [join(directory, 'file'), 'is not a folder'],
  ] as const)
    assert.ok(String((await ask('folder.list', { path }))['refused']).includes(says));
  const reader = { agent: 'guest', type: 'person' as const, role: 'writer' as const, id: 'r', door: 'http' as const };
  assert.ok(!(await loom.engine.call('folder.list', reader, {})).ok);
});

test('[FO9] folder.files finds files by letters of their path, the best first, without those that .gitignore names', async (t) => {
  const { loom, ask } = await stage(t);
  const directory = folderWith(t, [
    'src/main.ts',
    'src/domain/index.ts',
    'main.ts',
    'docs/maintenance.md',
    'dist/main.js',
    'README.md',
  ]);
  writeFileSync(join(directory, '.gitignore'), 'dist\n');
  const created = await loom.call('root.create', { config: { directory } });
  assert.ok(created.ok);
  const { root } = created.value;
  const find = async (params: Record<string, unknown>): Promise<unknown> =>
    (await ask('folder.files', { root, ...params }))['items'];
  assert.deepEqual(await find({ match: 'main' }), [
    { path: 'main.ts' },
    { path: 'src/main.ts' },
    { path: 'docs/maintenance.md' },
    { path: 'src/domain/index.ts' },
  ]);
  assert.deepEqual(await find({ match: 'src mai' }), [{ path: 'src/main.ts' }, { path: 'src/domain/index.ts' }]);
  assert.deepEqual(await find({ match: 'zz' }), []);
  assert.deepEqual(await find({ limit: 2 }), [{ path: 'main.ts' }, { path: 'README.md' }]);
  const without = await loom.call('root.create', {});
  assert.ok(without.ok);
  assert.deepEqual(await ask('folder.files', { root: without.value.root }), { items: [] });
  // Before there is a conversation an owner names the folder.
  assert.deepEqual(await ask('folder.files', { directory, match: 'readme' }), { items: [{ path: 'README.md' }] });
  for (const params of [{}, { root, directory }])
    assert.match(String((await ask('folder.files', params))['refused']), /must be given/u);
  const writer = { agent: 'guest', type: 'person' as const, role: 'writer' as const, id: 'w', door: 'http' as const };
  assert.ok(!(await loom.engine.call('folder.files', writer, { directory })).ok);
});

test('[OP310] a file of the folder is read to go with a message; what leaves the folder or is no text or picture is refused', async (t) => {
  const { loom, ask } = await stage(t);
  const directory = folderWith(t, ['src/main.ts']);
  writeFileSync(join(directory, 'src/main.ts'), 'let ünï;\n');
  writeFileSync(join(directory, 'paper.bin'), '%PDF-1.7\n');
  writeFileSync(join(directory, 'sound.wav'), Buffer.from([0x52, 0x49, 0, 255]));
  writeFileSync(join(directory, 'long.txt'), 'x'.repeat(1024 * 1024 + 1));
  const created = await loom.call('root.create', { config: { directory } });
  assert.ok(created.ok);
  const { root } = created.value;
  assert.deepEqual(await ask('folder.read_file', { root, path: 'src/main.ts' }), {
    path: 'src/main.ts',
    size: 11,
    text: 'let ünï;\n',
  });
  const pdf = await ask('folder.read_file', { directory, path: 'paper.bin' });
  assert.deepEqual([pdf['size'], pdf['media_type'], typeof pdf['blob']], [9, 'application/pdf', 'string']);
  const refused: [path: string, says: RegExp][] = [
    ['../outside', /cannot be used/u],
    ['/etc/passwd', /cannot be used/u],
    ['gone.txt', /leads to no file/u],
    ['src', /cannot be used/u],
    ['sound.wav', /neither a picture nor a PDF/u],
    ['long.txt', /more than 1 MB/u],
  ];
  for (const [path, says] of refused) {
    assert.match(String((await ask('folder.read_file', { root, path }))['refused']), says, path);
  }
  const writer = { agent: 'guest', type: 'person' as const, role: 'writer' as const, id: 'w', door: 'http' as const };
  assert.ok(!(await loom.engine.call('folder.read_file', writer, { root, path: 'src/main.ts' })).ok);
});

test('[WT1] a worktree is a new folder on a new branch, and merging it back brings its work, committed or not', async (t) => {
  const { ask } = await stage(t);
  const { top, git } = repository(t);
  const made = await ask('worktree.create', { directory: join(top, 'sub'), name: 'try' });
  assert.deepEqual(made, { directory: join(`${top}-worktrees`, 'try', 'sub'), branch: 'loom/try' });
  const place = join(`${top}-worktrees`, 'try');
  writeFileSync(join(place, 'a.txt'), 'changed in the worktree\n');
  writeFileSync(join(place, 'new.txt'), 'new\n');
  // Work goes on in the repository itself.
  writeFileSync(join(top, 'b.txt'), 'changed in the repository\n');
  git('commit', '-qam', 'second');
  assert.equal(readFileSync(join(top, 'a.txt'), 'utf8'), 'a\n');
  assert.deepEqual(await ask('worktree.merge', { directory: place }), { merged: true, conflicts: [] });
  assert.equal(readFileSync(join(top, 'a.txt'), 'utf8'), 'changed in the worktree\n');
  assert.equal(readFileSync(join(top, 'new.txt'), 'utf8'), 'new\n');
  assert.equal(readFileSync(join(top, 'b.txt'), 'utf8'), 'changed in the repository\n');
  assert.ok(existsSync(place), 'the worktree stays');
});

test('[WT4] a merge that git has no author for says what to run, touches nothing, and works afterwards', async (t) => {
  const { ask } = await stage(t);
  const { top, git } = repository(t);
  await ask('worktree.create', { directory: top, name: 'try' });
  const place = join(`${top}-worktrees`, 'try');
  writeFileSync(join(place, 'a.txt'), 'changed in the worktree\n');
  git('config', 'user.name', '');
  const merge = (): Promise<Record<string, unknown>> => ask('worktree.merge', { directory: place });
  assert.match(String((await merge())['refused']), /does not know its author; run git config --global user\.name/u);
  assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: place, encoding: 'utf8' }), ' M a.txt\n');
  // A merge of two commits needs an author, too.
  const named = ['-c', 'user.name=Test'];
  execFileSync('git', [...named, 'commit', '-qam', 'in the worktree'], { cwd: place });
  writeFileSync(join(top, 'b.txt'), 'changed in the repository\n');
  git(...named, 'commit', '-qam', 'second');
  assert.match(String((await merge())['refused']), /does not know its author/u);
  assert.equal(readFileSync(join(top, 'a.txt'), 'utf8'), 'a\n');
  git('config', 'user.name', 'Test');
  assert.deepEqual(await merge(), { merged: true, conflicts: [] });
});

test('[WT3] a repository that was planted inside of a worktree gets none of its programs run by a merge', async (t) => {
  const { ask } = await stage(t);
  const { top } = repository(t);
  await ask('worktree.create', { directory: top, name: 'try' });
  const place = join(`${top}-worktrees`, 'try');
  const nested = join(place, 'nested');
  const canary = join(top, '..', 'canary');
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      encoding: 'utf8',
    });
  git(place, 'init', '-q', 'nested');
  writeFileSync(join(nested, '.gitattributes'), 'f filter=planted\n');
  writeFileSync(join(nested, 'f'), '1\n');
  git(nested, 'add', '.');
  git(nested, 'commit', '-qm', 'one');
  git(place, '-c', 'advice.addEmbeddedRepo=false', 'add', 'nested');
  git(nested, 'config', 'filter.planted.clean', `touch '${canary}'; cat`);
  // Another time and the same size: git has to read the file to compare it.
  const touch = (time: number): void => utimesSync(join(nested, 'f'), time, time);
  touch(1);
  git(place, 'status', '--porcelain');
  assert.ok(existsSync(canary), 'git runs the program if it is let');
  rmSync(canary);
  touch(2);
  writeFileSync(join(place, 'new.txt'), 'new\n');
  assert.deepEqual(await ask('worktree.merge', { directory: place }), { merged: true, conflicts: [] });
  assert.ok(!existsSync(canary), 'but not Loom');
  assert.match(git(top, 'ls-tree', 'HEAD', 'nested'), new RegExp(git(nested, 'rev-parse', 'HEAD').trim(), 'u'));
  assert.equal(readFileSync(join(top, 'new.txt'), 'utf8'), 'new\n');
});

test('[WT2] conflicts and changes that are not committed are left as they are, and said', async (t) => {
  const { ask } = await stage(t);
  const { top, git } = repository(t);
  await ask('worktree.create', { directory: top, name: 'one' });
  const place = join(`${top}-worktrees`, 'one');
  writeFileSync(join(place, 'a.txt'), 'from the worktree\n');
  writeFileSync(join(top, 'a.txt'), 'from the repository\n');
  const over = String((await ask('worktree.merge', { directory: place }))['refused']);
  assert.match(over, /could not be merged into main .*a\.txt/);
  assert.equal(readFileSync(join(top, 'a.txt'), 'utf8'), 'from the repository\n');
  git('commit', '-qam', 'second');
  assert.deepEqual(await ask('worktree.merge', { directory: place }), { merged: false, conflicts: ['a.txt'] });
  assert.equal(readFileSync(join(top, 'a.txt'), 'utf8'), 'from the repository\n');
  assert.equal(git('status', '--porcelain'), '');
  const refusals: [name: string, params: Record<string, unknown>, says: RegExp][] = [
    ['worktree.create', { directory: top, name: 'one' }, /has a worktree of that name already/],
    ['worktree.create', { directory: temporaryDirectory(t) }, /is in no git repository/],
    ['worktree.create', { directory: 'relative' }, /not the absolute path/],
    ['worktree.merge', { directory: top }, /not a worktree that Loom has made/],
  ];
  for (const [name, params, says] of refusals) assert.match(String((await ask(name, params))['refused']), says);
});

/** A repository with a commit; what it makes beside itself is removed with it. */
function repository(t: TestContext) {
  const top = join(temporaryDirectory(t), 'repository');
  mkdirSync(join(top, 'sub'), { recursive: true });
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: top }).toString();
  for (const path of ['a.txt', 'b.txt', 'sub/c.txt']) writeFileSync(join(top, path), `${path.slice(0, 1)}\n`);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.org');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { top, git };
}

test('[FO10] folder.get tells the branches of folders, worktrees too, and which folders are gone', async (t) => {
  const { loom, ask } = await stage(t);
  const { top, git } = repository(t);
  git('checkout', '-q', '-b', 'perf/index');
  const { directory: place = '' } = await ask('worktree.create', { directory: top, name: 'csv' });
  const begin = async (directory: string): Promise<string> => {
    const created = await loom.call('root.create', { config: directory === '' ? {} : { directory } });
    assert.ok(created.ok);
    return created.value.root;
  };
  const plain = temporaryDirectory(t);
  mkdirSync(join(plain, '.git'));
  const roots = [];
  for (const directory of [join(top, 'sub'), String(place), plain, join(plain, 'gone'), ''])
    roots.push(await begin(directory));
  const [inside, beside, outside, gone] = roots;
  assert.deepEqual((await ask('folder.get', { roots }))['items'], [
    { root: inside, directory: join(top, 'sub'), exists: true, branch: 'perf/index', repository: top },
    { root: beside, directory: place, exists: true, branch: 'loom/csv', repository: top, worktree: true },
    { root: outside, directory: plain, exists: true },
    { root: gone, directory: join(plain, 'gone'), exists: false },
  ]);
});
