import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeFiles } from '../checks/testing/planted-repository.ts';
import { BareCheckout, lockFile } from './testing/bare-checkout.ts';
import { setImmediate as rest } from 'node:timers/promises';

test('[RP2] [RP1] a bare checkout is installed from the lock file; after that nothing is done or said', async (t) => {
  const checkout = new BareCheckout(t);
  const first = await checkout.setUp();
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /because there is no node_modules yet\.\nInstalled in \d+ s\.\n$/u);
  assert.match(checkout.npmCalls().join('\n'), /^ci --no-audit --no-fund /u);
  assert.deepEqual(await checkout.setUp(), { code: 0, stdout: '', stderr: '' });
  assert.equal(checkout.npmCalls().length, 1);
});

test('[RP2] a changed lock file, an unfinished node_modules and a missing Node are each mended and named', async (t) => {
  const checkout = new BareCheckout(t);
  await checkout.setUp();
  writeFileSync(join(checkout.root, 'package-lock.json'), `${lockFile('26.10.0')}\n`);
  assert.match((await checkout.setUp()).stderr, /because package-lock\.json has changed since the last installation/u);
  rmSync(join(checkout.root, 'node_modules/.loom-lock.json'));
  assert.match((await checkout.setUp()).stderr, /because node_modules was not completed by an earlier run/u);
  rmSync(join(checkout.root, 'node_modules/.bin/node'));
  assert.match((await checkout.setUp()).stderr, /because the pinned Node is missing from node_modules/u);
  assert.equal(checkout.npmCalls().length, 4);
  assert.equal((await checkout.setUp()).stderr, '');
});

test('[RP3] a success of npm without the pinned Node, or with another version of it, does not count', async (t) => {
  const checkout = new BareCheckout(t);
  const silent = await checkout.setUp({ FAKE_NPM: 'silent' });
  assert.equal(silent.code, 1);
  assert.match(
    silent.stderr,
    /the pinned Node \(v26\.10\.0\) is not among them[^]*npm_config_ignore_scripts=false npm start/u,
  );
  writeFileSync(join(checkout.root, 'package-lock.json'), lockFile('26.11.0'));
  const other = await checkout.setUp();
  assert.equal(other.code, 1);
  assert.match(other.stderr, /expected v26\.11\.0, found v26\.10\.0/u);
  assert.equal(existsSync(join(checkout.root, 'node_modules/.loom-lock.json')), false);
});

test('[RP4] a failure of npm is shown with advice that fits, and the next run tries again', async (t) => {
  const checkout = new BareCheckout(t);
  const words = `npm error code EUSAGE\n${Array.from({ length: 40 }, (_, n) => `npm error Missing: package-${n}`).join('\n')}`;
  const usage = await checkout.setUp({
    FAKE_NPM: `${words}\nnpm error Clean install a project\nnpm error Usage:\nnpm error npm ci`,
  });
  assert.equal(usage.code, 1);
  assert.match(usage.stderr, /npm ci failed \(exit code 7\)[^]*package-39[^]*npm run lock:complete/u);
  assert.doesNotMatch(usage.stderr, /Clean install a project|package-3\n/u);
  const advices = {
    'npm error code ENOTFOUND': /npm ping/u,
    'npm error code ENOSPC': /disk is full/u,
    'npm error code EACCES': /belong to you/u,
    'npm error code E401': /credentials/u,
    'npm error code SELF_SIGNED_CERT_IN_CHAIN': /NODE_EXTRA_CA_CERTS/u,
    'npm error code E404': /mirror may be incomplete/u,
    'npm error code EINTEGRITY': /npm cache clean/u,
    'something else': /Read npm's words above/u,
  };
  for (const [said, advice] of Object.entries(advices)) {
    const { code, stderr } = await checkout.setUp({ FAKE_NPM: said });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`${said}\n`, 'u'));
    assert.match(stderr, advice, said);
  }
  assert.equal((await checkout.setUp()).code, 0);
});

test('[RP4] a lock file with the marks of a merge is refused with advice, before anything is deleted', async (t) => {
  const checkout = new BareCheckout(t);
  await checkout.setUp();
  writeFileSync(join(checkout.root, 'package-lock.json'), `<<<<<<< HEAD\n${lockFile('26.10.0')}`);
  const { code, stderr } = await checkout.setUp();
  assert.equal(code, 1);
  assert.match(stderr, /package-lock\.json is damaged[^]*take one side/u);
  assert.ok(existsSync(join(checkout.root, 'node_modules/.bin/node')));
});

test('[RP5] of two at the same time one installs and the other waits for it', async (t) => {
  const checkout = new BareCheckout(t);
  const first = checkout.start(checkout.setUpCommand(), { env: { FAKE_NPM: 'held' } });
  await checkout.npmStarted();
  const second = checkout.start(checkout.setUpCommand());
  await second.said('waiting for it to end');
  await checkout.openGate();
  assert.equal((await first.ended()).code, 0);
  const { code, stderr } = await second.ended();
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^Another process \(\d+\) is installing; waiting for it to end\.\nThe other process has installed everything\.\n$/u,
  );
  assert.equal(checkout.npmCalls().length, 1);
});

