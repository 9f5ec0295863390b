import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { assertValid, callsWithoutOneResult, GrownForest, outlineOf, readLines } from '../foreign/testing/forest.ts';
import { Tally } from '../foreign/foreign.ts';
import { createDialectReader } from './dialect.ts';
import { dialects } from './dialects.ts';
import { documentDialects, documentsIn } from './documents.ts';

const shell = { command: 'ls' };
const claudeContent = {
  asked: { role: 'user', content: [{ type: 'text', text: 'List' }] },
  called: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Execute', input: shell }] },
  result: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt' }] },
  done: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] },
};
const { asked, called, result, done } = claudeContent;
const looped = (event: PlainObject): PlainObject => ({
  type: 'context.append_loop_event',
  event,
  time: 1_785_615_365_000,
});
const step = (index: number, type: string, more: PlainObject): PlainObject => ({
  step_index: index,
  source: 'MODEL',
  type,
  ...more,
});
const geminiLine = (type: string, uuid: string, parts: PlainObject[]): PlainObject => ({
  type,
  uuid,
  sessionId: 's1',
  cwd: '/project',
  message: { role: type === 'assistant' ? 'model' : 'user', parts },
});

/** The same short session as each program writes it. */
const sessions: Record<string, PlainObject[]> = {
  droid: [
    { type: 'session_start', id: 's1', title: 'T', cwd: '/project' },
    ...[asked, called, result, done].map((message, index) => ({ type: 'message', id: `m${index}`, message })),
  ],
  cursor: [asked, called, result, done].map(({ role, content }) => ({ role, message: { content } })),
  copilot: [
    { type: 'session.start', id: 'e0', data: { sessionId: 's1', context: { cwd: '/project' } } },
    { type: 'user.message', id: 'e1', data: { content: 'List' } },
    {
      type: 'assistant.message',
      id: 'e2',
      data: {
        content: '',
        model: 'gpt-x',
        toolRequests: [{ toolCallId: 'c1', name: 'shell', arguments: '{"command":"ls"}' }],
      },
    },
    { type: 'tool.execution_start', id: 'e3', data: { toolCallId: 'c1' } },
    {
      type: 'tool.execution_complete',
      id: 'e4',
      data: { toolCallId: 'c1', success: true, result: { content: 'a.txt' } },
    },
    { type: 'assistant.message', id: 'e5', data: { content: 'Done', toolRequests: [] } },
  ],
  kimi: [
    { type: 'metadata', protocol_version: '1.4' },
    { type: 'context.append_message', message: { ...asked, origin: { kind: 'user' } } },
    looped({ type: 'step.begin' }),
    looped({ type: 'tool.call', toolCallId: 'c1', name: 'Bash', args: shell }),
    looped({ type: 'tool.result', toolCallId: 'c1', result: { output: 'a.txt' } }),
    looped({ type: 'step.end', usage: { inputOther: 5, inputCacheRead: 2, output: 3 } }),
    looped({ type: 'step.begin' }),
    looped({ type: 'content.part', part: { type: 'text', text: 'Done' } }),
  ],
  antigravity: [
    step(0, 'USER_INPUT', { source: 'USER_EXPLICIT', content: '<USER_REQUEST>\nList\n</USER_REQUEST>' }),
    step(1, 'PLANNER_RESPONSE', { tool_calls: [{ name: 'list_dir', args: { DirectoryPath: '.' } }] }),
    step(2, 'LIST_DIRECTORY', { content: 'a.txt' }),
    step(3, 'PLANNER_RESPONSE', { content: 'Done' }),
  ],
  'qwen-code': [
    geminiLine('user', 'u1', [{ text: 'List' }]),
    geminiLine('assistant', 'u2', [{ functionCall: { id: 'c1', name: 'shell', args: shell } }]),
    geminiLine('tool_result', 'u3', [{ functionResponse: { id: 'c1', name: 'shell', response: { output: 'a.txt' } } }]),
    geminiLine('assistant', 'u4', [{ text: 'Done' }]),
  ],
};

