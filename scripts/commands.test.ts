import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runNode } from '../checks/tool.ts';
import { writeFiles } from '../checks/testing/planted-repository.ts';
import { BareCheckout } from './testing/bare-checkout.ts';

const repository = join(import.meta.dirname, '..');

test('[RP11] [RP12] ./loom sets up once, then hands arguments, directory and exit code through', async (t) => {
  const checkout = new BareCheckout(t);
  const loom = join(checkout.root, 'loom');
  const main = join(checkout.root, 'packages/loom/src/main.ts');
  const expected = `pinned Node in /\n<${main}>\n<two words>\n<>\n<-x>\n`;
  const first = await checkout.start([loom, 'two words', '', '-x'], { cwd: '/' }).ended();
  assert.equal(first.stdout, expected);
  assert.match(first.stderr, /^Installing/u);
  const second = await checkout.start([loom, 'two words', '', '-x'], { cwd: '/', env: { PINNED_EXIT: '5' } }).ended();
  assert.deepEqual(second, { code: 5, stdout: expected, stderr: '' });
  assert.equal(checkout.npmCalls().length, 1);
});

test('[RP11] ./loom works by symbolic links, relative ones and links to links included', async (t) => {
  const checkout = new BareCheckout(t);
  await checkout.setUp();
  const links = join(checkout.root, '../my links');
  mkdirSync(links);
  symlinkSync('../a checkout/loom', join(links, 'relative'));
  symlinkSync(join(links, 'relative'), join(links, 'twice'));
  for (const name of ['relative', 'twice']) {
    const { stdout, stderr } = await checkout.start([`./${name}`, 'x'], { cwd: links }).ended();
    assert.equal(
      stdout,
      `pinned Node in ${links}\n<${join(checkout.root, 'packages/loom/src/main.ts')}>\n<x>\n`,
      stderr,
    );
  }
});

test("[RP12] in step, ./loom does without the machine's Node; out of step it says what to install", async (t) => {
  const checkout = new BareCheckout(t);
  await checkout.setUp();
  rmSync(join(checkout.root, '../machine/node'));
  // The commands that the script itself needs, and no Node.
  checkout.path.splice(0, Infinity, linkCommands(checkout, ['cmp', 'dirname', 'readlink']));
  assert.equal((await checkout.start([join(checkout.root, 'loom')]).ended()).code, 0);
  rmSync(join(checkout.root, 'node_modules'), { recursive: true });
  const { code, stderr } = await checkout.start([join(checkout.root, 'loom')]).ended();
  assert.equal(code, 1);
  assert.match(stderr, /no Node on PATH\. Install Node 20 or newer/u);
});

test('[RP12] where the system has no cmp, ./loom quietly asks the set-up instead', async (t) => {
  const checkout = new BareCheckout(t);
  await checkout.setUp();
  const commands = linkCommands(checkout, ['dirname', 'readlink']);
  checkout.path.splice(1, Infinity, commands);
  const { code, stderr } = await checkout.start([join(checkout.root, 'loom')]).ended();
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(checkout.npmCalls().length, 1);
});

test('[RP12] when setting up fails, ./loom fails with it and runs nothing', async (t) => {
  const checkout = new BareCheckout(t);
  const { code, stdout } = await checkout.start([join(checkout.root, 'loom')], { env: { FAKE_NPM: 'broken' } }).ended();
  assert.deepEqual([code, stdout], [1, '']);
});

test('[RP13] npm start sets up and serves under the pinned Node', async (t) => {
  const checkout = new BareCheckout(t);
  const { scripts } = readManifest();
  assert.equal(scripts.start, 'node scripts/start.mjs');
  const { code, stdout } = await checkout
    .start(['sh', '-c', `${scripts.start} "$@"`, 'sh', '--port', '0'], { env: { PINNED_EXIT: '3' } })
    .ended();
  assert.equal(code, 3);
  assert.equal(
    stdout,
    `pinned Node in ${checkout.root}\n<${join(checkout.root, 'packages/loom/src/main.ts')}>\n<serve>\n<--port>\n<0>\n`,
  );
});

test('[RP15] npm test sets up and hands its words to the test run, which answers unknown ones with its usage', async (t) => {
  const checkout = new BareCheckout(t);
  const { scripts } = readManifest();
  const { stdout } = await checkout.start(['sh', '-c', `${scripts.test} "$@"`, 'sh', 'unit', 'a b']).ended();
  assert.equal(
    stdout,
    `pinned Node in ${checkout.root}\n<${join(checkout.root, 'scripts/test-run.ts')}>\n<unit>\n<a b>\n`,
  );
  const run = join(repository, 'scripts/test-run.ts');
  const unknown = await runNode([run, 'nonsense'], '/');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /npm test -- unit/u);
  const nothing = await runNode([run, 'unit', 'no such path'], '/');
  assert.equal(nothing.code, 1);
  assert.match(nothing.stdout, /no test file has a path with no such path/u);
  const chosen = await runNode([run, 'unit', 'scripts/complete-lock'], '/');
  assert.match(chosen.stdout, /^tests: \d+ passed, 0 failed, \d+ skipped\n[^]*The stage passed/mu);
});

test('[RP22] npm test -- slowest lists test files by their last times, the longest first', async () => {
  const { code, stdout } = await runNode([join(repository, 'scripts/test-run.ts'), 'slowest'], '/');
  assert.equal(code, 0);
  const times = [...stdout.matchAll(/^ *([\d.]+) s {2}\S+\.test\.ts$/gmu)].map(([, seconds]) => Number(seconds));
  // The test before this one has left at least its own.
  assert.ok(times.length > 0);
  assert.deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  );
});

test('[RP16] .ci/run runs npm test and nothing else', async (t) => {
  const checkout = new BareCheckout(t);
  const npm = join(checkout.root, '../machine/npm');
  writeFiles(checkout.root, { '../machine/npm': '#!/bin/sh\necho "$* in $PWD"\nexit 9\n' });
  chmodSync(npm, 0o755);
  const { code, stdout } = await checkout.start([join(checkout.root, '.ci/run')], { cwd: '/' }).ended();
  assert.deepEqual([code, stdout], [9, `test in ${checkout.root}\n`]);
});

/** A directory with a few commands of the system and no others. */
function linkCommands(checkout: BareCheckout, names: readonly string[]): string {
  const commands = join(checkout.root, '../commands');
  mkdirSync(commands);
  for (const name of names) symlinkSync(join('/usr/bin', name), join(commands, name));
  return commands;
}

function readManifest(): { scripts: { start: string; test: string } } {
  const text = readFileSync(join(repository, 'package.json'), 'utf8');
  const [start = '', testCommand = ''] = ['start', 'test'].map(
    (name) => new RegExp(`"${name}": "([^"]+)"`, 'u').exec(text)?.[1],
  );
  return { scripts: { start, test: testCommand } };
}
