import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';
import { say } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import { sumsOf, turnsOf } from './branch-turns.ts';

const origin = { source: 'claude-code', id: 'u' };

/** A branch of messages, each below the one before, a second apart. */
function branch(...messages: readonly Partial<NodeState>[]): NodeState[] {
  return messages.map((message, index) => ({
    id: `r/${index}`,
    parent: index === 0 ? 'r' : `r/${index - 1}`,
    role: 'assistant',
    blocks: [],
    source: { type: 'user' },
    time: index * 1000,
    touched: 0,
    ...message,
  }));
}
const text = (words: string): MessageBlock => ({ type: 'text', text: words });
const user = (...words: string[]): Partial<NodeState> => ({ role: 'user', blocks: words.map(text), origin });
const model = (words: string, input?: number): Partial<NodeState> => ({
  blocks: [text(words)],
  source: {
    type: 'model',
    provider: 'p',
    model_name: 'm',
    parameters: {},
    ...(input === undefined ? {} : { usage: { input_tokens: input, output_tokens: 1, cost_usd: 0.5 } }),
  },
});
const call: Partial<NodeState> = { blocks: [{ type: 'tool-use', id: 'c', name: 'Bash', parameters: {} }] };
const result: Partial<NodeState> = { role: 'tool', tool_call_id: 'c', blocks: [text('ok')] };
const reminder = '<system-reminder>\nBe brief.\n</system-reminder>';
const ended = '<task-notification>\n<summary>Tests ended</summary>\n</task-notification>';
const summary = 'This session is being continued from a previous conversation that ran out of context.';

const told = (path: readonly NodeState[], from?: string): string[] =>
  turnsOf(path, from).map(({ kind, number, start, words, nodes }) =>
    [kind, number, start.id, words, nodes.length].filter((part) => part !== undefined).join(' '),
  );

test('[OP175] a branch is divided into what persons asked, what an agent began on its own, and summaries', () => {
  const path = branch(
    { ...user('Environment'), custom_data: { synthetic: true } },
    user(reminder, 'Count the tides'),
    call,
    user(reminder),
    result,
    user(ended),
    model('Done', 180),
    user(ended),
    model('The tests ended'),
    user(summary),
    user('<command-name>/review</command-name>\n<command-args>12</command-args>'),
    model('Reviewed', 20),
    user('<command-name>/exit</command-name>'),
    user('<local-command-stdout>Bye</local-command-stdout>'),
    user('And the moon?'),
  );
  assert.deepEqual(told(path), [
    'person 1 r/1 Count the tides 6',
    'own r/7 Background task: Tests ended 2',
    'summary r/9 Context summarized 1',
    'person 2 r/10 /review 12 4',
    'person 3 r/14 And the moon? 1',
  ]);
  const { before, after } = turnsOf(path).find(({ kind }) => kind === 'summary') ?? {};
  assert.deepEqual([before, after], [181, 20]);
});

test('[OP175] a branch that a program begins, or that goes on after a summary, has a turn without a number', () => {
  assert.deepEqual(told(branch(model('Hello'), user('Hi'))), ['own r/0 Hello 1', 'person 1 r/1 Hi 1']);
  assert.deepEqual(told(branch(user(summary), model('I go on'))), [
    'summary r/0 Context summarized 1',
    'own r/1 I go on 1',
  ]);
  assert.deepEqual(told([]), []);
});

test('[OP176] from any message on, turns are the end of the whole list', () => {
  const path = branch(
    user('One'),
    model('a'),
    user('Two'),
    call,
    result,
    model('b'),
    user(summary),
    model('c'),
    user('Three'),
  );
  const all = told(path);
  for (const [index, { id }] of path.entries()) {
    const first = index < 2 ? 0 : index < 8 ? 1 : 3;
    assert.deepEqual(told(path, id), all.slice(first), id);
  }
});

test('[OP176] a turn sums up its calls, their tokens and costs, and lasts until the end of its last message', () => {
  const [turn] = turnsOf(
    branch(
      user('Go'),
      { ...model('a', 100), ...call },
      { ...result, ended_at: new Date(9500).toISOString() },
      model('b', 50),
    ),
  );
  assert.ok(turn);
  const { tools, duration, spent, answer, end } = sumsOf(turn);
  assert.deepEqual([tools, duration, answer?.id, end.id], [1, 9500, 'r/1', 'r/3']);
  assert.deepEqual(
    spent.map(({ calls, input_tokens: input, cost_usd: cost }) => [calls, input, cost]),
    [[2, 150, 1]],
  );
});

test('[OP175] [OP176] tree.turns lists the turns of the newest branch, or of the one up to a message, a page at a time', async () => {
  const world = await createWorld([say('so'), say('then')]);
  const { engine, root } = world;
  const caller = { agent: 'person', type: 'person', role: 'reader', door: 'library', id: 'q' } as const;
  const list = async (params: object) => {
    const outcome = await engine.call('tree.turns', caller, { root, ...params });
    return outcome.ok ? outcome.value : outcome.refusal.reason;
  };
  assert.deepEqual(await list({}), { items: [] });
  const first = await world.say('one');
  await engine.turns.wait(await world.answer(first));
  const second = await world.say('two', `${root}/node-2`);
  await engine.turns.wait(await world.answer(second));
  const all = await list({});
  assert.ok(typeof all === 'object');
  assert.deepEqual(
    all.items.map(({ node, number, words, answer, end, tools }) => [node, number, words, answer, end, tools]),
    [
      [first, 1, 'one', `${root}/node-2`, `${root}/node-2`, 0],
      [second, 2, 'two', `${root}/node-4`, `${root}/node-4`, 0],
    ],
  );
  assert.deepEqual(await list({ from: `${root}/node-4` }), { items: all.items.slice(1) });
  assert.deepEqual(await list({ node: `${root}/node-2` }), { items: all.items.slice(0, 1) });
  assert.deepEqual(await list({ limit: 1 }), { items: all.items.slice(0, 1), next: first });
  assert.equal(await list({ node: `${root}/node-9` }), 'node-not-found');
});