test('[RP5] when the one that installs fails, the one that waits installs', async (t) => {
  const checkout = new BareCheckout(t);
  const first = checkout.start(checkout.setUpCommand(), { env: { FAKE_NPM: 'held' } });
  const npm = await checkout.npmStarted();
  const second = checkout.start(checkout.setUpCommand());
  await second.said('waiting for it to end');
  process.kill(npm, 'SIGKILL');
  assert.notEqual((await first.ended()).code, 0);
  assert.equal((await second.ended()).code, 0);
  assert.equal(checkout.npmCalls().length, 2);
});

test('[RP6] after a kill the next run waits for the npm that goes on alone, then installs anew', async (t) => {
  const checkout = new BareCheckout(t);
  const killed = checkout.start(checkout.setUpCommand(), { env: { FAKE_NPM: 'held' } });
  const npm = await checkout.npmStarted();
  // Until it is written down which process installs, nothing can be known of it.
  const note = join(checkout.root, '.cache/install/turn-1/child-pid');
  while (!existsSync(note) || readFileSync(note, 'utf8') === '') await rest();
  killed.kill('SIGKILL');
  const next = checkout.start(checkout.setUpCommand());
  await next.said(`The npm (process ${npm}) of an interrupted installation is still running`);
  await checkout.openGate();
  assert.equal((await next.ended()).code, 0);
  assert.equal(checkout.npmCalls().length, 2);
  assert.deepEqual(
    readFileSync(join(checkout.root, 'node_modules/.loom-lock.json')),
    readFileSync(join(checkout.root, 'package-lock.json')),
  );
});

test('[RP6] after a kill of both the next run installs at once', async (t) => {
  const checkout = new BareCheckout(t);
  const killed = checkout.start(checkout.setUpCommand(), { env: { FAKE_NPM: 'held' } });
  const npm = await checkout.npmStarted();
  killed.kill('SIGKILL');
  process.kill(npm, 'SIGKILL');
  await killed.ended();
  const next = await checkout.setUp();
  assert.equal(next.code, 0);
  assert.match(next.stderr, /^Installing [^]*not completed by an earlier run/u);
});

test('[RP7] a signal is passed on to npm, and the set-up counts as not done', async (t) => {
  const checkout = new BareCheckout(t);
  const interrupted = checkout.start(checkout.setUpCommand(), { env: { FAKE_NPM: 'held' } });
  const npm = await checkout.npmStarted();
  interrupted.kill('SIGTERM');
  const { code, stderr } = await interrupted.ended();
  assert.equal(code, 143);
  assert.match(stderr, /ended by SIGTERM\.\n\nRun the command again/u);
  assert.throws(() => process.kill(npm, 0), { code: 'ESRCH' });
  assert.match((await checkout.setUp()).stderr, /^Installing [^]*not completed by an earlier run/u);
});

test("[RP8] npm runs in the checkout, on the machine's Node, wherever the command is called", async (t) => {
  const checkout = new BareCheckout(t);
  // As npm does to PATH when it runs a script, here with a Node that must not be used.
  writeFiles(checkout.root, { 'node_modules/.bin/node': '' });
  checkout.path.unshift(join(checkout.root, 'node_modules/.bin'));
  const { code, stderr } = await checkout
    .start(checkout.setUpCommand(), { cwd: '/', env: { NODE_ENV: 'production', npm_config_prefix: checkout.root } })
    .ended();
  assert.equal(code, 0, stderr);
  const machine = join(checkout.root, '../machine');
  const [call = ''] = checkout.npmCalls();
  assert.match(call, /--include=dev/u);
  assert.equal(call.slice(call.indexOf(' in /')), ` in ${checkout.root} on ${machine}/node with prefix none`);
});

test('[RP9] where setting up cannot work it says so and touches nothing', async (t) => {
  const checkout = new BareCheckout(t);
  const pretend = (code: string): string[] => [
    process.execPath,
    '--import',
    `data:text/javascript,${code}`,
    join(checkout.root, 'scripts/bootstrap.mjs'),
  ];
  const machines = [
    {
      code: "Object.defineProperty(process, 'versions', { value: { node: '18.20.0' } })",
      advice: /This is Node 18\.20\.0[^]*nodejs\.org/u,
    },
    { code: "Object.defineProperty(process, 'platform', { value: 'win32' })", advice: /WSL/u },
    { code: 'process.report.getReport = () => ({ header: {} })', advice: /musl[^]*Debian/u },
  ];
  for (const { code, advice } of machines) {
    const { code: exit, stderr } = await checkout.start(pretend(code)).ended();
    assert.equal(exit, 1);
    assert.match(stderr, advice);
  }
  rmSync(join(checkout.root, '../machine/npm'));
  checkout.path.splice(1);
  const withoutNpm = await checkout.setUp();
  assert.equal(withoutNpm.code, 1);
  assert.match(withoutNpm.stderr, /npm was not found on PATH[^]*nodejs\.org/u);
  assert.equal(existsSync(join(checkout.root, 'node_modules')), false);
});
