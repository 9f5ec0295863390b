import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { Approval } from '@loom/kernel';
import type { FakeTurn } from './testing/fake-codex.ts';
import { hear, machine, requestOf, user } from './testing/heard-provider.ts';
import type { Heard } from './testing/heard-provider.ts';

/** Lets Codex ask in a turn with one call, `c`. Returns its questions, what it was told, and what was heard. */
async function asking(
  t: TestContext,
  ask: (turn: FakeTurn) => Promise<PlainObject[]>,
  decide: (call: string) => Omit<Approval, 'by'> = () => ({ decision: 'approved' }),
): Promise<{ replies: PlainObject[]; heard: Heard }> {
  const replies: PlainObject[] = [];
  const { provider } = machine(t, async (turn) => {
    turn.item({ type: 'function_call', id: 'fc', name: 'lookup', arguments: '{}', call_id: 'c' });
    replies.push(...(await ask(turn)));
    turn.item({ type: 'function_call_output', id: 'fco', call_id: 'c', output: 'found' });
    turn.say('m', 'Done');
    turn.end();
  });
  const heard = await hear(provider, requestOf([user('go')]), {
    decide: (call) => ({ by: 'person', ...decide(call) }),
  });
  await provider.close?.();
  assert.equal(heard.events.at(-1)?.type, 'call-end');
  return { replies, heard };
}

const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n';

for (const [scope, decision] of [
  [undefined, 'accept'],
  ['conversation', 'acceptForSession'],
] as const) {
  test(`[CJ18] a change of files is shown with its diff and reason, and approved: ${decision}`, async (t) => {
    const { replies, heard } = await asking(
      t,
      async (turn) => {
        const changes = [{ path: 'a.txt', kind: { type: 'update' }, diff }];
        turn.notice('item/started', { item: { id: 'c', type: 'fileChange', status: 'inProgress', changes } });
        return [await turn.ask('item/fileChange/requestApproval', { itemId: 'c', reason: 'To mend it.' })];
      },
      () => ({ decision: 'approved', ...(scope === undefined ? {} : { scope }) }),
    );
    assert.deepEqual(replies, [{ decision }]);
    const [[call, ask] = ['', undefined]] = heard.asks;
    assert.equal(call, 'c');
    assert.match(JSON.stringify(ask?.preview), /"type":"file-change".*a\.txt.*"text":"To mend it\."/u);
  });
}

test('[CJ18] a change of files that is denied, and one that no person can decide, is declined', async (t) => {
  const { replies } = await asking(
    t,
    async (turn) => [await turn.ask('item/fileChange/requestApproval', { itemId: 'c' })],
    () => ({ decision: 'denied' }),
  );
  assert.deepEqual(replies, [{ decision: 'decline' }]);
});

test('[CJ18] permissions are granted as they were asked for, for the turn or the session, and nothing where they are denied', async (t) => {
  const permissions = { network: { enabled: true }, fileSystem: null };
  const decisions: Omit<Approval, 'by'>[] = [
    { decision: 'approved' },
    { decision: 'approved', scope: 'conversation' },
    { decision: 'denied' },
  ];
  const told: PlainObject[] = [];
  for (const decision of decisions) {
    const { replies, heard } = await asking(
      t,
      async (turn) => [
        await turn.ask('item/permissions/requestApproval', { itemId: 'c', permissions, reason: 'Why.' }),
      ],
      () => decision,
    );
    told.push(...replies);
    assert.match(JSON.stringify(heard.asks[0]?.[1].preview), /more permissions: .*network.*"text":"Why\."/u);
  }
  const network = { network: { enabled: true } };
  assert.deepEqual(told, [
    { permissions: network, scope: 'turn' },
    { permissions: network, scope: 'session' },
    { permissions: {}, scope: 'turn' },
  ]);
});

test('[CJ18] questions of the model come with their choices, and each answer goes back under its id', async (t) => {
  const questions = [
    {
      id: 'color',
      header: 'Color',
      question: 'Which color?',
      options: [{ label: 'Red', description: 'fire' }, { label: 'Blue' }],
    },
    { id: 'why', header: 'Why', question: 'Why?', options: null },
  ];
  const { replies, heard } = await asking(
    t,
    async (turn) => [await turn.ask('item/tool/requestUserInput', { itemId: 'c', questions })],
    () => ({ decision: 'answered', answers: [{ chosen: ['Blue'], text: 'dark' }, { text: 'It is calm.' }] }),
  );
  assert.deepEqual(heard.asks, [
    [
      'c',
      {
        kind: 'question',
        preview: [],
        questions: [
          { text: 'Which color?', choices: [{ label: 'Red', detail: 'fire' }, { label: 'Blue' }] },
          { text: 'Why?' },
        ],
      },
    ],
  ]);
  assert.deepEqual(replies, [{ answers: { color: { answers: ['Blue', 'dark'] }, why: { answers: ['It is calm.'] } } }]);
});

