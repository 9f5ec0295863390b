import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { ClientText } from '@loom/blocks/document';
import { createMemoryOutboxStorage } from '@loom/client';
import type { FollowedConversation, FollowOptions, LoomClient } from '@loom/client';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { editTexts } from '@loom/sync/editing';
import { startServe } from '../../serve/testing/serve-process.ts';
import { clientOf, conversationOf, valueOf } from '../../serve/testing/served.ts';
import { ForestFolder } from '../../testing/forest-folder.ts';

const secret = 'sk-1234-SECRETKEY';

/** The files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    // A file that is being written has another name for a moment.
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true && readIfThere(path).includes(text);
  });
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

async function begin(client: LoomClient, content: string): Promise<{ root: string; node: string }> {
  const { root } = valueOf(await client.call('root.create', {}));
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  return { root, node: nodes[0] ?? '' };
}

/** Follows a conversation, and can wait for its texts. */
async function follow(
  client: LoomClient,
  root: string,
  storage?: FollowOptions['storage'],
): Promise<FollowedConversation & { until: (holds: (words: string) => boolean) => Promise<void> }> {
  const waiting = new Set<() => void>();
  const followed = client.follow(root, {
    ...(storage === undefined ? {} : { storage }),
    createTexts: editTexts((id, seed) => new ClientText(id, seed)),
    onChange: () => {
      for (const wake of waiting) wake();
    },
  });
  assert.equal(await followed.ready(), true);
  return Object.assign(followed, {
    until: (holds: (words: string) => boolean) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!holds(JSON.stringify(conversationOf(followed)))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  });
}

for (const store of STORE_KINDS) {
  test(`[PU25] [PU26] ${store}: purged while it is served, the words are in no file and with no client, and all goes on`, async (t) => {
    const folder = new ForestFolder(t, store);
    const { dataDir } = folder;
    const server = await startServe(t, dataDir, '--port', '0', '--store', store);
    const client = clientOf(server.url, server.token);
    const { root, node } = await begin(client, `my key is ${secret}`);
    const block = `${root}/@person/1`;
    const found = async (): Promise<number> =>
      valueOf(await client.call('kernel.search', { query: secret, literal: true })).blocks.length;
    valueOf(await client.call('node.mark', { node, title: 'a key' }));
    const operations = [{ op: 'replace' as const, start_line: 0, end_line: 1, content: `another: ${secret}` }];
    valueOf(await client.call('block.edit', { block_id: block, operations }));
    const draft = valueOf(await client.call('draft.create', { root, text: `draft of ${secret}` }));
    assert.equal(await found(), 2);
    const elsewhere = await begin(client, 'Tell me a long story.');
    valueOf(await client.call('turn.start', { node: elsewhere.node, provider: 'demo', model: 'slow' }));
    const followers = [await follow(client, root), await follow(clientOf(server.url, server.token, 'events'), root)];
    followers[0]?.replica.open(block);
    for (const one of followers) await one.until((words) => words.includes(secret));
    assert.notDeepEqual(filesWith(dataDir, secret), []);

    const out = await folder.succeed(['purge', block, draft.block_id, '--yes']);
    assert.match(out, /^Purged 2 blocks in 2 messages/u);
    assert.deepEqual(filesWith(dataDir, secret), []);
    for (const one of followers) await one.until((words) => !words.includes(secret) && words.includes('█'));
    // A text that is open for editing is replaced once it was opened again, a moment after the words of the conversation.
    const purged = '█'.repeat(`another: ${secret}`.length);
    await followers[0]?.until(() => followers[0]?.replica.text(block) === purged);
    assert.equal(await found(), 0);
    valueOf(await client.call('block.undo', { block_id: block }));
    for (const one of followers) await one.until((words) => !words.includes(secret));
    valueOf(await client.call('node.append', { parent: node, messages: [{ role: 'user', content: 'it goes on' }] }));
    for (const one of followers) await one.until((words) => words.includes('it goes on'));
    const { items } = valueOf(await client.call('root.list', {}));
    assert.equal(items.find(({ id }) => id === elsewhere.root)?.running?.length, 1, 'the turn elsewhere runs');
    assert.deepEqual(filesWith(dataDir, secret), []);
    for (const one of followers) one.close();
    assert.equal(await server.end('SIGTERM'), 0);
    assert.deepEqual(filesWith(dataDir, secret), []);
    assert.match((await folder.run(['doctor'])).out, /all is well/u);
  });
}

test('[PU26] what waits in an outbox of a client that was away is sent after the purge, and brings no words back', async (t) => {
  const folder = new ForestFolder(t);
  const { dataDir } = folder;
  const first = await startServe(t, dataDir, '--port', '0');
  const { port } = new URL(first.url);
  // One that outlives the process.
  const identity = { agent: 'ada', type: 'person', role: 'owner' };
  const made = valueOf(await clientOf(first.url, first.token).call('token.create', identity));
  const client = clientOf(first.url, z.object({ token: z.string() }).parse(made).token);
  const { root, node } = await begin(client, `my key is ${secret}`);
  const storage = createMemoryOutboxStorage();
  const followed = await follow(client, root, storage);
  const outbox = await client.openOutbox(storage);
  t.after(() => outbox.close());
  await first.end('SIGKILL');
  const said = outbox.add('node.append', { parent: node, messages: [{ role: 'user', content: 'said while away' }] });
  await folder.succeed(['purge', `${root}/node-1`, '--yes']);
  await startServe(t, dataDir, '--port', port);
  assert.ok((await said.outcome).ok);
  await followed.until((words) => words.includes('said while away') && !words.includes(secret));
  followed.close();
  assert.deepEqual(filesWith(dataDir, secret), []);
});
