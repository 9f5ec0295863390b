import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelOperations } from '@loom/kernel';
import type { LoomEngine } from '@loom/kernel';
import { rest, VirtualClock } from '@loom/kernel/testing';
import { LoomClient } from '../client.ts';
import type { Outbox } from './outbox.ts';
import { createMemoryOutboxStorage, createWebOutboxStorage } from './outbox-storage.ts';
import type { OutboxStorage } from './outbox-storage.ts';
import { assertQueueable, changingOperations, runningOperations } from './queued-operations.ts';
import { countingIds, CutNetwork, openEngine } from './testing/cut-network.ts';

/** A page with an outbox, which can be reloaded, and a server that is there when the test says so. */
class Page {
  readonly clock = new VirtualClock();
  readonly engine: LoomEngine = openEngine(this.clock);
  readonly network = new CutNetwork(this.engine);
  readonly storage: OutboxStorage;
  #loads = 0;

  constructor(storage = createMemoryOutboxStorage()) {
    this.storage = storage;
  }

  async load(): Promise<Outbox> {
    this.#loads += 1;
    const { clock, network, storage } = this;
    const ids = countingIds(`page${this.#loads}-`);
    const place = { url: 'http://server', token: 'x' };
    return new LoomClient({ ...place, fetch: network.fetch, clock, ids, random: () => 0 }).openOutbox(storage);
  }

  /** Lets everything happen that can, with the server there or away. */
  async settle(isThere = true): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      await rest();
      if (isThere) await this.network.flush();
      else this.network.cutAll();
      await rest();
      this.clock.advance(isThere ? 1000 : 200);
    }
  }

  async call(name: string, params: unknown): Promise<unknown> {
    const caller = { agent: 'other', type: 'person', role: 'owner', door: 'http' } as const;
    const outcome = await this.engine.call(name, { ...caller, id: `other-${Math.random()}` }, params);
    return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
  }

  /** Returns the texts said in a conversation, in the order in which they were added. */
  async said(root: string): Promise<string[]> {
    const { nodes } = await this.engine.forest.log(root).state();
    return [...nodes.values()].map(({ blocks: [block] }) => (block?.type === 'text' ? block.text : ''));
  }
}

function saying(parent: string, content: string) {
  return { parent, messages: [{ role: 'user' as const, content }] };
}

async function rootOf(page: Page): Promise<string> {
  const outbox = await page.load();
  const created = outbox.add('root.create', {});
  await page.settle();
  const outcome = await created.outcome;
  outbox.close();
  return outcome.ok ? outcome.value.root : assert.fail();
}

test('[CL20][CL21] what is done while the server is away is kept, survives a reload, and is sent in order, references included', async () => {
  const page = new Page();
  const first = await page.load();
  const root = first.add('root.create', {});
  const said = first.add('node.append', saying(root.reference('root'), 'one'));
  first.add('node.append', saying(said.reference('nodes', 0), 'two'));
  first.add('root.mark', { root: root.reference('root'), title: 'Away' });
  await page.settle(false);
  assert.deepEqual([first.getSnapshot().status, first.getSnapshot().waiting], ['away', 4]);
  first.close();
  const second = await page.load();
  assert.deepEqual(
    second.entries().map(({ operation, state }) => [operation, state]),
    [
      ['root.create', 'sending'],
      ['node.append', 'waiting'],
      ['node.append', 'waiting'],
      ['root.mark', 'waiting'],
    ],
  );
  await page.settle();
  assert.deepEqual(second.getSnapshot(), {
    status: 'idle',
    entries: [],
    waiting: 0,
    stuck: 0,
    isSafe: true,
    damaged: [],
  });
  assert.deepEqual(await page.storage.load(), []);
  const [made = ''] = await page.engine.forest.roots();
  assert.deepEqual(await page.said(made), ['one', 'two']);
  const state = await page.engine.forest.log(made).state();
  assert.equal(state.title, 'Away');
  assert.equal(state.nodes.get(`${made}/node-2`)?.parent, `${made}/node-1`);
});

