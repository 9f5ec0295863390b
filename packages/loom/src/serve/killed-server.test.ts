import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FollowedConversation } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { startServe } from './testing/serve-process.ts';
import { clientOf, conversationOf, valueOf } from './testing/served.ts';

/** The answer as a client knows it. */
function answerOf({ replica }: FollowedConversation): { text: string; status: string | undefined } {
  const block = [...replica.nodes.values()].findLast(({ role }) => role === 'assistant')?.blocks.at(-1);
  return { text: block?.type === 'text' ? block.text : '', status: block?.status };
}

/** An MCP client that listens to a conversation, and reads it on every notice of a change. */
class ListeningAgent {
  readonly #client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  readonly #uri: string;
  readonly #onChange: () => void;
  /** The texts that it has read last, and how the last one stands. */
  nodes: z.infer<typeof readNodes>['nodes'] = [];
  #isClosed = false;

  constructor(root: string, onChange: () => void) {
    this.#uri = `loom://conversations/${root}/json`;
    this.#onChange = onChange;
  }

  async connect(url: string, token: string): Promise<void> {
    const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
    await this.#client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options));
    this.#client.setNotificationHandler('notifications/resources/updated', () => void this.#read().catch(() => {}));
    void this.#follow();
    await this.#read();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client.close();
  }

  /** Listens again whenever the stream has ended, and reads the changes it has missed. */
  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const listening = await this.#client.listen({ resourceSubscriptions: [this.#uri] });
        await this.#read();
        await listening.closed;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async #read(): Promise<void> {
    const { contents } = await this.#client.readResource({ uri: this.#uri });
    const [content] = contents;
    const text = content !== undefined && 'text' in content ? content.text : '';
    this.nodes = readNodes.parse(JSON.parse(text)).nodes;
    this.#onChange();
  }

  get answer(): { text: string; status: string | undefined } {
    const block = this.nodes.at(-1)?.message.content.at(-1);
    return this.nodes.length < 2 ? { text: '', status: undefined } : { text: block?.text ?? '', status: block?.status };
  }
}

const readNodes = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      message: z.object({
        content: z.array(z.object({ text: z.string().optional(), status: z.string().optional() })),
      }),
    }),
  ),
});

test('[SV49] a server is killed in the middle of an answer: clients by WebSocket, by events and by MCP resume, and end equal to the store', async (t) => {
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
  const agent = new ListeningAgent(root, () => {
    for (const wake of wakes) wake();
  });
  await agent.connect(first.url, token);
  const until = async (isSo: (answer: ReturnType<typeof answerOf>) => boolean): Promise<void> => {
    while (![...followed.map(answerOf), agent.answer].every(isSo)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wakes.add(resolve);
      await promise;
      wakes.delete(resolve);
    }
  };
  for (const conversation of followed) assert.equal(await conversation.ready(), true);
  valueOf(await clients[1].call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'slow' }));
  await until(({ text }) => text.length > 10);
  const read = agent.answer.text;
  const seen = followed.map((conversation) => answerOf(conversation).text);
  await first.end('SIGKILL');
  const second = await startServe(t, dataDir, '--port', port);
  await until(({ status }) => status === 'error');
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
  const last = answerOf(fresh);
  assert.deepEqual(
    agent.nodes.map(({ id }) => id),
    [...fresh.replica.nodes.keys()],
  );
  assert.deepEqual(agent.answer, last);
  assert.ok(last.text.startsWith(read) && read.length > 10, 'what was read stays');
  await agent.close();
  for (const conversation of [...followed, fresh]) conversation.close();
  await second.end('SIGTERM');
});
