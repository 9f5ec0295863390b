import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import * as fc from 'fast-check';
import { assertValid, callsWithoutOneResult, readLines } from '../foreign/testing/forest.ts';
import type { GrownForest } from '../foreign/testing/forest.ts';
import { linesOf } from '../foreign/testing/material.ts';
import { createRolloutReader, rolloutBase } from './rollout-reader.ts';
import type { RolloutFacts } from './rollout-reader.ts';

const fixture = (name: string): string[] => linesOf(join(import.meta.dirname, 'fixtures', `${name}.rollout.jsonl`));

const meta = { type: 'session_meta', payload: { id: 't1', cwd: '/project', timestamp: '2026-01-01T00:00:00.000Z' } };
const item = (payload: PlainObject): PlainObject => ({ type: 'response_item', payload });
const event = (payload: PlainObject): PlainObject => ({ type: 'event_msg', payload });
const said = (role: string, text: string, more: PlainObject = {}): PlainObject =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    ...more,
  });

function read(lines: readonly PlainObject[], facts?: RolloutFacts): GrownForest {
  const written = lines.map((line) => JSON.stringify(line));
  const forest = readLines(createRolloutReader(facts), written);
  assertValid(forest);
  assert.deepEqual(readLines(createRolloutReader(facts), written, 1).plain(), forest.plain());
  return forest;
}

/** The nodes as roles with the texts and types of their blocks. */
function outline(forest: GrownForest): unknown[] {
  return [...forest.nodes.values()].map(({ role, blocks }) => [
    role,
    ...blocks.map(({ block }) => ('text' in block ? `${block.type}: ${block.text}` : block.type)),
  ]);
}

test('[CD1] what a model said in one answer is one node, each result another, each below the one before', () => {
  const forest = readLines(createRolloutReader(), fixture('tools'));
  const nodes = [...forest.nodes.values()];
  assertValid(forest);
  assert.deepEqual(callsWithoutOneResult(forest), []);
  assert.deepEqual(
    nodes.slice(0, 7).map(({ role, blocks }) => [role, ...blocks.map(({ block }) => block.type)]),
    [
      ['user', 'text', 'text'],
      ['user', 'text'],
      ['user', 'text'],
      ['assistant', 'thinking', 'thinking', 'text', 'tool-use'],
      ['tool', 'text', 'command'],
      ['assistant', 'tool-use'],
      ['tool', 'text', 'command'],
    ],
  );
  for (const [index, node] of nodes.entries()) assert.equal(node.parent, nodes[index - 1]?.id);
  assert.equal(nodes[3]?.id, 'rs_3db44fa588c50cdbc6dcbabd315821eeec5e1bea65b2a9cdb9');
  assert.equal(nodes[3]?.started_at, '2026-11-15T19:36:56.492Z');
  const [conversation] = forest.conversations.values();
  assert.equal(conversation?.systemPrompt, 'You are a careful coding agent working in a scratch folder.');
  assert.equal(conversation?.directory, '/tmp/cap/work');
});

test('[CD1] items without ids are named by their thread and their ordinal, or their line', () => {
  const forest = read([meta, said('user', 'a'), { ...said('assistant', 'b'), ordinal: 12 }]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ id }) => id),
    ['t1#2', 't1#12'],
  );
});

test('[CD2] words that come as an item and as an event are kept once, in whichever order they come', () => {
  const thought = { type: 'reasoning', summary: [{ text: 'one' }, { text: 'two' }], content: null };
  const pair = [said('user', 'hello'), event({ type: 'user_message', message: 'hello' })];
  const answer = [said('assistant', 'hi'), event({ type: 'agent_message', message: 'hi' })];
  const thoughts = [event({ type: 'agent_reasoning', text: 'one' }), event({ type: 'agent_reasoning', text: 'two' })];
  const expected = [
    ['user', 'text: hello'],
    ['assistant', 'thinking: one', 'thinking: two', 'text: hi'],
  ];
  assert.deepEqual(outline(read([meta, ...pair, item(thought), ...thoughts, ...answer])), expected);
  assert.deepEqual(
    outline(read([meta, ...pair.toReversed(), ...thoughts, item(thought), ...answer.toReversed()])),
    expected,
  );
});

test('[CD2] an event without an item speaks for itself, at its place', () => {
  const call = item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' });
  const forest = read([
    meta,
    event({ type: 'user_message', message: 'go' }),
    event({ type: 'agent_message', message: 'looking' }),
    call,
    said('assistant', 'looking'),
  ]);
  assert.deepEqual(outline(forest), [
    ['user', 'text: go'],
    ['assistant', 'text: looking', 'tool-use'],
  ]);
});

