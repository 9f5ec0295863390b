import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { configRules } from './rule-port.ts';

const rule = { tool: 'shell', command: `git commit -m 'a "b"' *`, directory: '/code/app', effect: 'allow' } as const;

function createStage(t: TestContext, text?: string) {
  const dataDir = temporaryDirectory(t);
  const file = join(dataDir, 'config.toml');
  if (text !== undefined) writeFileSync(file, text);
  return {
    port: configRules({ dataDir, now: () => Date.UTC(2026, 10, 18) }),
    file,
    text: () => readFileSync(file, 'utf8'),
  };
}

test('[PM8] a rule that is stored is read back as it was shown, and everything else in the file stays', async (t) => {
  const before =
    '# mine\n[defaults]\nmodel = "demo/demo" # this one\n\n[[permissions]]\ntool = "edit"\npath = "src/**"\neffect = "deny"\n';
  const { port, text } = createStage(t, before);
  const id = await port.add(rule, 'ann');
  assert.ok(text().startsWith(before.trimEnd()));
  const [first, second, ...others] = await port.list();
  assert.deepEqual(first, { id: 'rule-1', rule: { tool: 'edit', path: 'src/**', effect: 'deny' } });
  assert.deepEqual(second, { id, rule, by: 'ann', at: '2026-11-18T00:00:00.000Z' });
  assert.deepEqual(others, []);
  assert.equal(await port.add({ ...rule }, 'bob'), id, 'the same rule is not stored twice');
  assert.equal(await port.remove(id), true);
  assert.equal(text().trimEnd(), before.trimEnd());
  assert.equal(await port.remove(id), false);
  assert.equal(await port.remove('rule-1'), true);
  assert.deepEqual(await port.list(), []);
  assert.match(text(), /model = "demo\/demo" # this one/u);
});

test('[PM8] a folder without a configuration has no rules, and gets one with its first', async (t) => {
  const { port } = createStage(t);
  assert.deepEqual(await port.list(), []);
  await port.add(rule, 'ann');
  assert.equal((await port.list()).length, 1);
});

test('[PM9] while a rule cannot be read none counts, and the failure names it', async (t) => {
  for (const wrong of [
    'tool = "shell"\ncomand = "rm *"\neffect = "allow"',
    'tool = "shell"\neffect = "alow"',
    'effect = "allow"',
  ]) {
    const { port } = createStage(t, `[[permissions]]\n${wrong}\n`);
    await assert.rejects(port.list(), /permissions in .* cannot be read/u);
  }
});
