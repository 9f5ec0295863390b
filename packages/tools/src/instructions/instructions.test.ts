import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { composeAgentPrompt } from './agent-prompt.ts';
import { findInstructions, mostBytes } from './instruction-files.ts';

const clock = { now: () => Date.UTC(2026, 10, 18, 12), after: () => () => {} };

function folderIn(context: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loom-instructions-')));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function plantRepository(top: string): void {
  mkdirSync(join(top, '.git'), { recursive: true });
  writeFileSync(join(top, '.git', 'HEAD'), 'ref: refs/heads/main\n');
}

const found = async (folder: string) => (await findInstructions(folder)).map(({ path, text }) => [path, text]);

test('[AG10] the instructions of a folder and of those above it are found up to the top of the repository', async (context) => {
  const outside = folderIn(context);
  const top = join(outside, 'repository');
  const inner = join(top, 'packages', 'one');
  mkdirSync(inner, { recursive: true });
  plantRepository(top);
  writeFileSync(join(outside, 'AGENTS.md'), 'not of this repository');
  writeFileSync(join(top, 'AGENTS.md'), 'outer');
  writeFileSync(join(top, 'CLAUDE.md'), 'the same for another program');
  writeFileSync(join(inner, 'CLAUDE.md'), 'inner');
  assert.deepEqual(await found(inner), [
    [join(top, 'AGENTS.md'), 'outer'],
    [join(inner, 'CLAUDE.md'), 'inner'],
  ]);
  rmSync(join(top, '.git', 'HEAD'));
  assert.deepEqual(await found(inner), [[join(inner, 'CLAUDE.md'), 'inner']], 'an empty .git makes no repository');
  rmSync(join(top, '.git'), { recursive: true });
  writeFileSync(join(top, '.git'), '');
  assert.deepEqual(await found(inner), [[join(inner, 'CLAUDE.md'), 'inner']], 'nor does an empty file');
  writeFileSync(join(top, '.git'), 'gitdir: ../elsewhere\n');
  assert.equal((await found(inner)).length, 2, 'that of a worktree does');
  rmSync(join(top, '.git'), { recursive: true });
  assert.deepEqual(await found(inner), [[join(inner, 'CLAUDE.md'), 'inner']], 'outside of a repository its own alone');
});

test('[AG11] a link out of the repository, a pipe and a folder of that name are not read', async (context) => {
  const outside = folderIn(context);
  const top = join(outside, 'repository');
  plantRepository(top);
  writeFileSync(join(outside, 'id_key'), 'secret');
  symlinkSync(join(outside, 'id_key'), join(top, 'AGENTS.md'));
  assert.deepEqual(await found(top), []);
  rmSync(join(top, 'AGENTS.md'));
  execFileSync('mkfifo', [join(top, 'AGENTS.md')]);
  mkdirSync(join(top, 'CLAUDE.md'));
  assert.deepEqual(await found(top), []);
  rmSync(join(top, 'CLAUDE.md'), { recursive: true });
  writeFileSync(join(top, 'shared.md'), 'a link inside is fine');
  symlinkSync('shared.md', join(top, 'CLAUDE.md'));
  assert.deepEqual(await found(top), [[join(top, 'CLAUDE.md'), 'a link inside is fine']]);
});

test('[AG12] together they are cut, the nearest last, between two characters and with the size of the whole', async (context) => {
  const top = folderIn(context);
  const inner = join(top, 'inner');
  plantRepository(top);
  mkdirSync(inner);
  writeFileSync(join(top, 'AGENTS.md'), 'ö'.repeat(mostBytes));
  writeFileSync(join(inner, 'AGENTS.md'), 'abc');
  const [outer, nearest] = await findInstructions(inner);
  assert.equal(nearest?.text, 'abc');
  assert.deepEqual([outer?.isCut, outer?.bytes], [true, 2 * mostBytes]);
  assert.equal(outer?.text, 'ö'.repeat((mostBytes - 4) / 2));
  const prompt = await composeAgentPrompt(clock, { directory: inner, instructions: true });
  assert.match(prompt ?? '', /\[cut: 65536 bytes in all; read the file for the rest\]/u);
});

test('[AG13] the prompt names folder, system and day, quotes the instructions unless they are switched off', async (context) => {
  const top = folderIn(context);
  writeFileSync(join(top, 'AGENTS.md'), '\nUse tabs.\n');
  const prompt = (await composeAgentPrompt(clock, { directory: top, instructions: true })) ?? '';
  assert.ok(
    prompt.includes(`- Folder: ${top}.`) &&
      prompt.includes(`Instructions from ${join(top, 'AGENTS.md')}:\n\nUse tabs.`),
  );
  assert.match(prompt, /began on 2026-11-1[789];/u);
  const without = (await composeAgentPrompt(clock, { directory: top, instructions: false })) ?? '';
  assert.ok(without.includes(`- Folder: ${top}.`) && !without.includes('Use tabs.'));
  assert.equal(await composeAgentPrompt(clock, { directory: join(top, 'gone'), instructions: true }), undefined);
});