test('[CD2] an event whose words were scrubbed otherwise than those of its item is not a second message', () => {
  const reader = createRolloutReader();
  const lines = [meta, event({ type: 'agent_message', message: '[MESSAGE 7]' }), said('assistant', '[TEXT 7]')];
  const forest = readLines(
    reader,
    lines.map((line) => JSON.stringify(line)),
  );
  assert.deepEqual(outline(forest), [['assistant', 'text: [TEXT 7]']]);
  assert.equal(reader.tally.remarks.size, 1);
});

test('[CD3] what Codex wrote in the place of a person is marked, by what it says of itself or by how it begins', () => {
  const kinds = { internal_chat_message_metadata_passthrough: { content_item_kinds: ['environments.context'] } };
  const human = { internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } };
  const forest = read([
    meta,
    said('developer', 'rules'),
    said('user', '<environment_context>x</environment_context>'),
    said('user', 'words', kinds),
    said('user', '<environment_context> is what?', human),
    said('user', '# AGENTS.md instructions for /project'),
    said('user', 'hello'),
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ details }) => details),
    [
      { synthetic: true, role: 'developer' },
      { synthetic: true },
      { synthetic: true },
      undefined,
      { synthetic: true },
      undefined,
    ],
  );
});

test('[CD4] a call keeps its exact arguments, and its result the exact text and how it ended', () => {
  const outputs: [unknown, string][] = [
    ['Process exited with code 0\nOutput:\nfine\n', 'result'],
    ['Chunk ID: 1\nProcess exited with code 3\nOutput:\nno\n', 'error'],
    ['{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', 'error'],
    ['{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}', 'result'],
    [
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      ],
      'result',
    ],
    [{ type: 'input_text', text: 'a.txt\n' }, 'result'],
    ['aborted by user after 3.2s', 'interrupted'],
    ['exec command rejected by user', 'denied'],
    ['exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', 'denied'],
    ['apply_patch verification failed: no such file', 'error'],
  ];
  const lines = outputs.flatMap(([output], index) => [
    item({ type: 'function_call', name: 'shell', arguments: '{ "command": ["ls"] }', call_id: `c${index}` }),
    item({ type: 'function_call_output', call_id: `c${index}`, output }),
  ]);
  const nodes = [...read([meta, ...lines]).nodes.values()];
  const results = nodes.filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ tool }) => tool),
    outputs.map(([, state]) => state),
  );
  assert.deepEqual(
    results.map(({ is_error: isError }) => isError === true),
    outputs.map(([, state]) => state !== 'result'),
  );
  for (const [index, { blocks }] of results.entries()) {
    const output = outputs[index]?.[0];
    if (typeof output === 'string') assert.deepEqual(blocks[0]?.block, { type: 'text', text: output });
  }
  assert.deepEqual(
    results[4]?.blocks.map(({ block }) => block.type),
    ['text', 'image', 'command'],
  );
  const [call] = nodes[0]?.blocks ?? [];
  assert.ok(call?.block.type === 'tool-use');
  assert.equal(call.block.arguments, '{ "command": ["ls"] }');
  assert.deepEqual(call.block.parameters, { command: ['ls'] });
});

test('[CD4] a call that has no result when its turn ends was interrupted; a result that comes late joins its node', () => {
  const call = item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' });
  const lines = [meta, call, event({ type: 'turn_aborted', reason: 'interrupted' })];
  const cut = read(lines);
  assert.deepEqual(
    [...cut.nodes.values()].map(({ tool }) => tool),
    [undefined, 'interrupted'],
  );
  const late = read([...lines, item({ type: 'function_call_output', call_id: 'c1', output: 'late' })]);
  const result = [...late.nodes.values()][1];
  assert.deepEqual([late.nodes.size, result?.tool, result?.is_error, result?.blocks.length], [2, 'result', false, 2]);
});

test('[CD4] a call that a killed process left open is given up before the next turn, behind the answer that made it', () => {
  const call = item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' });
  const aborted = said('user', '<turn_aborted>\nThe user interrupted.');
  for (const next of [[event({ type: 'task_started' }), said('user', 'go on')], [said('user', 'go on')], [aborted]]) {
    const forest = read([meta, call, ...next]);
    assert.deepEqual(
      [...forest.nodes.values()].map(({ role }) => role),
      ['assistant', 'tool', 'user'],
    );
    assert.deepEqual(callsWithoutOneResult(forest), []);
  }
});

test('[CD4] calls that use an id again are told apart, and answered in their order', () => {
  const call = item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' });
  const output = (text: string): PlainObject => item({ type: 'function_call_output', call_id: 'c1', output: text });
  const forest = read([meta, call, call, output('one'), output('two')]);
  assert.deepEqual(callsWithoutOneResult(forest), []);
});