test('[CL22] what the server had taken before the cut is not done twice', async () => {
  const page = new Page();
  const root = await rootOf(page);
  const outbox = await page.load();
  const { outcome } = outbox.add('node.append', saying(root, 'once'));
  await rest();
  const [packet] = page.network.packets.splice(0);
  await packet?.arrive();
  packet?.cut();
  await page.settle();
  const answered = await outcome;
  assert.deepEqual(answered.ok && answered.value.nodes, [`${root}/node-1`]);
  assert.deepEqual(await page.said(root), ['once']);
});

test('[CL23] an edit of a text that was changed meanwhile is kept with its refusal; it is tried again or discarded, never dropped', async () => {
  const page = new Page();
  const root = await rootOf(page);
  await page.call('node.append', saying(root, 'before'));
  const node = `${root}/node-1`;
  let outbox = await page.load();
  const edit = outbox.add('node.edit', { node, content: 'mine', expected: 'before' });
  const title = outbox.add('root.mark', { root, title: 'goes on' });
  await page.settle(false);
  await page.call('node.edit', { node, content: 'theirs' });
  await page.settle();
  const refusal = { reason: 'text-mismatch', expected: 'before', actual: 'theirs', start_line: 0, end_line: 1 };
  assert.deepEqual(await edit.outcome, { ok: false, refusal });
  assert.equal((await title.outcome).ok, true, 'what does not depend on it is done');
  outbox.close();
  outbox = await page.load();
  await page.settle();
  const [kept] = outbox.entries();
  assert.deepEqual([kept?.id, kept?.state, kept?.trouble], [edit.id, 'refused', { type: 'refused', refusal }]);
  assert.deepEqual(kept?.params, { node, content: 'mine', expected: 'before' });
  assert.equal(outbox.getSnapshot().stuck, 1);
  await page.call('node.edit', { node, content: 'before' });
  assert.equal(outbox.retry(edit.id), true);
  assert.equal(outbox.retry(edit.id), false);
  await page.settle();
  assert.deepEqual([outbox.entries(), await page.said(root)], [[], ['mine']]);
});

test('[CL23] what refers to something that was refused waits for that, and is told apart from what goes on', async () => {
  const page = new Page();
  const root = await rootOf(page);
  const outbox = await page.load();
  const refused = outbox.add('node.append', saying(`${root}/node-9`, 'nowhere'));
  const below = outbox.add('node.append', saying(refused.reference('nodes', 0), 'below'));
  const turn = outbox.add(
    'turn.start',
    { node: below.reference('nodes', 0), provider: 'p', model: 'm' },
    { runs: true },
  );
  outbox.add('node.append', saying(root, 'here'));
  await page.settle();
  const states = () => outbox.entries().map(({ state }) => state);
  assert.deepEqual(states(), ['refused', 'blocked', 'blocked']);
  assert.deepEqual(await page.said(root), ['here']);
  assert.equal(outbox.discard(refused.id), true);
  assert.equal(outbox.discard(refused.id), false);
  assert.equal((await refused.outcome).ok, false);
  await page.settle();
  assert.deepEqual(states(), ['blocked', 'blocked']);
  assert.deepEqual([outbox.discard(turn.id), outbox.discard(below.id)], [true, true]);
  await assert.rejects(below.outcome, { code: 'discarded' });
});

