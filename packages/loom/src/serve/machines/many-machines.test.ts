import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { FollowedConversation, LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import type { TestSchema } from '@loom/stores/postgres/testing';
import { z } from 'zod';
import { runLoom } from '../../testing/loom-process.ts';
import { startServe } from '../testing/serve-process.ts';
import type { ServeProcess } from '../testing/serve-process.ts';
import { clientOf, conversationOf, valueOf } from '../testing/served.ts';

const skip = noDatabase;

/** Some processes on one database, each with the settings of a machine of its own, and a token that all of them know. */
async function startMachines(
  t: TestContext,
  count: number,
): Promise<{ servers: ServeProcess[]; token: string; schema: TestSchema }> {
  const schema = await testSchema(t);
  const home = temporaryDirectory(t);
  const servers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startServe(t, join(home, `${index}`), '--port', '0', '--store', schema.url),
    ),
  );
  const [first] = servers;
  assert.ok(first !== undefined);
  const identity = { agent: 'ada', type: 'person', role: 'owner' };
  const made = valueOf(await clientOf(first.url, first.token).call('token.create', identity));
  return { servers, schema, token: z.object({ token: z.string() }).parse(made).token };
}

/** Waits for something that the server does in its own time; ten minutes without it are a failure on any machine. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 12_000; left > 0; left -= 1) {
    if (await isSo()) return;
    await sleep(50);
  }
  assert.fail(`it never came to this: ${what}`);
}

function turnsOf(client: LoomClient, root: string): Promise<(string | undefined)[]> {
  return client.call('turn.list', { root }).then((outcome) => valueOf(outcome).items.map(({ ended }) => ended));
}

async function startStory(client: LoomClient): Promise<string> {
  const { root } = valueOf(await client.call('root.create', {}));
  const said = { role: 'user' as const, content: 'Tell me a long story.' };
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages: [said] }));
  valueOf(await client.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'slow' }));
  return root;
}

test(
  '[PG20] a token made at one process lets in at all, and ends at all when it is revoked at one',
  { skip },
  async (t) => {
    const { servers, token } = await startMachines(t, 2);
    const clients = servers.map(({ url }) => clientOf(url, token));
    const lists = await Promise.all(clients.map((client) => client.call('token.list', {})));
    for (const list of lists)
      assert.equal(z.object({ items: z.array(z.unknown()) }).parse(valueOf(list)).items.length, 1);
    const [one, other] = servers;
    assert.ok(one !== undefined && other !== undefined);
    const owner = clientOf(other.url, other.token);
    const made = valueOf(await owner.call('token.create', { agent: 'bot', type: 'tool', role: 'writer' }));
    const bot = z.object({ id: z.string(), token: z.string() }).parse(made);
    const client = clientOf(one.url, bot.token);
    valueOf(await client.call('root.list', {}));
    valueOf(await owner.call('token.revoke', { id: bot.id }));
    await until('the token ends at the other process', async () => {
      const answer = await fetch(`${one.url}/api/v1/root.list`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' },
        body: '{}',
      });
      await answer.body?.cancel();
      return answer.status === 401;
    });
  },
);

test(
  '[PG21] writers at three processes and subscribers at all of them see one conversation in one order',
  { skip },
  async (t) => {
    const { servers, token } = await startMachines(t, 3);
    const clients = servers.map(({ url }, index) => clientOf(url, token, index === 1 ? 'events' : 'socket'));
    const [first] = clients;
    assert.ok(first !== undefined);
    const { root } = valueOf(await first.call('root.create', {}));
    const seqs: number[][] = clients.map(() => []);
    const followed = clients.map((client, index) =>
      client.follow(root, { onChange: (what) => void (what.type === 'change' && seqs[index]?.push(what.seq)) }),
    );
    for (const conversation of followed) assert.equal(await conversation.ready(), true);
    const writes = clients.map(async (client, index) => {
      for (let count = 0; count < 15; count += 1) {
        const messages = [{ role: 'user' as const, content: `${index} ${count}` }];
        valueOf(await client.call('node.append', { parent: root, messages }));
      }
    });
    await Promise.all(writes);
    await until('all see all', () => followed.every(({ replica }) => replica.nodes.size === 45));
    const [stored, ...others] = followed.map((conversation) => JSON.stringify(conversationOf(conversation)));
    for (const other of others) assert.equal(other, stored);
    for (const heard of seqs) {
      assert.deepEqual(
        heard,
        heard.toSorted((one, other) => one - other),
      );
      assert.equal(new Set(heard).size, heard.length);
    }
    for (const conversation of followed) conversation.close();
  },
);

test(
  '[PG22] of a process that is killed in mid-turn the others end the turns, watched or not, and its subscribers resume elsewhere',
  { skip },
  async (t) => {
    const { servers, schema, token } = await startMachines(t, 3);
    const [victim, second, third] = servers;
    assert.ok(victim !== undefined && second !== undefined && third !== undefined);
    const own = clientOf(victim.url, token);
    const [watched, unwatched] = [await startStory(own), await startStory(own)];
    const followed: FollowedConversation = clientOf(second.url, token).follow(watched);
    assert.equal(await followed.ready(), true);
    const textOf = ({ replica }: FollowedConversation): string => {
      const block = [...replica.nodes.values()].findLast(({ role }) => role === 'assistant')?.blocks.at(-1);
      return block?.type === 'text' ? block.text : '';
    };
    await until('words arrive through the other process', () => textOf(followed).length > 10);
    const before = clientOf(victim.url, token).follow(watched);
    assert.equal(await before.ready(), true);
    const seen = textOf(before);
    await victim.end('SIGKILL');
    const client = clientOf(third.url, token);
    const storedOf = async (root: string): Promise<string> => {
      const conversation = client.follow(root);
      assert.equal(await conversation.ready(), true);
      conversation.close();
      return textOf(conversation);
    };
    // Nobody opens the second conversation, so its rows are looked at.
    const isEnded =
      "SELECT true FROM loom.records WHERE log = $1 AND convert_from(text, 'UTF8') LIKE '%\"turn-ended\"%interrupted%'";
    await until(
      'the turn that nobody watched has ended',
      async () => (await schema.query(isEnded, [Buffer.from(unwatched)])).length > 0,
    );
    assert.deepEqual(await turnsOf(client, unwatched), ['interrupted']);
    await until('the subscriber hears of the end', () => {
      const block = [...followed.replica.nodes.values()].findLast(({ role }) => role === 'assistant')?.blocks.at(-1);
      return block?.status === 'error';
    });
    assert.ok((await storedOf(watched)).startsWith(seen), 'what was seen is there');
    assert.equal(await storedOf(watched), textOf(followed));
    // The conversation goes on elsewhere.
    const next = [{ role: 'user' as const, content: 'And then?' }];
    const leaf = [...followed.replica.nodes.keys()].at(-1) ?? '';
    valueOf(await client.call('node.append', { parent: leaf, messages: next }));
    await until('the next message arrives', () => followed.replica.nodes.size === 3);
    followed.close();
    before.close();
  },
);

test(
  '[PG27] a conversation that a newer Loom has written to is left alone by an older one, which says so and goes on with all others',
  { skip },
  async (t) => {
    const { servers, schema, token } = await startMachines(t, 2);
    const [victim, older] = servers;
    assert.ok(victim !== undefined && older !== undefined);
    const own = clientOf(victim.url, token);
    const [raised, other] = [await startStory(own), await startStory(own)];
    await until('both turns speak', async () => {
      const [row] = await schema.query('SELECT min(last_seq)::integer AS least FROM loom.logs WHERE log = ANY($1)', [
        [Buffer.from(raised), Buffer.from(other)],
      ]);
      return Number(row?.['least']) > 8;
    });
    await schema.query('UPDATE loom.logs SET format = 1000 WHERE log = $1', [Buffer.from(raised)]);
    await victim.end('SIGKILL');
    const client = clientOf(older.url, token);
    const messages = [{ role: 'user' as const, content: 'hello' }];
    await assert.rejects(client.call('node.append', { parent: raised, messages }), /1000|newer/u);
    const { items } = valueOf(await client.call('root.list', {}));
    assert.deepEqual(items.map(({ id }) => id).toSorted(), [raised, other].toSorted());
    // Its sweeper goes on with the other one.
    await until('the turn of the other conversation is ended', async () => {
      const [ended] = await turnsOf(client, other);
      return ended === 'interrupted';
    });
    valueOf(await client.call('node.append', { parent: other, messages }));
    await assert.rejects(client.call('node.append', { parent: raised, messages }), /1000|newer/u);
  },
);

test('[PG23] what needs a folder is refused with the reason, and no password is printed', { skip }, async (t) => {
  const { url } = await testSchema(t);
  const home = temporaryDirectory(t);
  const secret = new URL(url);
  secret.password = 'canary-4b1f';
  for (const args of [
    ['serve', '--follow', '--store', secret.href],
    ['ls', '--store', secret.href],
    ['chat', '--store', secret.href, 'hello'],
    ['serve', '--store', 'postgres://loom:canary-4b1f@127.0.0.1:1/none'],
    ['serve', '--store', 'postgre://loom:canary-4b1f@127.0.0.1/none'],
  ]) {
    const { code, stdout, stderr } = await runLoom(args, { home });
    assert.notEqual(code, 0, args.join(' '));
    assert.doesNotMatch(`${stdout}${stderr}`, /canary/u);
    assert.notEqual(stderr, '');
  }
  const env = { LOOM_STORE: secret.href };
  const made = await runLoom(['token', 'create', 'ada', '--type', 'person', '--role', 'owner', '--json'], {
    home,
    env,
  });
  assert.equal(made.code, 0, made.stderr);
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(made.stdout));
  const server = await startServe(t, home, '--port', '0', '--store', secret.href);
  valueOf(await clientOf(server.url, token).call('root.create', {}));
  const listed = await runLoom(['token', '--json'], { home, env });
  assert.match(listed.stdout, /"agent":"ada"/u);
});
