import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { codexSession } from './codex-session.ts';
import type { NativeSession } from './native-session.ts';
import { gathered, sampleSource, saidByPrograms } from './testing/sample-source.ts';
import { workedConversation } from './testing/worked-conversation.ts';

const directory = '/home/me/project';

async function payloadsOf(session: NativeSession, type: string): Promise<PlainObject[]> {
  const text = await gathered(session.lines());
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line, index) => {
    const parsed: unknown = JSON.parse(line);
    assert.ok(isPlainObject(parsed));
    assert.equal(parsed['ordinal'], index);
    return parsed['type'] === type && isPlainObject(parsed['payload']) ? [parsed['payload']] : [];
  });
}

test('[XP15] a branch is a rollout: items as the model gets them, each turn begun and ended, results with the ids of their calls', async () => {
  const session = codexSession(workedConversation(), 'root/thanks', { directory });
  const items = await payloadsOf(session, 'response_item');
  assert.deepEqual(
    items.map(({ type, role, content, arguments: given, output, call_id }) => [
      type,
      ...[role, content, given, output, call_id].filter((value) => value !== undefined),
    ]),
    [
      ['message', 'user', [{ type: 'input_text', text: 'Read both files.' }]],
      ['message', 'assistant', [{ type: 'output_text', text: 'I read them.' }]],
      ['function_call', '{"path":"a"}', 'call_1'],
      ['function_call', '{"path":"b"}', 'call_2'],
      ['function_call_output', 'There is no b.', 'call_2'],
      ['function_call_output', 'alpha', 'call_1'],
      ['message', 'assistant', [{ type: 'output_text', text: 'It says alpha.' }]],
      ['message', 'user', [{ type: 'input_text', text: 'Thanks.' }]],
    ],
  );
  const events = await payloadsOf(session, 'event_msg');
  assert.deepEqual(
    events.map(({ type, item }) => (isPlainObject(item) ? item['type'] : type)),
    [
      'task_started',
      'UserMessage',
      'AgentMessage',
      'AgentMessage',
      'task_complete',
      'task_started',
      'UserMessage',
      'task_complete',
    ],
  );
  assert.equal(session.path, `sessions/2026/11/17/rollout-2026-11-17T12-00-00-${session.id}.jsonl`);
  const [meta] = await payloadsOf(session, 'session_meta');
  assert.deepEqual([meta?.['id'], meta?.['cwd']], [session.id, directory]);
});

test('[XP15] what a program wrote in the name of the user is for the model alone, and in the turn of the prompt behind it', async () => {
  const session = codexSession(saidByPrograms(), 'root/c', { directory });
  const events = await payloadsOf(session, 'event_msg');
  assert.deepEqual(
    events.map(({ type, item }) => (isPlainObject(item) ? item['type'] : type)),
    ['task_started', 'UserMessage', 'task_complete'],
  );
  const items = await payloadsOf(session, 'response_item');
  assert.deepEqual(
    items.map(({ internal_chat_message_metadata_passthrough: own }) =>
      isPlainObject(own) ? own['content_item_kinds'] : undefined,
    ),
    [['unknown'], ['user.text'], ['unknown']],
  );
});

test('[XP16] a thought goes back as the item that it was, with its seal; without one it stays out', async () => {
  const sealed = (text: string, seal: string | undefined, itemId: string) => ({
    type: 'thinking' as const,
    text,
    provider: { openai: { itemId, ...(seal === undefined ? {} : { reasoningEncryptedContent: seal }) } },
  });
  const source = sampleSource({
    nodes: [
      {
        name: 'a',
        role: 'assistant',
        blocks: [
          sealed('one', undefined, 'rs_1'),
          sealed('two', 'c2VhbA==', 'rs_1'),
          sealed('three', undefined, 'rs_2'),
          { type: 'text', text: 'said' },
        ],
      },
    ],
  });
  const session = codexSession(source, 'root/a', { directory });
  const [thought, said, ...more] = await payloadsOf(session, 'response_item');
  assert.deepEqual(thought, {
    type: 'reasoning',
    id: 'rs_1',
    summary: [
      { type: 'summary_text', text: 'one' },
      { type: 'summary_text', text: 'two' },
    ],
    content: null,
    encrypted_content: 'c2VhbA==',
  });
  assert.deepEqual([said?.['type'], more], ['message', []]);
  assert.deepEqual(
    session.notes().map(({ reason }) => reason),
    ['thinking-unsigned'],
  );
  assert.deepEqual(
    session.origins[0]?.keys.map(({ key }) => key),
    ['rs_1', 'rs_1#1', said?.['id']],
  );
});

test('[XP17] a call that never had a result is left out of sessions, and this is said', async () => {
  const source = sampleSource({
    nodes: [
      { name: 'a', role: 'assistant', blocks: [{ type: 'tool-use', id: 'c', name: 'run', parameters: {} }] },
      { name: 'u', parent: 'a', role: 'user', blocks: [{ type: 'text', text: 'Well?' }] },
    ],
  });
  const session = codexSession(source, 'root/u', { directory });
  assert.deepEqual(
    (await payloadsOf(session, 'response_item')).map(({ type }) => type),
    ['message'],
  );
  assert.deepEqual(
    session.notes().map(({ reason }) => reason),
    ['call-unanswered'],
  );
});
