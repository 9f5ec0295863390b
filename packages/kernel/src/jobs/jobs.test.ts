import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../operations/operation.ts';
import { dataOperations } from '../operations/host/data-operations.ts';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../provider.ts';
import type { Outcome } from '../refusal.ts';
import { StoreError } from '../store.ts';
import { say } from '../testing/scripted-provider.ts';
import { countingIds, createWorld } from '../testing/world.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Jobs } from './jobs.ts';
import type { JobFacts } from './jobs.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

function open(): { jobs: Jobs; clock: VirtualClock; failures: unknown[] } {
  const [clock, failures] = [new VirtualClock(0), new Array<unknown>()];
  return { jobs: new Jobs({ clock, ids: countingIds(), failed: (error) => failures.push(error) }), clock, failures };
}

const about = { kind: 'data.measure', agent: 'ann', words: 'Begins' };

test('[OP40] work says how far it is, and what became of it is known afterwards; the changes of a moment are told together', async () => {
  const { jobs, clock } = open();
  const told: (readonly JobFacts[])[] = [];
  const stop = jobs.subscribe((all) => told.push(all));
  const { promise, resolve } = Promise.withResolvers<string>();
  const id = jobs.start(about, ({ report }) => {
    for (let index = 0; index < 100; index += 1) report(`${index} of 50`, index / 50);
    return promise;
  });
  await setImmediate();
  clock.advance(1000);
  assert.equal(told.length, 1);
  const started_at = new Date(0).toISOString();
  const facts = { id, kind: 'data.measure', agent: 'ann', started_at };
  assert.deepEqual(told[0], [{ ...facts, state: 'running', words: '99 of 50', progress: 1 }]);
  resolve('found');
  await setImmediate();
  clock.advance(1000);
  assert.deepEqual([told.length, told[1]?.[0]?.state], [2, 'done']);
  assert.equal(jobs.get(id)?.result, 'found');
  assert.equal(jobs.cancel(id), false);
  stop();
});

test('[OP40] work that the store ends says what kind of failure it was and what to do, to those who asked', async () => {
  const { jobs, failures } = open();
  const id = jobs.start(about, () => Promise.reject(new StoreError('store-failed', 'no room', 'Free some space.')));
  await setImmediate();
  assert.partialDeepStrictEqual(jobs.get(id)?.facts, {
    state: 'failed',
    words: 'no room',
    code: 'store-failed',
    advice: 'Free some space.',
  });
  assert.deepEqual(failures, []);
});

test('[OP40] work that is cancelled, fails or is refused ends as that, and the last 20 that are over are remembered', async () => {
  const { jobs, failures } = open();
  const cancelled = jobs.start(
    about,
    ({ signal }) => new Promise((end) => signal.addEventListener('abort', () => end('part'))),
  );
  await setImmediate();
  assert.equal(jobs.cancel(cancelled), true);
  const thrown = jobs.start(about, () => Promise.reject(new Error('no')));
  await assert.rejects(
    jobs.run(about, () => Promise.reject(new Error('mine'))),
    /mine/u,
  );
  await jobs.run(about, async () => ({ ok: false, refusal: { reason: 'x' } }));
  await setImmediate();
  assert.deepEqual(
    jobs.list().map(({ state }) => state),
    ['failed', 'failed', 'failed', 'cancelled'],
  );
  assert.equal(jobs.get(thrown)?.facts.ended_at, new Date(0).toISOString());
  assert.equal(failures.length, 1);
  for (let index = 0; index < 30; index += 1) await jobs.run(about, async () => index);
  await setImmediate();
  assert.equal(jobs.list().length, 20);
  assert.equal(jobs.get(cancelled), undefined);
});

async function* goOn(_request: ProviderRequest, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'so far' } };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