test('[CD5] what Codex reports of a tool becomes views of its result, with renames and diffs', () => {
  const forest = readLines(createRolloutReader(), fixture('tools'));
  const changes = forest.blocks.flatMap((block) => (block.type === 'file-change' ? block.changes : []));
  assert.deepEqual(
    changes.map(({ path, kind, from }) => [
      path.replace('/tmp/cap/work/', ''),
      kind,
      from?.replace('/tmp/cap/work/', ''),
    ]),
    [
      ['calc.mjs', 'modify', undefined],
      ['notes/NOTES.md', 'add', undefined],
      ['old.txt', 'delete', undefined],
      ['renamed/name2.txt', 'rename', 'name1.txt'],
      ['b.txt', 'modify', undefined],
      ['a.txt', 'modify', undefined],
      ['c.txt', 'add', undefined],
    ],
  );
  assert.ok(changes.every(({ diff }) => diff !== undefined));
  const failed = forest.blocks.find((block) => block.type === 'command' && block.exit_code === 3);
  assert.ok(failed?.type === 'command');
  assert.equal(failed.stdout, 'FAIL -1\n');
});

test('[CD5] a patch of the legacy form is joined with its report, and reports without a call are shown in the answer', () => {
  const change = { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: '/project/b.txt' };
  const report = event({
    type: 'patch_apply_end',
    call_id: 'c1',
    success: true,
    changes: { '/project/a.txt': change },
  });
  const call = item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'c1' });
  const output = item({ type: 'custom_tool_call_output', call_id: 'c1', output: 'Success.' });
  assert.deepEqual(outline(read([meta, call, report, output])), [
    ['assistant', 'tool-use'],
    ['tool', 'text: Success.', 'file-change'],
  ]);
  const alone = read([meta, said('assistant', 'x'), report, event({ type: 'task_complete' })]);
  assert.deepEqual(outline(alone), [['assistant', 'text: x', 'file-change']]);
});

test('[CD6] thoughts keep what only the provider can read, as the live provider keeps it', () => {
  const forest = readLines(createRolloutReader(), fixture('tools'));
  const thoughts = forest.blocks.filter((block) => block.type === 'thinking').slice(0, 2);
  const itemId = 'rs_3db44fa588c50cdbc6dcbabd315821eeec5e1bea65b2a9cdb9';
  assert.deepEqual(
    thoughts.map(({ provider }) => provider),
    [{ openai: { itemId } }, { openai: { itemId, reasoningEncryptedContent: 'ZW11bGF0ZWQtZW5jcnlwdGVkOjM=' } }],
  );
});

test('[CD7] the tokens of each call are counted once, with the answer that they paid for', () => {
  const forest = readLines(createRolloutReader(), fixture('tools'));
  const usages = [...forest.nodes.values()].flatMap(({ source }) => (source.type === 'model' ? [source.usage] : []));
  assert.equal(usages.length, 10);
  assert.equal(
    usages.reduce((sum, usage) => sum + (usage?.input_tokens ?? 0), 0),
    108_000,
  );
  assert.equal(
    usages.reduce((sum, usage) => sum + (usage?.cached_input_tokens ?? 0), 0),
    78_336,
  );
});

test('[CD7] older versions tell the tokens before or behind the answer, and again when only the limits have changed', () => {
  const count = (total: number): PlainObject =>
    event({
      type: 'token_count',
      info: { total_token_usage: { input_tokens: total }, last_token_usage: { input_tokens: 10, output_tokens: 1 } },
    });
  const call = item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' });
  const output = item({ type: 'function_call_output', call_id: 'c1', output: 'x' });
  for (const lines of [
    [count(10), count(10), call, output, count(20), said('assistant', 'done'), count(20)],
    [call, count(10), output, count(10), said('assistant', 'done'), count(20), count(20)],
  ]) {
    const nodes = [...read([meta, ...lines]).nodes.values()];
    const usages = nodes.flatMap(({ source }) => (source.type === 'model' ? [source.usage?.input_tokens] : []));
    assert.deepEqual(usages, [10, 10]);
  }
});

test('[CD8] a summary starts a new context; turns that are taken back stay, and what follows is another branch', () => {
  const compacted = { type: 'compacted', payload: { message: 'In short: a.', replacement_history: [] } };
  const forest = read([
    meta,
    said('user', 'a'),
    compacted,
    said('user', 'b'),
    said('assistant', 'c'),
    event({ type: 'thread_rolled_back', num_turns: 1 }),
    said('user', 'd'),
  ]);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ context_start: start }) => start === true),
    [false, true, false, false, false],
  );
  assert.equal(nodes[4]?.parent, nodes[1]?.id);
});

