import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { z } from 'zod';
import { keptAlive } from '../testing/kept-alive.ts';
import { openPostgresStore } from './open.ts';
import { appendUntilDone } from './testing/append-loop.ts';
import { openCutter } from './testing/connection-cutter.ts';
import { noDatabase, testSchema } from './testing/database.ts';
import { startFaultWriter } from './testing/fault-writer.ts';
import { plantedFaults, withFault } from './testing/faulty-appends.ts';
import { judgeOrder, judgeSubscriber } from './testing/order-judge.ts';
import type { AcknowledgedText } from './testing/order-judge.ts';
import { findPostgres, startServer } from './testing/server.ts';

const logs = ['a', 'b', 'c'];
const line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('acknowledged'), log: z.string(), seq: z.number(), text: z.string() }),
  z.object({ type: z.literal('failed'), code: z.string() }),
  z.object({ type: z.literal('done') }),
]);

/** Writers in processes of their own, and what they were told. */
class Writers {
  readonly acknowledged: AcknowledgedText[] = [];
  failures = 0;
  readonly #running = new Map<ChildProcess, Promise<void>>();
  readonly #onLine = new Set<() => void>();
  #started = 0;

  start(t: TestContext, url: string, count: number): void {
    const name = `writer-${(this.#started += 1)}`;
    const child = startFaultWriter({ url, name, logs, count });
    t.after(() => child.kill('SIGKILL'));
    createInterface({ input: child.stdout ?? assert.fail() }).on('line', (text) => {
      const said = line.parse(JSON.parse(text));
      if (said.type === 'acknowledged') this.acknowledged.push(said);
      if (said.type === 'failed') this.failures += 1;
      for (const tell of this.#onLine) tell();
    });
    const over = once(child, 'close').then(([code, signal]) => {
      this.#running.delete(child);
      assert.ok(code === 0 || signal === 'SIGKILL', `${name} ended with ${String(code ?? signal)}`);
      return undefined;
    });
    this.#running.set(child, over);
  }

  get one(): ChildProcess | undefined {
    return [...this.#running.keys()][0];
  }

  /** Resolves after so many more acknowledged appends, or when all writers are done. */
  async after(count: number): Promise<void> {
    const target = this.acknowledged.length + count;
    const reached = new Promise<void>((resolve) => {
      const tell = (): void => {
        if (this.acknowledged.length < target) return;
        this.#onLine.delete(tell);
        resolve();
      };
      this.#onLine.add(tell);
    });
    await Promise.race([reached, this.done()]);
  }

  async done(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

/** Follows a log as a room does: woken, it reads what is new. */
function subscribe(store: Store, log: string): { seen: string[]; catchUp: () => Promise<void> } {
  const seen: string[] = [];
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    const contents = await store.read(log, seen.length).catch(() => undefined);
    for (const { seq, text } of contents?.records ?? []) if (seq === seen.length + 1) seen.push(text);
  };
  const catchUp = (): Promise<void> => (reading = reading.then(read));
  store.listen(log, () => void catchUp());
  return { seen, catchUp };
}

const missing = findPostgres() === undefined ? 'there is no PostgreSQL on this machine to restart' : false;

test(
  '[PG24] processes that are killed, stopped and cut off from a database that is restarted write one order, and lose nothing',
  { skip: missing },
  async (t) => {
    const server = await startServer({ isDurable: true });
    t.after(() => server.stop());
    const cutter = await openCutter(server.port);
    t.after(() => cutter.close());
    const schema = await testSchema(t, server.url);
    const url = new URL(schema.url);
    url.port = String(cutter.port);
    const writers = new Writers();
    for (let count = 0; count < 3; count += 1) writers.start(t, url.href, 400);
    const reader = await openPostgresStore({ url: url.href });
    t.after(() => reader.close());
    const subscribers = logs.map((log) => subscribe(reader, log));
    const kill = (): void => {
      writers.one?.kill('SIGKILL');
      writers.start(t, url.href, 300);
    };
    const faults: (() => Promise<void> | void)[] = [
      kill,
      () => cutter.cut(),
      () => server.restart('crash'),
      async () => {
        const stopped = writers.one;
        stopped?.kill('SIGSTOP');
        await writers.after(20);
        stopped?.kill('SIGCONT');
      },
      kill,
      async () => {
        cutter.pause();
        await new Promise((resolve) => setTimeout(resolve, 200));
        cutter.goOn();
      },
      () => cutter.cut(),
      () => server.restart('orderly'),
      kill,
      () => cutter.cut(),
    ];
    for (const fault of faults) {
      await keptAlive(writers.after(60), 'the writers went on with nothing');
      await fault();
    }
    await keptAlive(writers.done(), 'the writers did not end');
    assert.ok(writers.failures > 0, 'the faults were felt');
    assert.ok(writers.acknowledged.length >= faults.length * 60, `${writers.acknowledged.length} acknowledged`);
    for (const [index, log] of logs.entries()) {
      const contents = await reader.read(log, 0);
      assert.deepEqual(judgeOrder(log, contents, writers.acknowledged), []);
      const subscriber = subscribers[index];
      // That it is woken is tested elsewhere.
      await subscriber?.catchUp();
      assert.deepEqual(judgeSubscriber(subscriber?.seen ?? [], contents), []);
    }
  },
);

for (const fault of plantedFaults) {
  test(`[PG24] the test of one order finds a store that has a fault (${fault})`, { skip: noDatabase }, async (t) => {
    const schema = await testSchema(t);
    const acknowledged: AcknowledgedText[] = [];
    const inject = async (log: string, text: string): Promise<void> => {
      await schema.query(
        `WITH moved AS (UPDATE loom.logs SET last_seq = last_seq + 1 WHERE log = $1 RETURNING log, last_seq)
         INSERT INTO loom.records SELECT log, last_seq, last_seq, $2 FROM moved`,
        [Buffer.from(log), Buffer.from(text)],
      );
    };
    const stores = [await schema.open(), await schema.open()];
    const loops = stores.map((store, index) =>
      appendUntilDone({
        store: withFault(store, fault, inject),
        name: `writer-${index}`,
        logs,
        count: 40,
        say: (said) => void (said.type === 'acknowledged' && acknowledged.push(said)),
      }),
    );
    // A store that forgets what it has acknowledged says itself that it has lost records, again and again.
    await Promise.race([Promise.all(loops), untilMany(acknowledged)]);
    const judged = await Promise.all(
      logs.map(async (log) => judgeOrder(log, await stores[0]?.read(log, 0), acknowledged)),
    );
    assert.ok(judged.flat().length > 0, 'the fault was not found');
    await Promise.all(loops);
  });
}

async function untilMany(acknowledged: readonly unknown[]): Promise<void> {
  while (acknowledged.length < 60) await new Promise((resolve) => setImmediate(resolve));
}