test('[OP40] a summary is a job, which its agent or an owner cancels; others neither see nor end it', async () => {
  const world = await createWorld([goOn]);
  const node = await world.say('one');
  const { engine, root } = world;
  const summing = engine.call('turn.compact', by({ agent: 'ann', role: 'writer' }), {
    node,
    provider: 'scripted',
    model: 'one',
  });
  const jobs = async (given: Partial<Caller> = {}) =>
    value(await engine.call('job.list', by(given), { running: true })).items;
  while ((await world.nodes()).length < 3) await setImmediate();
  const [job = assert.fail()] = await jobs();
  assert.deepEqual([job.kind, job.root, job.agent, job.words], ['turn.compact', root, 'ann', 'one sums up']);
  assert.deepEqual(await jobs({ roots: ['root-other'] }), []);
  assert.equal((await jobs({ roots: [root] })).length, 1);
  const cancel = async (given: Partial<Caller>) => engine.call('job.cancel', by(given), { job: job.id });
  const denied = await cancel({ agent: 'eve', role: 'writer' });
  assert.equal(denied.ok ? '' : denied.refusal.reason, 'not-permitted');
  const hidden = await cancel({ roots: ['root-other'] });
  assert.equal(hidden.ok ? '' : hidden.refusal.reason, 'job-not-found');
  assert.deepEqual(value(await cancel({ agent: 'ann', role: 'writer' })), { cancelled: true });
  assert.notEqual(value(await summing).ended, 'done');
  const [turn] = value(await engine.call('turn.list', by(), { root })).items;
  assert.equal(turn?.ended, 'aborted');
  assert.equal(value(await engine.call('job.get', by(), { job: job.id })).state, 'cancelled');
  assert.deepEqual(value(await cancel({})), { cancelled: false });
  assert.deepEqual(await jobs(), []);
});

test('[OP40] an engine that closes cancels its jobs and ends', async () => {
  const world = await createWorld([goOn]);
  const summing = world.engine.call('turn.compact', by(), {
    node: await world.say('one'),
    provider: 'scripted',
    model: 'one',
  });
  while ((await world.nodes()).length < 3) await setImmediate();
  await world.engine.close();
  assert.notEqual(value(await summing).ended, 'done');
});

test('[OP41] data.measure goes through all conversations as a job, and tells how much text there is', async () => {
  const world = await createWorld([say('äh')]);
  await world.engine.turns.wait(await world.answer(await world.say('one')));
  const engine = world.another({ operations: dataOperations({ sizes: async () => [] }) });
  const { job } = value(await engine.call('data.measure', by(), {}));
  while (value(await engine.call('job.get', by(), { job })).state === 'running') await setImmediate();
  const { state, progress, words, result } = value(await engine.call('job.get', by(), { job }));
  assert.deepEqual({ state, progress, words }, { state: 'done', progress: 1, words: '1 of 1 conversation' });
  assert.deepEqual(result, { bytes: 'one'.length + 3, conversations: 1 });
  const unknown = await engine.call('job.get', by(), { job: 'job-none' });
  assert.equal(unknown.ok ? '' : unknown.refusal.reason, 'job-not-found');
  const limited = await engine.call('data.measure', by({ roots: [world.root] }), {});
  assert.equal(limited.ok ? '' : limited.refusal.reason, 'not-permitted');
});

test('[OP42] a search through all conversations ends early when its caller does not wait any more', async () => {
  const world = await createWorld();
  for (let index = 0; index < 20; index += 1) {
    const { root } = value(await world.engine.call('root.create', by(), {}));
    const messages = [{ role: 'user' as const, content: 'needle' }];
    value(await world.engine.call('node.append', by(), { parent: root, messages }));
  }
  const stop = new AbortController();
  const opened: string[] = [];
  const engine = world.another({
    index: {
      async *search({ roots }) {
        for (const root of roots) {
          opened.push(root);
          if (opened.length === 5) stop.abort();
          yield { type: 'unknown', root };
        }
      },
      close: () => Promise.resolve(),
    },
  });
  const query = { query: 'needle', kinds: ['text'] };
  const { blocks, truncated } = value(await engine.call('kernel.search', by({ signal: stop.signal }), query));
  assert.deepEqual([opened.length, truncated], [5, true]);
  assert.ok(blocks.length < 6);
});
