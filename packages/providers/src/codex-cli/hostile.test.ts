import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rest } from '@loom/kernel/testing';
import { hostileStage } from '../agent-cli/testing/hostile-stage.ts';
import { createCodexProvider } from './provider.ts';

const program = fileURLToPath(import.meta.resolve('./testing/hostile-codex.ts'));

const doors = [
  { name: 'Codex', words: [program] },
  { name: 'Codex without app-server', words: [program, 'old'] },
] as const;

function stage(t: TestContext, words: readonly string[]) {
  return hostileStage(t, words, (parts) => createCodexProvider({ version: '0.1.0', ...parts }));
}

for (const { name, words } of doors) {
  test(`[CI26] ${name} that dies behind any of its lines fails its turn, keeps what was said, and the next turn works`, async (t) => {
    const { say, texts, goesOn } = await stage(t, words);
    for (let step = 0; step <= 5; step += 1) {
      assert.equal(await say(`die behind ${step}`), 'error', `behind ${step} lines`);
      if (step >= 2) assert.ok((await texts()).includes('Half of it.'), `behind ${step} lines`);
    }
    await goesOn();
  });

  test(`[CI26] lines of ${name} that repeat, lie about their names or are none at all change nothing that is true`, async (t) => {
    const { say, texts, goesOn } = await stage(t, words);
    assert.equal(await say('repeat'), 'done');
    const said = await texts();
    assert.equal(said.filter((text) => text === 'Said once.').length, 1);
    assert.equal(said.filter((text) => text === 'Printed once.').length, 1);
    for (const text of ['lie', 'endless line']) {
      assert.equal(await say(text), 'done');
      assert.ok((await texts()).includes(`It was: ${text}.`), text);
    }
    assert.ok(!(await texts()).includes('Never said.'));
    await goesOn();
  });

  test(`[CI26] a flood of ${name}, and a turn that never ends, are stopped like any other turn, and the next one works`, async (t) => {
    const { engine, root, processes, start, goesOn, request } = await stage(t, words);
    for (const text of ['flood', 'hang']) {
      const before = processes.orders.length;
      const turn = await start(text);
      while (processes.orders.length < before + 1) await rest();
      assert.ok((await engine.turns.abort(request(), root, turn)).ok);
      assert.equal(await engine.turns.wait(turn), 'stopped');
      await goesOn();
    }
  });

  test(`[CI26] words of ${name} behind a stop, and behind the end of a turn, are not said in the next one`, async (t) => {
    const { engine, root, start, texts, goesOn, request } = await stage(t, words);
    const turn = await start('speak behind the stop');
    while (!(await texts()).includes('Before the stop.')) await rest();
    assert.ok((await engine.turns.abort(request(), root, turn)).ok);
    assert.equal(await engine.turns.wait(turn), 'stopped');
    await goesOn();
    assert.ok(!(await texts()).includes('Behind the stop.'));
  });
}

test('[CI26] Codex asks about calls that were never made, and is refused; a call is decided once, in the words that were shown', async (t) => {
  const { engine, root, state, start, say, texts, goesOn, request } = await stage(t, [program]);
  assert.equal(await say('ask for nobody'), 'done');
  const turn = await start('ask twice');
  for (;;) {
    const nodes = [...(await state()).nodes.values()];
    const node = nodes.find(({ ask, tool }) => ask !== undefined && tool === 'waiting');
    if (node !== undefined) {
      const decision = { node: node.id, decision: 'approved' as const, arguments: '{"cmd":"ls"}' };
      await engine.turns.decide({ ...request(), type: 'person' }, root, decision);
    }
    if ((await state()).turns.get(turn)?.ended !== undefined) break;
    await rest();
  }
  const answer = ['accept', 'accept', 'decline', 'decline'].map((decision) => ({ decision }));
  assert.ok((await texts()).includes(`Answers: ${JSON.stringify(answer)}`), (await texts()).join('\n'));
  await goesOn();
});

test('[CI26] a Codex that ends without a word where it is given a session is started once more without one', async (t) => {
  const { say, processes } = await stage(t, [program, 'old']);
  assert.equal(await say('silent'), 'error');
  const given = processes.orders
    .filter(({ command }) => command.includes('exec'))
    .map(({ command }) => command.includes('resume'));
  assert.deepEqual(given, [true, false]);
});