test('[CL24] turns wait only if the caller says so, edits only with the text that they were made for; the rest of the table is known', () => {
  for (const [name, params, words] of [
    ['turn.start', { node: 'n', provider: 'p', model: 'm' }, /runs: true/u],
    ['token.create', {}, /cannot wait/u],
    ['root.list', {}, /cannot wait/u],
    ['block.splice', { block_id: 'b', offset: 0, delete_count: 1 }, /cannot wait/u],
    ['block.edit', { block_id: 'b', operations: [] }, /base_version/u],
    ['block.replace', { block_id: 'b', content: 'x' }, /expected_text/u],
    ['node.edit', { node: 'n', content: 'x' }, /expected/u],
  ] as const) {
    assert.throws(() => assertQueueable(name, params, false), { name: 'TypeError', message: words });
  }
  const named = (effect: string) =>
    kernelOperations.filter((row) => row.effect === effect && row.doors.includes('http')).map(({ name }) => name);
  const notForPeople = ['client.add', 'block.splice', 'document.update'];
  // A person has to see what would go.
  const seenFirst = ['block.purge'];
  assert.deepEqual(new Set([...changingOperations, ...notForPeople, ...seenFirst]), new Set(named('changes')));
  // These return when a model has finished, or begin a job whose result a person waits for.
  const whileWaiting = ['root.suggest_title', 'root.suggest_titles', 'turn.compact', 'secret.scan'];
  assert.deepEqual(new Set([...runningOperations, ...whileWaiting]), new Set(named('runs')));
});

test('[CL25] a token that is not valid any more stops the outbox until it is woken; a request that the door turns away is put aside', async () => {
  const page = new Page();
  const root = await rootOf(page);
  const outbox = await page.load();
  outbox.add('node.append', saying(root, 'one'));
  page.network.problem = { status: 401, reason: 'wrong-token' };
  await page.settle();
  assert.deepEqual([outbox.getSnapshot().status, outbox.getSnapshot().waiting], ['signed-out', 1]);
  const before = page.network.arrived.length;
  await page.settle();
  assert.equal(page.network.arrived.length, before, 'nothing is tried');
  page.network.problem = { status: 413, reason: 'too-large' };
  outbox.wake();
  await page.settle();
  assert.deepEqual(outbox.entries()[0]?.trouble, { type: 'failed', code: 'too-large', message: 'no' });
  page.network.problem = { status: 503, reason: 'store-failed' };
  outbox.add('node.append', saying(root, 'two'));
  for (let times = 0; times < 5; times += 1) await page.settle();
  assert.deepEqual(
    outbox.entries().map(({ state }) => state),
    ['failed', 'failed'],
    'a store that fails on and on',
  );
  page.network.problem = undefined;
  for (const { id } of outbox.entries()) outbox.retry(id);
  await page.settle();
  assert.deepEqual(await page.said(root), ['one', 'two']);
});

