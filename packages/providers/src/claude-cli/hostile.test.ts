import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rest } from '@loom/kernel/testing';
import { hostileStage } from '../agent-cli/testing/hostile-stage.ts';
import { createClaudeProvider } from './provider.ts';

const program = fileURLToPath(import.meta.resolve('./testing/hostile-claude.ts'));

function stage(t: TestContext) {
  return hostileStage(t, [program], createClaudeProvider);
}

test('[CI26] a program that dies behind any of its lines fails its turn, keeps what was said, and the next turn works', async (t) => {
  const { say, texts, goesOn } = await stage(t);
  for (let step = 0; step <= 6; step += 1) {
    assert.equal(await say(`die behind ${step}`), 'error', `behind ${step} lines`);
    if (step >= 4)
      assert.ok(
        (await texts()).some((text) => text.startsWith('Half')),
        `behind ${step} lines`,
      );
  }
  await goesOn();
});

test('[CI26] lines that repeat, lie about their names or are none at all change nothing that is true', async (t) => {
  const { say, texts, goesOn } = await stage(t);
  assert.equal(await say('repeat'), 'done');
  const said = await texts();
  assert.equal(said.filter((text) => text === 'Said once.').length, 1);
  assert.ok(said.includes('Said in the same message.'));
  assert.equal(await say('lie'), 'done');
  assert.ok((await texts()).includes('It was: lie.'));
  assert.equal(await say('endless line'), 'done');
  assert.ok((await texts()).includes('It was: endless line.'));
  await goesOn();
});

test('[CI26] a flood is stopped like any other turn, and the next one works', async (t) => {
  const { engine, root, start, texts, goesOn, request } = await stage(t);
  const turn = await start('flood');
  while (!(await texts()).some((text) => text.startsWith('flood flood'))) await rest();
  assert.ok((await engine.turns.abort(request(), root, turn)).ok);
  assert.equal(await engine.turns.wait(turn), 'stopped');
  await goesOn();
});

test('[CI26] questions about calls that were never made are denied, and one that is asked twice is decided once', async (t) => {
  const { engine, root, state, start, say, texts, goesOn, request } = await stage(t);
  assert.equal(await say('ask for nobody'), 'done');
  const turn = await start('ask twice');
  const find = async () =>
    [...(await state()).nodes.values()].find(({ ask, tool }) => ask !== undefined && tool === 'waiting');
  for (;;) {
    const node = await find();
    if (node !== undefined) {
      const decision = { node: node.id, decision: 'approved' as const, arguments: '{"command":"ls"}' };
      await engine.turns.decide({ ...request(), type: 'person' }, root, decision);
    }
    if ((await state()).turns.get(turn)?.ended !== undefined) break;
    await rest();
  }
  assert.ok((await texts()).includes('It was: ask twice.'));
  await goesOn();
});

test('[CI26] words behind a stop, and behind the end of a turn, are not said in the next one', async (t) => {
  const { engine, root, start, texts, goesOn, request } = await stage(t);
  const turn = await start('speak behind the stop');
  while (!(await texts()).includes('Before the stop.')) await rest();
  assert.ok((await engine.turns.abort(request(), root, turn)).ok);
  assert.equal(await engine.turns.wait(turn), 'stopped');
  await goesOn();
  assert.ok(!(await texts()).includes('Behind the stop.'));
});
