import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { FileChange } from '@loom/blocks';
import { temporaryDirectory } from '@loom/kernel/testing';
import { contextWith } from '@loom/providers/testing';
import { plainProcesses } from '../folder/testing/plain-processes.ts';
import { watchCommand } from './change-watch.ts';
import { scanTree } from '../folder/tree-scan.ts';

const { blobs } = contextWith(new AbortController().signal);

function folderWith(t: TestContext, files: Record<string, string>): string {
  const directory = temporaryDirectory(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

async function contentOf(blob: string | undefined): Promise<string | undefined> {
  const bytes = blob === undefined ? undefined : await blobs.get(blob);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

async function told(changes: readonly FileChange[]) {
  const rows = [];
  for (const { path, kind, before, after } of changes)
    rows.push([path, kind, await contentOf(before), await contentOf(after)]);
  return rows;
}

const secret = 'KEY=canary';

for (const hasGit of [false, true]) {
  test(`[FU5] the changes of a command are known with both contents, ${hasGit ? 'from git where files are clean' : 'from copies'}`, async (t) => {
    const directory = folderWith(t, {
      '.gitignore': 'ignored\n',
      ignored: 'old',
      '.env': secret,
      'same.txt': 'same',
      'a.txt': 'a\n',
      'dirty.txt': 'committed\n',
      'gone.txt': 'gone\n',
      'run.sh': 'echo\n',
      'big.bin': 'x'.repeat(1024 * 1024 + 1),
    });
    const at = (path: string): string => join(directory, path);
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: directory });
    if (hasGit) {
      git('init', '-q');
      git('add', '-A', '--', ':!.env');
      git('commit', '-qm', 'first');
      // Files that were written in the same tick as the index are copied; these are older.
      for (const path of ['a.txt', 'big.bin', 'gone.txt', 'run.sh', 'same.txt'])
        utimesSync(at(path), 1_000_000, 1_000_000);
      git('update-index', '--refresh');
      // Settings of the repository that would run a program, which a model may have written.
      const trap = join(directory, '..', `${basename(directory)}-trap`);
      git('config', 'core.fsmonitor', `touch ${trap}`);
      git('config', 'filter.trap.clean', `touch ${trap}; cat`);
      git('config', 'filter.trap.smudge', `touch ${trap}; cat`);
      writeFileSync(at('.gitattributes'), '* filter=trap\n');
      t.after(() => assert.ok(!existsSync(trap), 'a setting of the repository was run'));
    }
    writeFileSync(at('dirty.txt'), 'not committed\n');
    const processes = plainProcesses();
    const watched = await watchCommand(directory, hasGit ? { blobs, processes } : { blobs });
    writeFileSync(at('a.txt'), 'A\n');
    writeFileSync(at('dirty.txt'), 'written\n');
    writeFileSync(at('ignored'), 'new');
    writeFileSync(at('.env'), `${secret}2`);
    writeFileSync(at('big.bin'), 'y'.repeat(1024 * 1024 + 1));
    writeFileSync(at('new.txt'), 'new\n');
    chmodSync(at('run.sh'), 0o755);
    rmSync(at('gone.txt'));
    const block = await watched.end();
    assert.ok(block !== undefined);
    const big = (letter: string): string => letter.repeat(1024 * 1024 + 1);
    assert.deepEqual(await told(block.changes), [
      ['.env', 'modify', undefined, undefined],
      ['a.txt', 'modify', 'a\n', 'A\n'],
      ['big.bin', 'modify', hasGit ? big('x') : undefined, big('y')],
      ['dirty.txt', 'modify', 'not committed\n', 'written\n'],
      ['gone.txt', 'delete', 'gone\n', undefined],
      ['new.txt', 'add', undefined, 'new\n'],
      ['run.sh', 'modify', 'echo\n', 'echo\n'],
    ]);
    assert.ok(!JSON.stringify(block).includes('canary'));
    assert.deepEqual(block.changes.find(({ path }) => path === 'run.sh')?.mode, { before: 0o644, after: 0o755 });
    assert.equal(block.metadata?.['directory'], directory);
    // The number of files that cannot be restored is said.
    const lost = hasGit ? 1 : 2;
    assert.deepEqual(block.metadata?.['notes'], [
      `${lost} of the changed files cannot be restored: their contents before the command were not kept.`,
    ]);
    // A command that changes nothing has no block.
    assert.equal(await (await watchCommand(directory, { blobs, processes })).end(), undefined);
  });
}

test('[FU6] a folder with very many files is watched as far as a limit, and that is known', async (t) => {
  const directory = folderWith(
    t,
    Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`d${number % 3}/${number}`, 'x'])),
  );
  assert.deepEqual([(await scanTree(directory, 12)).isCut, (await scanTree(directory, 11)).isCut], [false, true]);
  const gone = await watchCommand(join(directory, 'missing'), { blobs });
  mkdirSync(join(directory, 'missing'));
  const block = await gone.end();
  assert.match(String(block?.metadata?.['notes']), /are not known: .*missing does not exist/);
  assert.equal(readFileSync(join(directory, 'd0/0'), 'utf8'), 'x');
});

test('[FU8] a command that takes the folder away is told as one whose changes are not known in full, and fails nothing', async (t) => {
  const directory = folderWith(t, { 'a.txt': 'a\n' });
  const watched = await watchCommand(directory, { blobs });
  rmSync(directory, { recursive: true });
  const block = await watched.end();
  assert.equal(block?.metadata?.['directory'], directory);
  assert.ok((block?.changes.length ?? 0) > 0 || JSON.stringify(block?.metadata).includes('are not known'));
});
