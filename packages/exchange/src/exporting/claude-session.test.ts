import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { claudeSession } from './claude-session.ts';
import type { NativeSession } from './native-session.ts';
import { gathered, sampleSource, saidByPrograms } from './testing/sample-source.ts';
import type { SampleNode } from './testing/sample-source.ts';
import { workedConversation } from './testing/worked-conversation.ts';

const directory = '/home/me/project.one';

async function linesOf(session: NativeSession): Promise<PlainObject[]> {
  const text = await gathered(session.lines());
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
    .filter(isPlainObject);
}

function contentOf(line: PlainObject | undefined): unknown {
  return isPlainObject(line?.['message']) ? line['message']['content'] : undefined;
}

test('[XP10] a branch is a chain of lines: one for each block of an answer, one for each other message, results behind their calls', async () => {
  const session = claudeSession(workedConversation(), 'root/thanks', { directory });
  const lines = (await linesOf(session)).filter(({ uuid }) => uuid !== undefined);
  assert.deepEqual(lines.map(contentOf), [
    'Read both files.',
    [{ type: 'text', text: 'I read them.' }],
    [{ type: 'tool_use', id: 'call_1', name: 'read_file', input: { path: 'a' } }],
    [{ type: 'tool_use', id: 'call_2', name: 'read_file', input: { path: 'b' } }],
    [{ tool_use_id: 'call_2', type: 'tool_result', content: 'There is no b.', is_error: true }],
    [{ tool_use_id: 'call_1', type: 'tool_result', content: 'alpha' }],
    [{ type: 'text', text: 'It says alpha.' }],
    'Thanks.',
  ]);
  assert.deepEqual(
    lines.map(({ parentUuid }) => parentUuid),
    [null, ...lines.slice(0, -1).map(({ uuid }) => uuid)],
  );
  assert.equal(new Set(lines.map(({ uuid }) => uuid)).size, lines.length);
  assert.deepEqual(
    new Set(lines.map(({ sessionId, cwd, type }) => [sessionId, cwd, type === 'system'].join())),
    new Set([[session.id, directory, false].join()]),
  );
  assert.equal(session.path, `projects/-home-me-project-one/${session.id}.jsonl`);
});

test('[XP10] what a tool of Claude Code reported is in the line of its result as it came, also if it is so long that it is a blob', async () => {
  const short = { stdout: 'out', stderr: '', interrupted: false };
  const long = { stdout: 'x'.repeat(100_000), stderr: '', interrupted: false };
  const blob = `sha256:${'0'.repeat(64)}`;
  const result = (name: string, parent: string, call: string, own: PlainObject): SampleNode => ({
    name,
    parent,
    role: 'tool',
    tool_call_id: call,
    tool: 'result',
    blocks: [{ type: 'text', text: 'out', provider: { 'claude-code': own } }],
  });
  const source = sampleSource({
    nodes: [
      {
        name: 'a',
        role: 'assistant',
        blocks: ['t1', 't2'].map((id) => ({ type: 'tool-use', id, name: 'Bash', parameters: { command: 'x' } })),
      },
      result('r1', 'a', 't1', { tool_use_result: short }),
      result('r2', 'r1', 't2', { blob, bytes: 100_080, preview: '{' }),
    ],
    blobs: new Map([[blob, Buffer.from(JSON.stringify({ tool_use_result: long }))]]),
  });
  const lines = await linesOf(claudeSession(source, 'root/r2', { directory }));
  assert.deepEqual(
    lines.flatMap(({ toolUseResult: report }) => (report === undefined ? [] : [report])),
    [short, long],
  );
});

test('[XP10] what a program wrote in the name of the user is marked as such, and is not the last prompt', async () => {
  const lines = await linesOf(claudeSession(saidByPrograms(), 'root/c', { directory }));
  assert.deepEqual(
    lines.map(({ isMeta, lastPrompt }) => isMeta ?? lastPrompt),
    [true, undefined, true, 'words of b'],
  );
});

