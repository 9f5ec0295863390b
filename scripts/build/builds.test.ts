import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PlantedCheckout } from './testing/planted-checkout.ts';

const bundled = { code: 0, stdout: 'a bundle\none\n', stderr: '' };
const rebuilt = { ...bundled, stderr: 'Building the loom command.\n' };
const fromSources = { code: 0, stdout: 'one\n', stderr: '' };

test('[BD2] the first run builds and says so, the next one runs that build and says nothing', async (t) => {
  const checkout = new PlantedCheckout(t);
  assert.deepEqual(await checkout.loom(), rebuilt);
  assert.deepEqual(await checkout.loom(), bundled);
  assert.equal(checkout.builds().length, 1);
  assert.ok(existsSync(join(checkout.builds()[0] ?? '', 'compiled')), 'compiled code is kept with its build');
});

test('[BD2] what is changed, replaced by something old, added, removed or installed is built', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  const part = join(checkout.root, 'packages/loom/src/part.ts');
  const changes: Record<string, () => void> = {
    'a changed source': () => writeFileSync(part, '// changed\n'),
    'an old source': () => utimesSync(part, new Date(0), new Date(0)),
    'a removed source': () => rmSync(part),
    'a new package': () => mkdirSync(join(checkout.root, 'packages/blocks')),
    'a package.json': () => checkout.write({ 'packages/loom/package.json': '{ "type": "module", "version": "2" }\n' }),
    'an installation': () => checkout.write({ 'node_modules/.loom-lock.json': '{}\n' }),
    'the build itself': () => checkout.write({ 'scripts/build/another.ts': '' }),
  };
  for (const [name, change] of Object.entries(changes)) {
    change();
    assert.deepEqual(await checkout.loom(), rebuilt, name);
    assert.deepEqual(await checkout.loom(), bundled, name);
  }
});

test('[RP11] [BD2] a build takes nothing of what is meant for the program', async (t) => {
  const checkout = new PlantedCheckout(t);
  checkout.write({ 'packages/loom/src/main.ts': echo });
  const command = ['sh', '-c', `printf typed | ./loom 'two words' '' -x`];
  for (const note of [/^Building/u, /^$/u]) {
    const { code, stdout, stderr } = await checkout.start({}, checkout.root, command).ended();
    assert.equal(code, 5);
    assert.equal(stdout, `a bundle\n${JSON.stringify([['two words', '', '-x'], checkout.root, 'typed'])}\n`);
    assert.match(stderr, note);
  }
});

test('[RP13] npm start builds as ./loom does', async (t) => {
  const checkout = new PlantedCheckout(t);
  const command = [process.execPath, 'scripts/start.mjs'];
  assert.deepEqual(await checkout.start({}, checkout.root, command).ended(), rebuilt);
});

test('[BD3] tests and what only tests use are no reason to build', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  const files = ['packages/loom/src/main.test.ts', 'packages/loom/src/testing/planted.ts', 'package.json'];
  checkout.write(Object.fromEntries(files.map((file) => [file, '{}\n'])));
  assert.deepEqual(await checkout.loom(), bundled);
});

test('[BD4] what is changed while a build is made is in the next one', async (t) => {
  const checkout = new PlantedCheckout(t);
  const first = checkout.start({ BUNDLER: 'held' });
  await checkout.announced();
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  await checkout.openGate();
  assert.equal((await first.ended()).stdout, 'a bundle\none\n');
  assert.deepEqual(await checkout.loom(), { ...rebuilt, stdout: 'a bundle\ntwo\n' });
});

test('[BD5] of a killed build nothing is used, and the one before it stays whole', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  const current = readFileSync(join(checkout.root, '.cache/built/current'), 'utf8');
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  const killed = checkout.start({ BUNDLER: 'held' });
  process.kill(await checkout.announced(), 'SIGKILL');
  // A process that waited for it goes on with the sources.
  assert.equal((await killed.ended()).stdout, 'two\n');
  assert.equal(readFileSync(join(checkout.root, '.cache/built/current'), 'utf8'), current);
  assert.deepEqual(await checkout.loom(), { ...rebuilt, stdout: 'a bundle\ntwo\n' });
});

test('[BD5] two that build at once both get theirs, and the older of them does not count for the newer', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  const slow = checkout.start({ BUNDLER: 'held' });
  await checkout.announced();
  checkout.write({ 'packages/loom/src/main.ts': "console.log('three');\n" });
  assert.equal((await checkout.loom()).stdout, 'a bundle\nthree\n');
  await checkout.openGate();
  assert.equal((await slow.ended()).stdout, 'a bundle\ntwo\n');
  assert.equal((await checkout.loom()).stdout, 'a bundle\nthree\n');
});

