import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FollowedConversation } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { startServe } from './testing/serve-process.ts';
import { clientOf, conversationOf, valueOf } from './testing/served.ts';

/** The answer as a client knows it. */
function answerOf({ replica }: FollowedConversation): { text: string; status: string | undefined } {
  const block = [...replica.nodes.values()].findLast(({ role }) => role === 'assistant')?.blocks.at(-1);
  return { text: block?.type === 'text' ? block.text : '', status: block?.status };
}

test('[SV49] a server is killed in the middle of an answer: clients by WebSocket and by events resume, and end equal to the store', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const first = await startServe(t, dataDir, '--port', '0');
  const { port } = new URL(first.url);
  const identity = { agent: 'ada', type: 'person', role: 'owner' };
  const made = valueOf(await clientOf(first.url, first.token).call('token.create', identity));
  const { token } = z.object({ token: z.string() }).parse(made);
  const clients = [clientOf(first.url, token, 'socket'), clientOf(first.url, token, 'events')] as const;
  const { root } = valueOf(await clients[0].call('root.create', {}));
  const said = { role: 'user' as const, content: 'Tell me a long story.' };
  const { nodes } = valueOf(await clients[0].call('node.append', { parent: root, messages: [said] }));
  const seqs: number[][] = [[], []];
  const wakes = new Set<() => void>();
  const followed = clients.map((client, index) =>
    client.follow(root, {
      onChange(what) {
        if (what.type === 'change') seqs[index]?.push(what.seq);
        for (const wake of wakes) wake();
      },
    }),
  );
  const until = async (isSo: (conversation: FollowedConversation) => boolean): Promise<void> => {
    while (!followed.every(isSo)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wakes.add(resolve);
      await promise;
      wakes.delete(resolve);
    }
  };
  for (const conversation of followed) assert.equal(await conversation.ready(), true);
  valueOf(await clients[1].call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'slow' }));
  await until((conversation) => answerOf(conversation).text.length > 10);
  const seen = followed.map((conversation) => answerOf(conversation).text);
  await first.end('SIGKILL');
  const second = await startServe(t, dataDir, '--port', port);
  await until((conversation) => answerOf(conversation).status === 'error');
  const fresh = clientOf(second.url, second.token).follow(root);
  await fresh.ready();
  const stored = conversationOf(fresh);
  assert.equal(stored.length, 2);
  for (const [index, conversation] of followed.entries()) {
    assert.deepEqual(conversationOf(conversation), stored);
    assert.ok(answerOf(conversation).text.startsWith(seen[index] ?? '-'), 'what was seen stays');
    const heard = seqs[index] ?? [];
    assert.deepEqual(heard, [...new Set(heard)], 'nothing was told twice');
  }
  for (const conversation of [...followed, fresh]) conversation.close();
  await second.end('SIGTERM');
});
