import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { harmlessSettings, tameRepository } from './new-repository.ts';

/** A repository that a command has just made, and a file that a program named by it would make. */
function createRepository(t: TestContext) {
  const directory = temporaryDirectory(t);
  const trap = join(directory, 'trapped');
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', directory, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'a@b.example');
  git('remote', 'add', 'origin', 'https://example.org/a.git');
  return { directory, repository: join(directory, '.git'), trap, git };
}

/** Does what people and the prompts of their shells do. */
function use({ git, directory }: ReturnType<typeof createRepository>): void {
  writeFileSync(join(directory, 'a.txt'), `${Math.random()}`);
  git('status');
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'one');
  git('log', '-p', '--show-signature');
  git('diff', 'HEAD');
  git('st');
}

test('[SD7] a new repository keeps its plain settings, and nothing of it is run when a person uses it', (t) => {
  const made = createRepository(t);
  const { repository, trap, git, directory } = made;
  const program = `touch ${trap}; false`;
  const settings: [string, string][] = [
    ['core.fsmonitor', program],
    ['core.hooksPath', join(directory, 'hooks')],
    ['commit.gpgSign', 'true'],
    ['gpg.program', program],
    ['filter.evil.clean', program],
    ['diff.evil.textconv', program],
    ['diff.external', program],
    ['core.editor', program],
    ['alias.st', `!${program}`],
    ['include.path', join(directory, 'more')],
  ];
  for (const [name, value] of settings) git('config', name, value);
  writeFileSync(join(directory, 'more'), `[core]\n\tfsmonitor = "${program}"\n`);
  writeFileSync(join(directory, '.gitattributes'), '*.txt filter=evil diff=evil\n');
  writeFileSync(join(repository, 'hooks', 'post-commit'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  git('status');
  assert.ok(existsSync(trap), 'before, git does run what it names');
  execFileSync('rm', [trap]);

  const removed = tameRepository(repository);
  assert.equal(removed.length, settings.length + 1, removed.join('\n'));
  git('config', 'alias.st', 'status');
  use(made);
  assert.ok(!existsSync(trap));
  assert.equal(git('config', 'user.name').trim(), 'A Person');
  assert.equal(git('remote', 'get-url', 'origin').trim(), 'https://example.org/a.git');
  assert.deepEqual(
    readdirSync(join(repository, 'hooks')).filter((name) => !name.endsWith('.sample')),
    [],
  );
});

test('[SD7] a repository that git has just made loses nothing', (t) => {
  const { repository, git } = createRepository(t);
  const before = readFileSync(join(repository, 'config'), 'utf8');
  assert.deepEqual(tameRepository(repository), []);
  assert.equal(readFileSync(join(repository, 'config'), 'utf8'), before);
  git('commit', '-q', '--allow-empty', '-m', 'one');
});

test('[SD7] no spelling brings a setting past the reader that git would take', (t) => {
  const { repository, directory } = createRepository(t);
  const read = (text: string): string => {
    writeFileSync(join(repository, 'config'), text);
    try {
      const words = ['-C', directory, 'config', '--local', '--list', '--name-only'];
      return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      // Git takes nothing of it.
      return '';
    }
  };
  const spellings = [
    '[core] fsmonitor = evil',
    '[core]fsmonitor=evil',
    '[CORE]\n\tFsMonitor = evil',
    '[core]\nfsmonitor = evil',
    '[core]\n\tfilemode = true \\\n\tfsmonitor = evil',
    '[user]\n\tname = a \\\n[core]\n\tfsmonitor = evil',
    '[user]\n\tname = "a\n[core]\n\tfsmonitor = evil',
    '[branch "a\\"]\n[core]\n\tfsmonitor = evil',
    '[branch "]\n[core]\n\tfsmonitor = evil"]\n\tremote = x',
    '\ufeff[core]\n\tfsmonitor = evil',
    '[core]\r\n\tfsmonitor = evil\r\n',
    '[remote "x"]\n\turl = a\n\tuploadpack = evil\n\tvcs = evil',
    '[submodule "x"]\n\tupdate = !evil',
    '[core] # [user]\n\tfsmonitor = evil',
    '[user]\n\tname = x\n[core ]\n\tfsmonitor = evil',
    '[core]\n\tfsmonitor',
    '[include]\n\tpath = evil',
    '[includeIf "gitdir:/"]\n\tpath = evil',
    '[core.x]\n\tfsmonitor = evil\n[core]\n\tworktree = /',
  ];
  assert.ok(spellings.some((text) => read(text).includes('core.fsmonitor')));
  for (const text of spellings) {
    const names = read(harmlessSettings(text).text).split('\n').filter(Boolean);
    for (const name of names)
      assert.match(name, /^(?:core\.filemode|user\.name|branch\..*\.remote|remote\.x\.url)$/u, text);
  }
});

test('[SD7] a link or a file in the place of a new repository is removed', (t) => {
  const { directory, repository } = createRepository(t);
  const [link, file] = [join(directory, 'link'), join(directory, 'file')];
  symlinkSync(repository, link);
  writeFileSync(file, `gitdir: ${repository}\n`);
  assert.deepEqual([tameRepository(link), tameRepository(file)], [[link], [file]]);
  assert.ok(existsSync(join(repository, 'HEAD')));
});
