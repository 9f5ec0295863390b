import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createStage, starts } from './testing/claude-stage.ts';

/** A Loom in which the fake program is asked in some mode, and a person decides about its one question. */
async function createMode(t: TestContext, mode: 'plan' | 'ask' | 'edit' | 'sandbox') {
  const stage = await createStage(t);
  const { engine, root, start, waiting, request, configure, logged, leaf, say, state } = stage;
  await configure({ approval_mode: mode });
  const decide = async (
    words: string,
    decision: {
      decision: 'approved' | 'denied';
      mode?: 'ask' | 'edit' | 'sandbox';
      scope?: 'conversation';
      text?: string;
    },
  ) => {
    const turn = await start(await leaf(), words);
    const node = await waiting();
    const call = [...(await state()).nodes.values()]
      .flatMap(({ blocks }) => blocks)
      .findLast((block) => block.type === 'tool-use');
    assert.ok(call?.type === 'tool-use');
    const decided = { node: node.id, arguments: call.arguments ?? JSON.stringify(call.parameters), ...decision };
    const outcome = await engine.turns.decide({ ...request(), type: 'person' }, root, decided);
    if (outcome.ok) await engine.turns.wait(turn);
    return { ask: node.ask, outcome, turn, node };
  };
  /** The answer that the program got last. */
  const told = (): unknown => logged().findLast((line) => !Array.isArray(line));
  const modeOfLoom = async (): Promise<unknown> => (await state()).config['approval_mode'];
  /** The modes in which processes were started. */
  const modes = (): (string | undefined)[] =>
    starts(logged()).map((words) => words[words.indexOf('--permission-mode') + 1]);
  const next = async (): Promise<string> => say(await leaf(), 'on');
  return { ...stage, decide, told, modeOfLoom, modes, next };
}

test('[CI30] a plan is shown as one, with the modes to go on in; the chosen one is that of the program and of the conversation', async (t) => {
  const { decide, told, modeOfLoom, modes, next, configure } = await createMode(t, 'plan');
  const { ask } = await decide('plan it', { decision: 'approved', mode: 'edit' });
  assert.deepEqual(
    [ask?.modes, ask?.preview, ask?.rules],
    [['ask', 'edit'], [{ type: 'text', text: '1. Look\n2. Write' }], undefined],
  );
  const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  assert.partialDeepStrictEqual(told(), { behavior: 'allow', updatedPermissions: [setMode] });
  assert.equal(await modeOfLoom(), 'edit');
  await next();
  assert.deepEqual(modes(), ['plan'], 'the process is in the mode that the turn is asked for in');
  await configure({ approval_mode: 'plan' });
  await next();
  assert.deepEqual(modes(), ['plan', 'plan'], 'one that has left plan mode is not used for a plan');
});

test('[CI30] a plan that is approved without a choice goes on asking; one that is denied stays a plan, in the same process', async (t) => {
  const { decide, told, modeOfLoom, modes, next } = await createMode(t, 'plan');
  await decide('plan it', { decision: 'denied', text: 'Smaller.' });
  assert.deepEqual(told(), { behavior: 'deny', message: 'Smaller.' });
  await next();
  assert.deepEqual([await modeOfLoom(), modes()], ['plan', ['plan']]);
  await decide('plan it', { decision: 'approved' });
  assert.equal(await modeOfLoom(), 'ask');
  await next();
  assert.deepEqual(modes(), ['plan']);
});

test('[CI30] its own sandbox cannot be chosen for a plan: the running program does not take it', async (t) => {
  const { engine, decide, root, request } = await createMode(t, 'plan');
  const { outcome, turn } = await decide('plan it', { decision: 'approved', mode: 'sandbox' });
  assert.match(JSON.stringify(outcome), /must be one that the call offers/);
  await engine.turns.abort(request(), root, turn);
});

test('[CI30] a mode that is allowed for the conversation becomes its mode; one that asks nothing is not offered', async (t) => {
  const { decide, told, modeOfLoom, modes, next } = await createMode(t, 'ask');
  const { ask } = await decide('edit it', { decision: 'approved', scope: 'conversation' });
  assert.deepEqual(
    ask?.rules?.map(({ tool }) => tool),
    ['Edit'],
  );
  const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  assert.partialDeepStrictEqual(told(), { behavior: 'allow', updatedPermissions: [setMode] });
  assert.equal(await modeOfLoom(), 'edit');
  await next();
  assert.deepEqual(modes(), ['default']);
});

test('[CI30] a mode that is allowed once leaves that of the conversation alone', async (t) => {
  const { decide, modeOfLoom, modes, next } = await createMode(t, 'ask');
  await decide('edit it', { decision: 'approved' });
  await next();
  assert.deepEqual([await modeOfLoom(), modes()], ['ask', ['default']]);
});