test('[XP11] exporting twice gives the same file; what came from Claude Code keeps its uuids', async () => {
  const session = (node: string) => claudeSession(workedConversation(), node, { directory });
  assert.equal(await gathered(session('root/thanks').lines()), await gathered(session('root/thanks').lines()));
  assert.notEqual(session('root/thanks').id, session('root/other').id);
  const uuid = '0b1c2d3e-0000-4000-8000-000000000001';
  const second = '0b1c2d3e-0000-4000-8000-000000000002';
  const source = sampleSource({
    nodes: [
      {
        name: 'a',
        role: 'assistant',
        origin: { source: 'claude-code', id: uuid },
        blocks: [
          { type: 'text', text: 'one', metadata: { key: uuid } },
          { type: 'text', text: 'two', metadata: { key: second } },
          { type: 'text', text: 'three', metadata: { key: `${second}#1` } },
        ],
      },
    ],
  });
  const keyOf = ({ metadata }: { metadata?: PlainObject }) =>
    typeof metadata?.['key'] === 'string' ? metadata['key'] : undefined;
  const known = claudeSession(source, 'root/a', { directory, keyOf });
  const lines = (await linesOf(known)).filter(({ type }) => type === 'assistant');
  assert.deepEqual(
    lines.map((line) => [line['uuid'], contentOf(line)]),
    [
      [uuid, [{ type: 'text', text: 'one' }]],
      [
        second,
        [
          { type: 'text', text: 'two' },
          { type: 'text', text: 'three' },
        ],
      ],
    ],
  );
  assert.deepEqual(known.origins, [
    {
      node: 'root/a',
      origin: { source: 'claude-code', id: uuid },
      keys: [
        { block: 'root/@test/1', key: uuid },
        { block: 'root/@test/2', key: second },
        { block: 'root/@test/3', key: `${second}#1` },
      ],
    },
  ]);
});

test('[XP12] every message of the file is told with what it and its blocks are called there', async () => {
  const session = claudeSession(workedConversation(), 'root/thanks', { directory });
  const uuids = (await linesOf(session)).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []));
  assert.deepEqual(
    session.origins.flatMap(({ origin, keys }) => [origin.id, ...keys.slice(1).map(({ key }) => key)]),
    uuids,
  );
  assert.deepEqual(
    session.origins.map(({ node }) => node),
    ['ask', 'answer', 'result-2', 'result-1', 'said', 'thanks'].map((name) => `root/${name}`),
  );
});

test('[XP13] thoughts without a signature of Anthropic, blank texts and excluded blocks stay out; signed thoughts go back as they came', async () => {
  const source = sampleSource({
    nodes: [
      { name: 'u', role: 'user', blocks: [{ type: 'text', text: 'Hello' }] },
      {
        name: 'a',
        parent: 'u',
        role: 'assistant',
        exclude: ['root/@test/5'],
        blocks: [
          { type: 'thinking', text: 'mine', provider: { anthropic: { signature: 'c2ln' } } },
          { type: 'thinking', text: 'unsigned' },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'hidden' },
          { type: 'text', text: 'said' },
        ],
      },
    ],
  });
  const session = claudeSession(source, 'root/a', { directory });
  const lines = (await linesOf(session)).filter(({ type }) => type === 'assistant');
  assert.deepEqual(lines.map(contentOf), [
    [{ type: 'thinking', thinking: 'mine', signature: 'c2ln' }],
    [{ type: 'text', text: 'said' }],
  ]);
  assert.deepEqual(
    session.notes().map(({ reason, count }) => ({ reason, count })),
    [{ reason: 'thinking-unsigned', count: 1 }],
  );
});

test('[XP14] where the context begins anew, Claude Code is told to read from there on, and what is above stays in the file', async () => {
  const source = sampleSource({
    nodes: [
      { name: 'u', role: 'user', blocks: [{ type: 'text', text: 'Long ago' }] },
      { name: 's', parent: 'u', role: 'user', context_start: true, blocks: [{ type: 'text', text: 'A summary' }] },
      { name: 'a', parent: 's', role: 'assistant', blocks: [{ type: 'text', text: 'Going on' }] },
    ],
  });
  const lines = await linesOf(claudeSession(source, 'root/a', { directory }));
  const [first, boundary, summary] = lines;
  assert.equal(boundary?.['subtype'], 'compact_boundary');
  assert.equal(boundary?.['parentUuid'], null);
  assert.equal(boundary?.['logicalParentUuid'], first?.['uuid']);
  assert.equal(summary?.['parentUuid'], boundary?.['uuid']);
  assert.equal(summary?.['isCompactSummary'], true);
});