test('[CJ19] what a sub-agent asks is decided in the main conversation, as a call of its own that names it', async (t) => {
  const { replies, heard } = await asking(
    t,
    async (turn) => {
      const from = { threadId: 'thread-of-agent', turnId: 'x', itemId: 'its-call' };
      const first = turn.ask('item/commandExecution/requestApproval', { ...from, command: 'rm a', reason: 'Old.' });
      const second = turn.ask('item/commandExecution/requestApproval', { ...from, command: 'rm b' });
      return [await first, await second];
    },
    (call) => ({ decision: call.endsWith('q1') ? 'approved' : 'denied' }),
  );
  assert.deepEqual(replies, [{ decision: 'accept' }, { decision: 'decline' }]);
  const asked = heard.events.flatMap((event) =>
    event.type === 'block' && event.block.type === 'tool-use' && event.block.name === 'exec_command'
      ? [event.block]
      : [],
  );
  assert.deepEqual(
    asked.map(({ parameters, provider }) => [parameters, provider]),
    [
      [
        { command: 'rm a', reason: 'Old.' },
        { codex: { asked_by: 'thread-of-agent', method: 'item/commandExecution/requestApproval' } },
      ],
      [
        { command: 'rm b' },
        { codex: { asked_by: 'thread-of-agent', method: 'item/commandExecution/requestApproval' } },
      ],
    ],
  );
});

test('[CJ12] a question of an MCP server is put to a person under the call that runs', async (t) => {
  const { replies, heard } = await asking(t, async (turn) => [
    await turn.ask('mcpServer/elicitation/request', {
      serverName: 'notes',
      message: 'May I?',
      requestedSchema: { type: 'object', properties: {} },
    }),
  ]);
  assert.deepEqual([replies.map(({ action }) => action), heard.asks.map(([call]) => call)], [['accept'], ['c']]);
});

test('[CJ20] a form of an MCP server is asked as questions, also as the second thing that it asks about one call', async (t) => {
  const form = {
    type: 'object',
    required: ['name', 'size', 'sure'],
    properties: {
      name: { type: 'string', title: 'Name', description: 'as on the list' },
      size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
      sure: { type: 'boolean' },
      count: { type: 'integer' },
      tags: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'A' },
            { const: 'b', title: 'B' },
          ],
        },
      },
    },
  };
  const { replies, heard } = await asking(
    t,
    async (turn) => {
      const ask = (more: PlainObject) =>
        turn.ask('mcpServer/elicitation/request', { serverName: 'notes', message: 'Who?', ...more });
      return [
        await ask({}),
        await ask({ requestedSchema: form }),
        await ask({ requestedSchema: { ...form, required: [] } }),
      ];
    },
    (call) => {
      if (call === 'c') return { decision: 'approved' };
      const count = call.endsWith('q3') ? 'many' : '';
      const answers = [{ text: 'Ann' }, { chosen: ['Large'] }, { chosen: ['Yes'] }, { text: count }, { chosen: ['B'] }];
      return { decision: 'answered', answers };
    },
  );
  assert.deepEqual(
    replies.map(({ action, content }) => [action, content]),
    [
      ['accept', {}],
      ['accept', { name: 'Ann', size: 'l', sure: true, tags: ['b'] }],
      ['decline', null],
    ],
    'a word is no number',
  );
  assert.deepEqual(
    heard.asks[1]?.[1].questions?.map(({ text, choices = [] }) => [text, choices.map(({ label }) => label)]),
    [
      ['notes asks: Who?\nName: as on the list', []],
      ['size', ['Small', 'Large']],
      ['sure', ['Yes', 'No']],
      ['count (may be left empty)', []],
      ['tags (may be left empty)', ['A', 'B']],
    ],
  );
});

test('[CJ20] a form that holds what cannot be asked, or sends a person to an address, is declined', async (t) => {
  const nested = { type: 'object', required: ['at'], properties: { at: { type: 'object' } } };
  const { replies, heard } = await asking(t, async (turn) => {
    const ask = (more: PlainObject) =>
      turn.ask('mcpServer/elicitation/request', { serverName: 'notes', message: 'Who?', ...more });
    return [await ask({ requestedSchema: nested }), await ask({ url: 'https://example.org/login' })];
  });
  assert.deepEqual([replies.map(({ action }) => action), heard.asks], [['decline', 'decline'], []]);
});