test('[CL26] a storage that is full, throws or holds something else loses nothing that was added, and the page is told', async () => {
  const kept = new Map<string, string>([['loom.outbox/me/x', '{"order":1']]);
  let isBroken = true;
  const area = {
    get length() {
      if (isBroken) throw new Error('no storage');
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (isBroken) throw new Error('quota exceeded');
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
  const page = new Page(createWebOutboxStorage(area, 'me'));
  const root = await rootOf(page);
  const outbox = await page.load();
  outbox.add('node.append', saying(root, 'one'));
  await page.settle(false);
  assert.deepEqual([outbox.entries()[0]?.isKept, outbox.getSnapshot().isSafe], [false, false]);
  isBroken = false;
  outbox.add('node.append', saying(root, 'two'));
  assert.deepEqual(
    outbox.entries().map(({ isKept }) => isKept),
    [true, true],
  );
  await page.settle();
  assert.deepEqual(await page.said(root), ['one', 'two']);
  assert.deepEqual(outbox.getSnapshot().damaged, [{ id: 'x', text: '{"order":1' }]);
  assert.deepEqual([...kept.keys()], ['loom.outbox/me/x'], 'what is no entry stays');
  assert.equal(outbox.discard('x'), true);
  assert.deepEqual([[...kept], outbox.getSnapshot().isSafe], [[], true]);
});

test('[CL27] two pages share a storage: each entry is done once and known in both, in whichever it was added', async () => {
  const kept = new Map<string, string>();
  const listeners = new Set<(event: { key: string | null; newValue: string | null }) => void>();
  const pageArea = () => {
    const own: ((event: { key: string | null; newValue: string | null }) => void)[] = [];
    const tell = (key: string, newValue: string | null) => {
      for (const hear of listeners) if (!own.includes(hear)) hear({ key, newValue });
    };
    const area = {
      get length() {
        return kept.size;
      },
      key: (index: number) => [...kept.keys()][index] ?? null,
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => {
        kept.set(key, value);
        tell(key, value);
      },
      removeItem: (key: string) => {
        kept.delete(key);
        tell(key, null);
      },
    };
    const events = {
      addEventListener: (_type: 'storage', hear: (typeof own)[number]) => {
        own.push(hear);
        listeners.add(hear);
      },
      removeEventListener: (_type: 'storage', hear: (typeof own)[number]) => void listeners.delete(hear),
    };
    return createWebOutboxStorage(area, 'me', events);
  };
  const page = new Page(pageArea());
  const root = await rootOf(page);
  const { clock, network } = page;
  const client = { url: 'http://server', token: 'x', fetch: network.fetch, clock, random: () => 0 };
  const other = await new LoomClient({ ...client, ids: countingIds('other-') }).openOutbox(pageArea());
  const one = await page.load();
  const first = one.add('node.append', saying(root, 'first'));
  other.add('node.append', saying(first.reference('nodes', 0), 'second'));
  const third = one.add('node.append', saying(root, 'third'));
  assert.deepEqual(
    other.entries().map(({ id }) => id),
    one.entries().map(({ id }) => id),
  );
  await page.settle(false);
  assert.equal(other.discard(third.id), true);
  assert.equal(one.entries().length, 2, 'what one page discards the other does not send');
  await assert.rejects(third.outcome, { code: 'taken-over' });
  await page.settle();
  assert.deepEqual(await page.said(root), ['first', 'second']);
  assert.deepEqual([one.entries(), other.entries(), [...kept]], [[], [], []]);
  one.add('node.append', saying(root, 'fourth'));
  await page.settle(false);
  kept.clear();
  for (const hear of listeners) hear({ key: null, newValue: null });
  assert.equal(kept.size, 1, 'a storage that was cleared gets it back');
});

test('[CL26] what a storage says is sent only if it may wait; one that never answers holds nothing up, and a listener that throws hurts only itself', async () => {
  const stored = createMemoryOutboxStorage();
  const entry = { order: 1, operation: 'root.create', params: {}, needs: [], added: 0 };
  for (const [id, altered] of [
    ['token', { operation: 'token.create' }],
    ['path', { operation: '../../auth/code' }],
    ['high', { order: Number.MAX_SAFE_INTEGER }],
    ['circle-1', { needs: ['circle-2'] }],
    ['circle-2', { needs: ['circle-1'] }],
  ] as const)
    await stored.put({ id, text: JSON.stringify({ ...entry, ...altered }) });
  const page = new Page({
    load: () => stored.load(),
    put: () => new Promise(() => {}),
    remove: (id) => stored.remove(id),
  });
  const outbox = await page.load();
  const thrown: unknown[] = [];
  const note = (error: unknown): void => void thrown.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', note);
  const stop = outbox.subscribe(() => {
    throw new Error('listener');
  });
  const { outcome } = outbox.add('root.create', {});
  stop();
  await page.settle();
  process.removeAllListeners('uncaughtException');
  for (const listener of others) process.on('uncaughtException', listener);
  assert.equal((await outcome).ok, true);
  assert.ok(thrown.length > 0);
  assert.equal((await page.engine.forest.roots()).length, 1);
  assert.deepEqual(
    outbox.getSnapshot().damaged.map(({ id }) => id),
    ['token', 'path', 'high'],
  );
  assert.deepEqual(
    outbox.entries().map(({ state }) => state),
    ['blocked', 'blocked'],
  );
});
