import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '@loom/kernel/testing';
import { PROGRAM, ownEnvironment, runLoom } from './testing/loom-process.ts';

test('[LM11] the process ends with the codes: 0 done, 1 refused, 2 usage', async (context) => {
  const home = temporaryDirectory(context);
  const done = await runLoom(['--version'], { home });
  assert.deepEqual({ ...done, stdout: '' }, { code: 0, stdout: '', stderr: '' });
  assert.match(done.stdout, /^loom \d/);
  const refused = await runLoom(['config', 'get', 'defaults.model'], { home });
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  const wrong = await runLoom(['confg'], { home });
  assert.deepEqual(wrong, {
    code: 2,
    stdout: '',
    stderr: 'loom: loom has no command "confg"\nDid you mean loom config?\n',
  });
});

test('[LM4] help and version load a handful of files beside the tables of commands, and of other packages only what compares words', async (context) => {
  const home = temporaryDirectory(context);
  const spy = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, about, next) { process.stderr.write(url + '\\n'); return next(url, about); } });`)}`;
  const source = pathToFileURL(join(import.meta.dirname, '/')).href;
  for (const args of [['--help'], ['--version'], ['config', '--help']]) {
    const { code, stderr } = await runLoom(args, { home, nodeArgs: ['--import', spy] });
    assert.equal(code, 0);
    const loaded = stderr
      .trim()
      .split('\n')
      .filter((url) => !url.startsWith('node:'));
    assert.ok(
      loaded.some((url) => url.endsWith('main.ts')),
      stderr,
    );
    const foreign = loaded.filter((url) => !url.startsWith(source) && !url.endsWith('packages/loom/package.json'));
    assert.deepEqual(
      foreign.map((url) => url.slice(url.lastIndexOf('/packages/'))),
      ['/packages/blocks/src/nearest-word.ts'],
    );
    const tables = loaded.filter((url) => url.endsWith('commands.ts') && url.includes('/command-line/'));
    const most = 13;
    assert.ok(loaded.length - tables.length <= most, `${args.join(' ')} loads more than ${most} files:\n${stderr}`);
  }
});

test('[LM9] [CF31] [CF43] a key piped in lands in ~/.loom/config.toml, byte for byte, open to its owner only', async (context) => {
  const home = temporaryDirectory(context);
  const { code, stdout, stderr } = await runLoom(['config', 'set', 'providers.openai.apiKey', '-'], {
    home,
    input: 'sk-piped-0123456789\n',
  });
  assert.deepEqual([code, stdout, stderr], [0, 'Set providers.openai.apiKey in ~/.loom/config.toml.\n', '']);
  const file = join(home, '.loom', 'config.toml');
  assert.equal(readFileSync(file, 'utf8'), '[providers.openai]\napiKey = "sk-piped-0123456789"\n');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('[LM10] with --json stdout is one document with `ok` and stderr is empty, whatever happens', async (context) => {
  const home = temporaryDirectory(context);
  for (const args of [
    ['config', '--json'],
    ['--json', 'config', 'get', 'nope'],
    ['config', '--json', '--bad'],
    ['--json', 'x'],
  ]) {
    const { stdout, stderr } = await runLoom(args, { home });
    const document: unknown = JSON.parse(stdout);
    assert.ok(typeof document === 'object' && document !== null && 'ok' in document, stdout);
    assert.equal(stderr, '');
  }
});

test('[LM12] a reader that closes the pipe early is no error', async (context) => {
  const home = temporaryDirectory(context);
  const child = spawn(process.execPath, [PROGRAM, 'config', '--help'], {
    env: ownEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.destroy();
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(stderr, '');
});

test(
  '[LM12] results that cannot be written are a failure',
  { skip: process.platform !== 'linux' && 'needs /dev/full' },
  async (context) => {
    const full = openSync('/dev/full', 'w');
    const home = temporaryDirectory(context);
    await runLoom(['demo'], { home });
    const child = spawn(process.execPath, [PROGRAM, 'export-store', '-'], {
      env: ownEnvironment(home),
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.equal(stderr, 'loom: cannot write the results: ENOSPC\n', 'and nothing that says otherwise');
  },
);

test('[CF34] processes that change settings at the same time all succeed and lose nothing', async (context) => {
  const home = temporaryDirectory(context);
  const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
  const outcomes = await Promise.all(
    numbers.map((number) => runLoom(['config', 'set', `presets.p${number}.n`, `${number}`], { home })),
  );
  assert.deepEqual(
    outcomes.map(({ code, stderr }) => `${code}${stderr}`),
    numbers.map(() => '0'),
  );
  const text = readFileSync(join(home, '.loom', 'config.toml'), 'utf8');
  for (const number of numbers) assert.ok(text.includes(`[presets.p${number}]\nn = ${number}\n`), text);
});
