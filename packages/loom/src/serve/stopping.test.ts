import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoomClient } from '@loom/client';
import type { NodeState } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { exactArguments } from '../chat/call-book.ts';
import { clientOf, valueOf } from './testing/served.ts';
import { startServe } from './testing/serve-process.ts';

/** Has the demo answer a text with its tools; returns the conversation. */
async function ask(client: LoomClient, content: string, model = 'demo'): Promise<string> {
  const { root } = valueOf(await client.call('root.create', { config: { tools: ['write_file', 'ask_person'] } }));
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  valueOf(await client.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model }));
  return root;
}

/** The node of a conversation that is as it should be, once there is one. */
async function untilNode(client: LoomClient, root: string, isIt: (node: NodeState) => boolean): Promise<NodeState> {
  for (;;) {
    const followed = client.follow(root);
    await followed.ready();
    const found = followed.replica.nodes.values().find((node) => isIt(node));
    followed.close();
    if (found !== undefined) return found;
    await delay(20);
  }
}

const isAsking = ({ tool, ask: asked }: NodeState): boolean => tool === 'waiting' && asked !== undefined;

function textOf({ blocks }: NodeState): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

async function reasonOf(client: LoomClient, root: string): Promise<string | undefined> {
  const { items } = valueOf(await client.call('turn.list', { root }));
  return items[0]?.ended;
}

test('[SV41] what waits for an approval or an answer when a server stops waits after its restart, and goes on; what streams is interrupted', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const server = await startServe(t, dataDir, '--port', '0');
  const client = clientOf(server.url, server.token);
  const approval = await ask(client, 'write a file');
  const question = await ask(client, 'ask me something');
  const streaming = await ask(client, 'Tell me a long story.', 'slow');
  const asked = [await untilNode(client, approval, isAsking), await untilNode(client, question, isAsking)];
  const begun = textOf(await untilNode(client, streaming, (node) => node.role === 'assistant' && textOf(node) !== ''));
  // An open feed does not keep a server from stopping; and the hang-up signal of a closed terminal may come more than once.
  const open = client.follow(approval);
  await open.ready();
  server.child.kill('SIGHUP');
  assert.equal(await server.end('SIGHUP'), 0);
  open.close();
  const again = await startServe(t, dataDir, '--port', '0');
  const later = clientOf(again.url, again.token);
  const story = await untilNode(later, streaming, ({ role }) => role === 'assistant');
  assert.ok(textOf(story).startsWith(begun), 'what was said stays');
  assert.deepEqual(
    [await reasonOf(later, streaming), await reasonOf(later, approval), await reasonOf(later, question)],
    ['interrupted', undefined, undefined],
  );
  const decisions = [
    { root: approval, decision: 'approved' as const, says: /^Wrote/u },
    { root: question, decision: 'answered' as const, text: 'Blue', says: /Blue/u },
  ];
  for (const [index, { root, says, ...decision }] of decisions.entries()) {
    const waiting = await untilNode(later, root, isAsking);
    assert.deepEqual([waiting.id, waiting.ask], [asked[index]?.id, asked[index]?.ask]);
    const call = valueOf(await later.call('node.get', { node: waiting.parent })).message.content.at(-1);
    assert.ok(call?.type === 'tool-use');
    valueOf(await later.call('turn.decide', { node: waiting.id, arguments: exactArguments(call), ...decision }));
    const done = await untilNode(later, root, ({ id, tool }) => id === waiting.id && tool === 'result');
    assert.match(textOf(done), says);
  }
  assert.equal(await again.end('SIGTERM'), 0);
});
