import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rounds, runs, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { ClientError } from '@loom/client';
import type { FollowedConversation, LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openPostgresStore } from '@loom/stores/postgres';
import { findPostgres, openCutter, startServer, testSchema } from '@loom/stores/postgres/testing';
import { z } from 'zod';
import { startServe } from '../testing/serve-process.ts';
import type { ServeProcess } from '../testing/serve-process.ts';
import { clientOf, conversationOf, valueOf } from '../testing/served.ts';
import { judgeConversation, longestAnswer, openTurnsOf } from './testing/conversation-judge.ts';

/** The rounds with one fault each; the deep run sets more. */
const wanted = runs(3, Number(process.env['LOOM_MACHINE_ROUNDS'] ?? 3));
const missing = findPostgres() === undefined ? 'there is no PostgreSQL on this machine to restart' : false;

/** The failures that a client may be told of while machines fail. */
const typed = ['unreachable', 'stopping', 'store-failed', 'store-locked', 'store-unreadable', 'not-loom'];

/** Waits for something that machines do in their own time; ten minutes without it are a failure on any machine. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 12_000; left > 0; left -= 1) {
    if (await isSo()) return;
    await sleep(50);
  }
  assert.fail(`it never came to this: ${what}`);
}

/** A client that goes on writing into conversations, and remembers what it was told. */
class Writer {
  readonly acknowledged: { root: string; text: string }[] = [];
  readonly untyped: string[] = [];
  failures = 0;
  isOver = false;
  readonly #done: Promise<void>;

  constructor(name: string, client: () => LoomClient, roots: readonly string[]) {
    this.#done = this.#write(name, client, roots);
  }

  async #write(name: string, client: () => LoomClient, roots: readonly string[]): Promise<void> {
    for (let count = 0; !this.isOver; count += 1) {
      const root = roots[count % roots.length] ?? '';
      const text = `${name} ${count}`;
      try {
        const outcome = await client().call('node.append', {
          parent: root,
          messages: [{ role: 'user', content: text }],
        });
        if (outcome.ok) this.acknowledged.push({ root, text });
        else this.untyped.push(outcome.refusal.reason);
      } catch (error) {
        this.failures += 1;
        const isTyped = error instanceof ClientError && typed.includes(error.code);
        if (!isTyped) this.untyped.push(String(error));
      }
      await sleep(50);
    }
  }

  /** Resolves once so many more messages are acknowledged. */
  async after(count: number): Promise<void> {
    const target = this.acknowledged.length + count;
    await until(`${count} more messages are acknowledged`, () => this.acknowledged.length >= target);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.#done;
  }
}

/** Three machines on a database behind a way that can be cut. */
async function startMachines(t: TestContext) {
  const database = await startServer({ isDurable: true });
  t.after(() => database.stop());
  const cutter = await openCutter(database.port);
  t.after(() => cutter.close());
  const schema = await testSchema(t, database.url);
  const url = new URL(schema.url);
  url.port = String(cutter.port);
  const home = temporaryDirectory(t);
  let started = 0;
  const start = (): Promise<ServeProcess> => {
    started += 1;
    return startServe(t, join(home, `${started}`), '--port', '0', '--store', url.href);
  };
  const servers = [await start(), await start(), await start()];
  const identity = { agent: 'ada', type: 'person', role: 'owner' };
  const [first] = servers;
  const made = valueOf(await clientOf(first?.url ?? '', first?.token ?? '').call('token.create', identity));
  const { token } = z.object({ token: z.string() }).parse(made);
  return { database, cutter, schema, servers, start, token };
}