test('[BD6] a copy of a checkout does not run the builds that were copied with it', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  const copy = join(checkout.root, '../a copy');
  for (const name of ['loom', 'package-lock.json', 'packages', 'scripts', 'node_modules', '.cache']) {
    cpSync(join(checkout.root, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  }
  assert.deepEqual(await checkout.loom({}, copy), { ...rebuilt, stdout: 'a bundle\ntwo\n' });
});

test('[BD7] a build that fails is told of once; the sources run until something changes', async (t) => {
  const checkout = new PlantedCheckout(t);
  const { code, stdout, stderr } = await checkout.loom({ BUNDLER: 'broken' });
  assert.deepEqual([code, stdout], [0, 'one\n']);
  assert.match(stderr, /could not be built, so it runs from its sources.*: planted failure\n.*npm run build/u);
  assert.deepEqual(await checkout.loom(), fromSources);
  assert.deepEqual(checkout.builds(), []);
  checkout.write({ 'packages/loom/src/part.ts': '// mended\n' });
  assert.deepEqual(await checkout.loom(), rebuilt);
});

test('[BD7] a failure that cannot be noted is told, and tried again', async (t) => {
  const checkout = new PlantedCheckout(t);
  mkdirSync(join(checkout.root, '.cache/built/current'), { recursive: true });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { code, stdout, stderr } = await checkout.loom({ BUNDLER: 'broken' });
    assert.deepEqual([code, stdout], [0, 'one\n']);
    assert.match(stderr, /planted failure\nThat could not be noted either, so each command tries it again: [^\n]*\n$/u);
    assert.deepEqual(checkout.builds(), []);
  }
});

test('[BD2] sources behind a link count too', async (t) => {
  const checkout = new PlantedCheckout(t);
  renameSync(join(checkout.root, 'packages'), join(checkout.root, '../elsewhere'));
  symlinkSync('../elsewhere', join(checkout.root, 'packages'));
  assert.deepEqual(await checkout.loom(), rebuilt);
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  assert.deepEqual(await checkout.loom(), { ...rebuilt, stdout: 'a bundle\ntwo\n' });
});

test('[BD7] without the bundler, and after a build that no longer works, the sources run', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  checkout.write({ 'packages/loom/src/main.ts': "console.log('two');\n" });
  // Its folder stays: without it another one might be found in a folder above.
  rmSync(join(checkout.root, 'node_modules/rolldown/index.js'));
  const { stdout, stderr } = await checkout.loom();
  assert.equal(stdout, 'two\n');
  assert.match(stderr, /so it runs from its sources.*: Cannot find module .*rolldown/u);
  assert.deepEqual(await checkout.loom(), { ...fromSources, stdout: 'two\n' });
});

test('[BD7] where nothing can be written, and where there is no find, the sources run without a word', async (t) => {
  const checkout = new PlantedCheckout(t);
  // Not even root can make a folder of this.
  checkout.write({ '.cache': '' });
  assert.deepEqual(await checkout.loom(), fromSources);
  rmSync(join(checkout.root, '.cache'));
  const commands = join(checkout.root, 'commands');
  mkdirSync(commands);
  for (const name of ['cmp', 'dirname', 'mkdir', 'readlink']) symlinkSync(join('/usr/bin', name), join(commands, name));
  checkout.path.splice(0, Infinity, commands);
  assert.deepEqual(await checkout.loom(), fromSources);
});

test('[BD8] a build stays while a process runs it and for some minutes after it was left, then it is removed', async (t) => {
  const checkout = new PlantedCheckout(t);
  checkout.write({ 'packages/loom/src/main.ts': longRunning });
  const running = checkout.start();
  await checkout.announced();
  const rebuild = async (): Promise<void> => {
    checkout.write({ 'packages/loom/src/main.ts': "console.log('one');\n" });
    assert.deepEqual(await checkout.loom(), rebuilt);
  };
  await rebuild();
  await rebuild();
  const [used = '', left = '', current = ''] = checkout.builds();
  leaveLongAgo(used);
  leaveLongAgo(left);
  await rebuild();
  assert.deepEqual(checkout.builds().slice(0, 2), [used, current], 'left long ago and not run by any process');
  await checkout.openGate();
  assert.equal((await running.ended()).stdout, 'a bundle\nlate\n');
  await rebuild();
  assert.deepEqual(checkout.builds().slice(0, 1), [current]);
});

test('[BD8] a build that was current for long is not removed by the one that takes its place', async (t) => {
  const checkout = new PlantedCheckout(t);
  await checkout.loom();
  const [old = ''] = checkout.builds();
  leaveLongAgo(old);
  checkout.write({ 'packages/loom/src/part.ts': '// changed\n' });
  await checkout.loom();
  assert.equal(checkout.builds()[0], old);
});

function leaveLongAgo(build: string): void {
  utimesSync(build, new Date(0), new Date(0));
}

const echo = `
import { readFileSync } from 'node:fs';
console.log(JSON.stringify([process.argv.slice(2), process.cwd(), readFileSync(0, 'utf8')]));
process.exitCode = 5;
`;

// Announces itself, and imports a file of its build when it is let go.
const longRunning = `
import { readFileSync, writeFileSync } from 'node:fs';
const root = import.meta.dirname + '/../../..';
writeFileSync(root + '/started', String(process.pid));
readFileSync(root + '/gate');
await import('./late.mjs');
`;
