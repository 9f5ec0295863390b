import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory, VirtualClock } from '@loom/kernel/testing';
import { configRules } from './rule-port.ts';

const rule = { tool: 'shell', command: `git commit -m 'a "b"' *`, directory: '/code/app', effect: 'allow' } as const;

function createStage(t: TestContext, text?: string) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 18));
  const dataDir = temporaryDirectory(t);
  const file = join(dataDir, 'config.toml');
  if (text !== undefined) writeFileSync(file, text);
  return {
    port: configRules({ dataDir, clock }),
    file,
    dataDir,
    clock,
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

test('[PM12] uses of a rule are counted beside the configuration, also for one without an id, and begin anew with a new rule', async (t) => {
  const byHand = '[[permissions]]\ntool = "edit"\npath = "src/**"\neffect = "allow"\n';
  const { port, dataDir, clock, text } = createStage(t, byHand);
  const id = await port.add(rule, 'ann');
  const before = text();
  const other = { tool: 'shell', command: 'ls', effect: 'allow' } as const;
  for (const used of [rule, rule, { tool: 'edit', path: 'src/**', effect: 'allow' } as const, other]) port.used(used);
  const last_used = '2026-11-18T00:00:00.000Z';
  const counted = [
    ['rule-1', { uses: 1, last_used }],
    [id, { uses: 2, last_used }],
  ];
  assert.deepEqual([...(await port.uses())], counted, 'a rule that is not stored does not count');
  await port.close();
  const reopened = configRules({ dataDir, clock });
  assert.deepEqual([...(await reopened.uses())], counted);
  assert.equal(text(), before, 'the configuration is left alone');
  await reopened.remove(id);
  reopened.used(rule);
  reopened.used({ tool: 'edit', path: 'src/**', effect: 'allow' });
  await reopened.close();
  const again = await reopened.add(rule, 'ann');
  assert.deepEqual([...(await reopened.uses())], [['rule-1', { uses: 2, last_used }]]);
  assert.notEqual(again, id);
});

test('[PM12] counts that cannot be read begin anew, and hinder nothing', async (t) => {
  const { port, dataDir } = createStage(t);
  const id = await port.add(rule, 'ann');
  writeFileSync(join(dataDir, 'permission-uses.json'), '{"x":');
  port.used(rule);
  assert.equal((await port.uses()).get(id)?.uses, 1);
  await port.close();
  assert.match(readFileSync(join(dataDir, 'permission-uses.json'), 'utf8'), /"uses": 1/u);
});