function read(source: string, lines: readonly PlainObject[], every?: number): GrownForest {
  const dialect = dialects.find((each) => each.source === source) ?? assert.fail(source);
  const written = lines.map((line) => JSON.stringify(line));
  const forest = readLines(createDialectReader(dialect, 'folder/file'), written, every);
  assertValid(forest);
  return forest;
}

test('[OD1] a session is one path with one result for each call, in every dialect, and the same however often items are taken', () => {
  assert.deepEqual(Object.keys(sessions).toSorted(), dialects.map(({ source }) => source).toSorted());
  for (const [source, lines] of Object.entries(sessions)) {
    const forest = read(source, lines);
    const outline = outlineOf(forest).map((words) => words.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(outline, ['user text', 'assistant tool-use', 'tool text', 'assistant text'], source);
    assert.deepEqual(callsWithoutOneResult(forest), [], source);
    assert.deepEqual(read(source, lines, 1).plain(), forest.plain(), source);
    const words = [...forest.nodes.values()].map(
      ({ blocks: [first] }) => first !== undefined && 'text' in first.block && first.block.text,
    );
    assert.deepEqual([words[0], words[2], words[3]], ['List', 'a.txt', 'Done'], source);
  }
});

test('[OD2] each dialect is known by how its files begin, and none is taken for another', () => {
  for (const [source, lines] of Object.entries(sessions))
    assert.equal(dialects.find((dialect) => dialect.recognizes(lines))?.source, source);
  for (const other of [
    [],
    [{ role: 'user', content: 'Hi' }],
    [{ type: 'session_meta' }],
    [{ type: 'user', uuid: 'a' }],
  ])
    assert.equal(
      dialects.find((dialect) => dialect.recognizes(other)),
      undefined,
      JSON.stringify(other),
    );
});

test('[OD3] what a step cost is counted with its answer, also where that is told behind its results', () => {
  const [, answer] = [...read('kimi', sessions['kimi'] ?? []).nodes.values()];
  assert.partialDeepStrictEqual(answer?.source, {
    usage: { input_tokens: 7, cached_input_tokens: 2, output_tokens: 3 },
  });
});

test('[OD4] every line is counted, unknown kinds as such, and nothing makes a reader throw', () => {
  const odd: unknown[] = [
    {},
    { type: 'x' },
    { message: 1 },
    { role: 'user', message: { content: [null, 3, { type: 'new' }] } },
  ];
  for (const dialect of dialects) {
    const reader = createDialectReader(dialect, 'file');
    for (const line of [...odd.map((each) => JSON.stringify(each)), '[1]', 'no JSON', '{"cut']) reader.push(line);
    reader.end();
    reader.take();
    const { read: all, used, raw, reported } = reader.tally.counts;
    assert.deepEqual([all, used + raw, reported], [7, 4, 3], dialect.source);
  }
});

test('[OD5] lists of ShareGPT and trajectories of OpenHands become conversations with calls, results and prompts', () => {
  const share = {
    conversations: [
      { from: 'system', value: 'Be brief.' },
      { from: 'human', value: 'List' },
      { from: 'function_call', value: '{"name":"ls","arguments":{"path":"."}}' },
      { from: 'observation', value: 'a.txt' },
      { from: 'gpt', value: 'Done' },
    ],
  };
  const metadata = {
    function_name: 'bash',
    tool_call_id: 'c1',
    model_response: {
      model: 'm',
      choices: [{ message: { tool_calls: [{ id: 'c1', function: { name: 'bash', arguments: '{"command":"ls"}' } }] } }],
    },
  };
  const hands = {
    instance_id: 'task-1',
    history: [
      { id: 0, source: 'agent', action: 'system', args: { content: 'Be brief.' } },
      { id: 1, source: 'user', action: 'message', args: { content: 'List' } },
      { id: 2, source: 'agent', action: 'run', args: { command: 'ls' }, tool_call_metadata: metadata },
      { id: 3, source: 'agent', observation: 'run', cause: 2, content: 'a.txt', tool_call_metadata: metadata },
      { id: 4, source: 'agent', action: 'message', args: { content: 'Done' } },
    ],
  };
  for (const [source, document] of Object.entries({ sharegpt: share, openhands: hands })) {
    const tally = new Tally();
    const dialect = documentDialects.find((each) => each.recognizes(JSON.stringify(document)));
    assert.equal(dialect?.source, source);
    const forest = new GrownForest();
    for (const each of documentsIn(`${JSON.stringify(document)}\n`, tally))
      forest.add(dialect?.read(each, tally) ?? []);
    assertValid(forest);
    const outline = outlineOf(forest).map((words) => words.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(outline, ['user text', 'assistant tool-use', 'tool text', 'assistant text'], source);
    assert.deepEqual(callsWithoutOneResult(forest), [], source);
    assert.deepEqual(
      [...forest.conversations.values()].map(({ systemPrompt }) => systemPrompt),
      ['Be brief.'],
    );
    assert.deepEqual(tally.counts, { read: 5, used: 5, raw: 0, reported: 0 }, source);
  }
});

function nodesOf(forest: GrownForest): unknown[][] {
  return [...forest.nodes.values()].map(({ conversation, id, parent, blocks, details, context_start: start }) => [
    conversation,
    id,
    parent,
    blocks
      .map(({ block }) => ('text' in block ? block.text : block.type === 'error' ? block.message : block.type))
      .join(' | '),
    ...(details?.['synthetic'] === true ? ['synthetic'] : []),
    ...(start === true ? ['start'] : []),
  ]);
}

test('[OD7] Qwen Code: a session that was taken back branches, titles and summaries are known, pieces of one message are all there', () => {
  const said = (type: string, uuid: string, parentUuid: string | null, text: string, more: PlainObject = {}) => ({
    ...geminiLine(type, uuid, [{ text }]),
    parentUuid,
    ...more,
  });
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 3, totalTokenCount: 13 };
  const history = [
    { role: 'user', parts: [{ text: 'So far' }] },
    { role: 'model', parts: [{ text: 'Understood' }] },
  ];
  const system = { type: 'system', sessionId: 's1' };
  const failed = geminiLine('tool_result', 't1', [
    { functionResponse: { id: 'c1', name: 'shell', response: { output: 'no' }, parts: [{ inlineData: {} }] } },
  ]);
  const forest = read('qwen-code', [
    said('user', 'u1', null, 'Hi'),
    said('assistant', 'a1', 'u1', 'Hello', { usageMetadata, model: 'q' }),
    said('assistant', 'a1', 'u1', 'and more', { usageMetadata: {} }),
    { ...system, uuid: 'x1', parentUuid: 'a1', subtype: 'custom_title', systemPayload: { customTitle: 'Greeting' } },
    said('user', 'u2', 'x1', 'Wrong'),
    { ...system, uuid: 'x2', parentUuid: 'a1', subtype: 'rewind' },
    said('user', 'u3', 'x2', 'Right'),
    said('user', 'n1', 'u3', 'A task ended', { subtype: 'notification' }),
    { ...geminiLine('assistant', 'a2', [{ functionCall: { id: 'c1', name: 'shell', args: {} } }]), parentUuid: 'n1' },
    { ...failed, parentUuid: 'a2', toolCallResult: { status: 'cancelled' } },
    {
      ...system,
      uuid: 'x3',
      parentUuid: 't1',
      subtype: 'chat_compression',
      systemPayload: { compressedHistory: history },
    },
    said('user', 'u4', null, 'From the top'),
  ]);
  assert.deepEqual(nodesOf(forest), [
    ['s1', 'u1', undefined, 'Hi'],
    ['s1', 'a1', 'u1', 'Hello'],
    ['s1', 'a1/3', 'a1', 'and more'],
    ['s1', 'u2', 'a1/3', 'Wrong'],
    ['s1', 'u3', 'a1/3', 'Right'],
    ['s1', 'n1', 'u3', 'A task ended', 'synthetic'],
    ['s1', 'a2', 'n1', 'tool-use'],
    ['s1', 't1/result-0', 'a2', 'no | raw'],
    ['s1', 'x3', 't1/result-0', 'So far | raw', 'synthetic', 'start'],
    ['s1', 'u4', undefined, 'From the top'],
  ]);
  assert.partialDeepStrictEqual(forest.nodes.get('s1\na1')?.source, { usage: { input_tokens: 10, output_tokens: 3 } });
  assert.equal(forest.nodes.get('s1\nt1/result-0')?.is_error, true);
  assert.partialDeepStrictEqual([...forest.conversations.values()], [{ title: 'Greeting', directory: '/project' }]);
});

test('[OD8] Copilot CLI: agents are conversations, rewinding branches, thoughts and errors told apart from messages are there', () => {
  const event = (id: string, type: string, data: PlainObject): PlainObject => ({ id, type, data });
  const forest = read('copilot', [
    event('e0', 'session.start', { sessionId: 's1' }),
    event('e1', 'user.message', { content: 'Go', attachments: [{ type: 'file', path: '/a', displayName: 'a' }] }),
    event('e2', 'assistant.reasoning', { content: 'Hm', reasoningId: 'r' }),
    event('e3', 'assistant.message', {
      content: '',
      toolRequests: [{ toolCallId: 'c1', name: 'task', arguments: {} }],
    }),
    event('e4', 'assistant.usage', { inputTokens: 9, outputTokens: 2, cacheReadTokens: 4 }),
    event('e5', 'assistant.message', { content: 'By the agent', parentToolCallId: 'c1' }),
    event('e6', 'tool.execution_complete', { toolCallId: 'c1', success: false, error: { message: 'It broke' } }),
    event('e7', 'user.message', { content: 'Wrong' }),
    event('e8', 'session.snapshot_rewind', { upToEventId: 'e7', eventsRemoved: 1 }),
    event('e9', 'user.message', { content: 'Right' }),
    event('e10', 'session.error', { errorType: 'query', message: 'Too long' }),
    event('e11', 'session.compaction_complete', { success: true, summaryContent: 'So far' }),
    event('e12', 'user.message', { content: 'Go on', source: 'autopilot', isAutopilotContinuation: true }),
    event('e13', 'session.title_changed', { title: 'Work' }),
  ]);
  assert.deepEqual(nodesOf(forest), [
    ['s1', 'e1', undefined, 'Go | Attached: /a'],
    ['s1', 'e3', 'e1', 'Hm | tool-use'],
    ['s1/c1', 'e5', undefined, 'By the agent'],
    ['s1', 'e6', 'e3', 'It broke'],
    ['s1', 'e7', 'e6', 'Wrong'],
    ['s1', 'e9', 'e6', 'Right'],
    ['s1', 'e10', 'e9', 'Too long'],
    ['s1', 'e11', 'e10', 'So far', 'synthetic', 'start'],
    ['s1', 'e12', 'e11', 'Go on', 'synthetic'],
  ]);
  assert.partialDeepStrictEqual(forest.nodes.get('s1\ne3')?.source, {
    usage: { input_tokens: 9, output_tokens: 2, cached_input_tokens: 4 },
  });
  assert.deepEqual(
    [...forest.conversations.values()].map(({ id, title, parent }) => [id, title, parent]),
    [
      ['s1', 'Work', undefined],
      ['s1/c1', undefined, { conversation: 's1', call: 'c1' }],
    ],
  );
});

test('[OD9] Cursor: what a person asked for is taken out of its element, and marks between messages are counted', () => {
  const message = (role: string, text: string): PlainObject => ({
    role,
    message: { content: [{ type: 'text', text }] },
  });
  const query = '<user_query>\nList\n</user_query>';
  const lines = [
    message('user', query),
    message('assistant', query),
    { type: 'turn_ended', status: 'done' },
    message('user', `<open_files>a</open_files>\n${query}`),
  ];
  assert.equal(dialects.find((dialect) => dialect.recognizes(lines))?.source, 'cursor');
  assert.deepEqual(
    nodesOf(read('cursor', lines)).map(([, , , words]) => words),
    ['List', query, `<open_files>a</open_files>\n${query}`],
  );
});