test(
  '[PG26] machines with turns and subscribers that are killed, stopped and cut off from a database that is restarted lose nothing that was acknowledged',
  { skip: missing },
  async (t) => {
    const { database, cutter, schema, servers, start, token } = await startMachines(t);
    const client = (index: number): LoomClient => clientOf(servers[index]?.url ?? '', token);
    const roots: string[] = [];
    for (let count = 0; count < 3; count += 1) roots.push(valueOf(await client(0).call('root.create', {})).root);
    const startTurn = async (index: number): Promise<void> => {
      const root = roots[index] ?? '';
      const said = { role: 'user' as const, content: 'Tell me a long story.' };
      const appended = await client(index).call('node.append', { parent: root, messages: [said] });
      if (!appended.ok) return;
      await client(index).call('turn.start', { node: appended.value.nodes[0] ?? '', provider: 'demo', model: 'slow' });
    };
    const writers = [0, 1].map((index) => new Writer(`writer-${index}`, () => client(index), roots));
    const seqs: number[] = [];
    // The last machine is never killed: it is stopped with a live turn in its middle, until others have ended that.
    for (let index = 0; index < 3; index += 1) await startTurn(index);
    const followed: FollowedConversation = client(1).follow(roots[2] ?? '', {
      onChange: (what) => void (what.type === 'change' && seqs.push(what.seq)),
    });
    assert.equal(await followed.ready(), true);
    await until('the turn of the last machine speaks', () => followed.replica.nodes.size > 1);
    const sleeper = servers[2]?.child;
    sleeper?.kill('SIGSTOP');
    const replace = async (index: number): Promise<void> => {
      await servers[index]?.end('SIGKILL');
      servers[index] = await start();
    };
    const faults: (() => Promise<unknown> | void)[] = [
      () => replace(0),
      () => cutter.cut(),
      () => database.restart('crash'),
      async () => {
        cutter.pause();
        await sleep(500);
        cutter.goOn();
      },
      () => database.restart('orderly'),
    ];
    let tried = 0;
    for (const round of rounds((done) => done >= wanted)) {
      await startTurn(round % 2).catch(() => {});
      await writers[1]?.after(5);
      await faults[(sampleOfRun() + round) % faults.length]?.();
      await writers[0]?.after(5);
      tried = round;
    }
    const store = await openPostgresStore({ url: schema.url });
    t.after(() => store.close());
    const contentsOf = (root: string) => store.read(root, 0);
    const openTurns = async (root: string): Promise<number> => openTurnsOf(await contentsOf(root)).length;
    await until(
      'the turn of the stopped machine is ended by others',
      async () => (await openTurns(roots[2] ?? '')) === 0,
    );
    sleeper?.kill('SIGCONT');
    for (const writer of writers) await writer.after(5);
    for (const writer of writers) await writer.stop();
    await until('all turns have ended', async () => {
      const open = await Promise.all(roots.map(openTurns));
      return open.every((count) => count === 0);
    });
    assert.deepEqual(
      writers.flatMap(({ untyped }) => untyped),
      [],
    );
    const all = await Promise.all(roots.map(contentsOf));
    const story = longestAnswer(all);
    for (const [index, root] of roots.entries()) {
      const acknowledged = writers.flatMap((writer) => writer.acknowledged.filter((one) => one.root === root));
      const texts = acknowledged.map(({ text }) => text);
      const evidence = { root, contents: all[index], acknowledged: texts, story };
      assert.deepEqual(judgeConversation(evidence), []);
      // All machines show the same.
      const shown = await Promise.all(
        servers.map(async (_, machine) => {
          const conversation = client(machine).follow(root);
          assert.equal(await conversation.ready(), true);
          const text = JSON.stringify(conversationOf(conversation));
          conversation.close();
          return text;
        }),
      );
      assert.equal(new Set(shown).size, 1);
    }
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((one, other) => one - other),
      'a subscriber hears each change once, in order',
    );
    followed.close();
    const failures = writers.reduce((sum, writer) => sum + writer.failures, 0);
    tellTried(
      t,
      tried,
      `faults, ${writers.flatMap(({ acknowledged }) => acknowledged).length} acknowledgements, ${failures} failures`,
    );
  },
);
