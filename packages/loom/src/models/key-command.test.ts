import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKeyCommand } from './key-command.ts';

const env = { PATH: process.env['PATH'], HOME: '/somewhere', ANTHROPIC_API_KEY: 'from-environment' };

test('[MO20] a text is run by the shell, a list as it is; the first line is the key', async () => {
  const key = { ok: true, key: 'sk-1' };
  assert.deepEqual(await runKeyCommand('printf "sk-1\\nnotes\\n" | cat', { env }), key);
  assert.deepEqual(await runKeyCommand(['printf', 'sk-1\n'], { env }), key);
  assert.deepEqual(await runKeyCommand(['printf', '%s', '$HOME;~'], { env }), { ok: true, key: '$HOME;~' });
  assert.deepEqual(await runKeyCommand('echo ~', { env }), { ok: true, key: '/somewhere' });
  assert.deepEqual(await runKeyCommand('echo "<$ANTHROPIC_API_KEY>"', { env }), { ok: true, key: '<>' });
});

test('[MO20] what goes wrong is said without the command and without what it printed', async () => {
  const failures: [command: string | string[], message: string][] = [
    ['echo secret; exit 3', 'ended with exit code 3'],
    ['echo secret >&2; kill $$', 'was ended by a signal'],
    ['true', 'printed nothing'],
    ['echo "two words"', 'printed something that is no key'],
    [['/no/such/program', 'secret'], 'could not be started'],
    ['yes secret', 'printed far more than a key'],
  ];
  for (const [command, message] of failures) {
    assert.deepEqual(await runKeyCommand(command, { env }), { ok: false, message }, String(command));
  }
});

test('[MO20] a program that does not end is left, also if something holds its output', async () => {
  const answer = await runKeyCommand('sleep 60 & sleep 60', { env, patience: 50 });
  assert.deepEqual(answer, { ok: false, message: 'printed no key within 1 second' });
});
