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