test('[CD9] a fork goes on in the conversation of the thread that it was made from, at the place where it was made', () => {
  const parent = createRolloutReader();
  const forest = readLines(parent, fixture('resumed'));
  const lines = fixture('forked');
  const base = rolloutBase(lines.join('\n'));
  assert.deepEqual(base, { thread: '01a1e0b8-bcb0-7c31-a44e-358184f0f384', end: 36 });
  const place = parent.placeAt(base?.end ?? 0);
  assert.ok(place !== undefined);
  const fork = createRolloutReader({ base: place });
  forest.add(readItems(fork, lines));
  const nodes = [...forest.nodes.values()];
  const first = nodes.find(({ blocks }) =>
    blocks.some(({ block }) => block.type === 'text' && block.text === 'Forked prompt'),
  );
  const above = nodes.find(({ id }) => id === first?.parent);
  assert.ok(above?.blocks.some(({ block }) => block.type === 'text' && block.text === 'Resumed answer.'));
  assert.equal(new Set(nodes.map(({ conversation }) => conversation)).size, 1);
  assert.deepEqual(fork.requires, base);
});

test('[CD9] a fork whose other thread is not there stands alone, and that is said', () => {
  const fork = createRolloutReader();
  const forest = readLines(fork, fixture('forked'));
  assert.deepEqual([...forest.conversations.keys()], ['01a1e0b8-e4a9-7db3-ba20-61f7667ce076']);
  assert.equal(fork.tally.remarks.size, 1);
});

test('[CD10] an agent that was sent out has a conversation of its own, which the sender links to the call', () => {
  const forest = readLines(createRolloutReader(), fixture('sending-agents'));
  forest.add(readItems(createRolloutReader(), fixture('sent-agent')));
  const child = forest.conversations.get('01a1e0b7-5df9-7222-bcb6-a718d60b068d');
  assert.deepEqual(child?.parent, {
    conversation: '01a1e0b7-5d77-7b72-b97c-4685028c48bd',
    call: 'call_57f98b8277f67355cddb40d4',
  });
  assert.equal(child?.details?.agent, 'Lagrange');
  assert.equal(forest.nodesOf('01a1e0b7-5df9-7222-bcb6-a718d60b068d').length, 8);
});

test('[CD11] comments, glued lines, cut lines and unknown kinds are counted, each once', () => {
  const reader = createRolloutReader();
  const glued = JSON.stringify(meta) + JSON.stringify(said('user', 'a'));
  const lines = ['# a comment', glued, '', '{"type":"event_msg","payl', '7', '{"type":"new_kind","payload":{}}', 'no'];
  readLines(reader, lines);
  assert.deepEqual(reader.tally.counts, { read: 7, used: 3, raw: 1, reported: 3 });
  assert.deepEqual([...reader.tally.unknown], [['new_kind', 1]]);
});

test('[CD11] the bare lines of August 2025 are read', () => {
  const forest = read([
    { id: 'old', timestamp: '2025-08-06T18:02:11.000Z', instructions: 'Be kind.', git: { branch: 'main' } },
    { record_type: 'state' },
    { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'x' },
    { type: 'function_call', id: 'f1', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
    { type: 'function_call_output', call_id: 'c1', output: '{"output":"a","metadata":{"exit_code":0}}' },
  ]);
  assert.deepEqual(forest.conversations.get('old')?.systemPrompt, 'Be kind.');
  assert.deepEqual(outline(forest), [
    ['user', 'text: a'],
    ['assistant', 'thinking: ', 'tool-use'],
    ['tool', 'text: {"output":"a","metadata":{"exit_code":0}}', 'command'],
  ]);
});

test('[CD11] nothing that a line may hold makes the reader throw', () => {
  const types = fc.constantFrom(
    'session_meta',
    'response_item',
    'event_msg',
    'compacted',
    'turn_context',
    'token_usage_record',
  );
  const inner = fc.constantFrom(
    ...'message reasoning function_call function_call_output custom_tool_call web_search_call image_generation_call'.split(
      ' ',
    ),
    ...'item_completed user_message agent_message token_count task_complete turn_aborted thread_rolled_back error'.split(
      ' ',
    ),
  );
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('c1', 'user', 'assistant', { type: 'Reasoning' }),
  );
  const keys =
    'id role content summary call_id output arguments name item message info num_turns history_base source'.split(' ');
  const payload = fc
    .tuple(inner, fc.dictionary(fc.constantFrom(...keys), field, { maxKeys: 6 }))
    .map(([type, fields]) => ({ type, ...fields }));
  const line = fc.record({ type: types, payload, timestamp: field, ordinal: field }, { requiredKeys: [] });
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          line.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        { maxLength: 12 },
      ),
      (lines) => {
        const whole = readLines(createRolloutReader(), lines);
        assertValid(whole);
        assert.deepEqual(readLines(createRolloutReader(), lines, 1).plain(), whole.plain());
      },
    ),
    { numRuns: 150 },
  );
});

function readItems(
  reader: ReturnType<typeof createRolloutReader>,
  lines: readonly string[],
): ReturnType<typeof reader.take> {
  for (const line of lines) reader.push(line);
  reader.end();
  return reader.take();
}
