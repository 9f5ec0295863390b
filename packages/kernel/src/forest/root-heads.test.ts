import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { Message } from '@loom/blocks';
import { createMemoryStore } from '@loom/stores/memory';
import type { RootOp } from '../op.ts';
import { rootCodec } from '../log/codec/root-codec.ts';
import { RootState } from '../state/root-state.ts';
import { pageOfHeads, passOn } from '../store.ts';
import type { AppendRequest, Store } from '../store.ts';
import type { Outcome } from '../refusal.ts';
import { Forest } from './forest.ts';
import { recentLeaves } from '../state/tree/queries.ts';
import { headOfRoot, isWrongHead, readHead, summarizeRoot } from './root-head.ts';
import type { RootPlace, RootsRequest } from './root-pages.ts';
import { anyHistory, growRoot } from './testing/arbitrary-roots.ts';
import { user } from './testing/test-root.ts';

let ids = 0;
const next = (): string => String((ids += 1)).padStart(6, '0');
const request = (): { agent: string; id: string } => ({ agent: 'anna', id: next() });

function open(store: Store, room: { nodesAtHand?: number; logsAtHand?: number } = {}): Forest {
  let time = 1_700_000_000_000;
  const clock = { now: () => (time += 10), after: () => () => {} };
  return new Forest({ store, clock, ids: { next }, ...room });
}

async function done<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const settled = await outcome;
  assert.ok(settled.ok, JSON.stringify(settled));
  return settled.value;
}

async function rootWith(forest: Forest, said: string): Promise<string> {
  const { root } = await done(forest.createRoot(request()));
  await done(forest.append(request(), root, { parent: root, messages: [user(said)] }));
  return root;
}

/** A store that notes which logs are read, and which heads come with appends. */
function watched(store: Store): { store: Store; reads: string[]; heads: AppendRequest['head'][] } {
  const [reads, heads]: [string[], AppendRequest['head'][]] = [[], []];
  return {
    reads,
    heads,
    store: {
      ...passOn(store),
      read(log, ...range) {
        if (log !== 'forest') reads.push(log);
        return store.read(log, ...range);
      },
      append(log, asked) {
        if (log !== 'forest') heads.push(asked.head);
        return store.append(log, asked);
      },
    },
  };
}

test('[FR121] a head says what the state says, after whatever changes', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const grown = growRoot(history);
      const state = new RootState(grown.state.id);
      for (const change of grown.records.flatMap((record) => rootCodec.decode(record))) {
        state.apply(change);
        const summary = summarizeRoot(state);
        assert.deepEqual(readHead(state.id, headOfRoot(state)), summary);
        assert.equal(summary.branches, recentLeaves(state, Infinity).length);
      }
    }),
    { numRuns: 60 },
  );
});

test('[FR121] branches are not counted anew when a message is cut in two', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  const root = await rootWith(forest, 'one two');
  const node = `${root}/node-1`;
  await done(forest.append(request(), root, { parent: node, messages: [user('an answer')] }));
  const { how } = await done(forest.editNode(request(), root, { node, content: 'one three', mode: 'split' }));
  assert.equal(how, 'divergence');
  const changes = (await store.read(root, 0))?.records.flatMap(({ text }) => rootCodec.decode(text)) ?? [];
  const state = new RootState(root);
  for (const change of changes) {
    state.apply(change);
    state.index.visibleLeafCount(() => assert.fail('the branches were gone through'));
  }
  assert.equal(summarizeRoot(state).branches, 2);
});

test('[FR121] a head tells of turns, calls that wait, usage and bookmarks', async () => {
  const memory = createMemoryStore();
  const forest = open(memory);
  const root = await rootWith(forest, 'Can you look?');
  const parent = `${root}/node-1`;
  const model = { type: 'model' as const, provider: 'demo', model_name: 'demo-1', parameters: {} };
  const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0.1 };
  const write = (...ops: RootOp[]): Promise<Outcome<null>> =>
    forest.log(root).append(request(), z.null(), () => ({ ok: true, ops, value: null }));
  const turn = { turn: 't', node: parent, provider: 'demo', model: 'demo-1', settings: {}, tools: [], max_rounds: 1 };
  const waits = (id: string, call: string): RootOp => ({
    type: 'node-added',
    node: {
      id: `${root}/${id}`,
      parent: `${root}/node-2`,
      role: 'tool',
      blocks: [],
      source: { type: 'tool_result', tool_name: 'look' },
      tool_call_id: call,
      tool: 'waiting',
      turn: 't',
    },
  });
  const asks = (id: string): RootOp => ({
    type: 'node-changed',
    node: `${root}/${id}`,
    set: { ask: { kind: 'ask', preview: [] } },
  });
  await done(
    write(
      { type: 'turn-started', ...turn, holder: 'me' },
      {
        type: 'node-added',
        node: { id: `${root}/node-2`, parent, role: 'assistant', blocks: [], source: { ...model, usage }, turn: 't' },
      },
      waits('node-3', 'c'),
      waits('node-4', 'd'),
      // The later one asks first; a state that is loaded does not know that.
      asks('node-4'),
      asks('node-3'),
    ),
  );
  await done(forest.bookmark(request(), root, { node: parent, title: 'here' }));
  const [asked] = (await open(memory.share()).listRoots()).filter(({ id }) => id === root);
  assert.deepEqual(
    [asked?.running, asked?.needs, asked?.usage, asked?.bookmarks, asked?.leaves],
    [
      ['t'],
      [`${root}/node-3`, `${root}/node-4`],
      usage,
      [{ node: parent, title: 'here' }],
      [`${root}/node-4`, `${root}/node-3`],
    ],
  );
  await done(
    write(
      { type: 'turn-ended', turn: 't', reason: 'aborted' },
      { type: 'node-removed', node: `${root}/node-3` },
      { type: 'node-removed', node: `${root}/node-4` },
    ),
  );
  const [ended] = (await open(memory.share()).listRoots()).filter(({ id }) => id === root);
  assert.deepEqual(
    [ended?.running, ended?.needs, ended?.source, ended?.opening],
    [[], [], { provider: 'demo', model: 'demo-1' }, 'Can you look?'],
  );
});

test('[FR130] what of a config is long is named in heads and lists, and is not in them', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  const long = 'Be brief. '.repeat(200);
  const config = { systemPrompt: long, directory: '/here', tools: ['a'], other: { notes: long } };
  const { root } = await done(forest.createRoot(request(), config));
  const short = { directory: '/here', tools: ['a'] };
  for (const reader of [forest, open(store)]) {
    const [listed] = (await reader.pageRoots({ deleted: false, limit: 1 })).items;
    assert.deepEqual([listed?.config, listed?.config_left_out], [short, ['systemPrompt', 'other']]);
  }
  const state = await forest.log(root).state();
  assert.deepEqual(state.config, config);
  const head = headOfRoot(state);
  assert.ok(head.text.length < 1000, `${head.text.length} characters`);
  assert.equal(isWrongHead(head, state), false);
  // The head as earlier versions wrote it.
  const { id: _id, config_left_out: _leftOut, ...facts } = summarizeRoot(state);
  const older = { time: head.time, text: JSON.stringify({ format: 1, ...facts, config }) };
  assert.equal(isWrongHead(older, state), false);
  const wrong = { time: head.time, text: JSON.stringify({ format: 1, ...facts, config: { ...config, tools: [] } }) };
  assert.equal(isWrongHead(wrong, state), true);
});

test('[FR122] conversations are listed from the heads of their logs, without a look into the logs', async () => {
  const memory = createMemoryStore();
  const writer = open(memory);
  const roots: string[] = [];
  for (let index = 0; index < 20; index += 1) roots.push(await rootWith(writer, `said ${index}`));
  await done(writer.markRoot(request(), roots[3] ?? '', { title: 'Three' }));
  await done(writer.removeRoot(request(), roots[4] ?? ''));
  const { store, reads } = watched(memory.share());
  const reader = open(store);
  const [listed, deleted] = [await reader.listRoots(), await reader.listRoots({ deleted: true })];
  assert.deepEqual(reads, []);
  assert.deepEqual([listed, deleted], [await writer.listRoots(), await writer.listRoots({ deleted: true })]);
  assert.deepEqual([listed.length, deleted.map(({ id }) => id)], [19, [roots[4]]]);
});

test('[FR122] where a log has no head, or one of another format, it is made of the log, and written with the next change', async () => {
  const memory = createMemoryStore();
  const writer = open(memory);
  const [old, other] = [await rootWith(writer, 'old'), await rootWith(writer, 'other')];
  const forget = (head?: AppendRequest['head']): Store => ({
    ...passOn(memory),
    append: (log, { epoch, expectedSeq, records }) =>
      memory.append(log, { epoch, expectedSeq, records, ...(head && { head }) }),
  });
  await done(open(forget()).markRoot(request(), old, { tags: ['a'] }));
  await done(open(forget({ time: 1, text: '{"format":99}' })).markRoot(request(), other, { tags: ['b'] }));
  const { store, reads, heads } = watched(memory);
  const forest = open(store);
  const listed = await forest.listRoots();
  assert.deepEqual(
    listed.map(({ opening, tags }) => [opening, ...tags]),
    [
      ['old', 'a'],
      ['other', 'b'],
    ],
  );
  assert.deepEqual(new Set(reads), new Set([old, other]));
  assert.deepEqual(heads, [], 'who only reads writes nothing');
  for (const root of [old, other]) await done(forest.addClient(request(), root));
  const again = watched(memory);
  assert.equal((await open(again.store).listRoots()).length, 2);
  assert.deepEqual(again.reads, []);
});

test('[FR123] words that are streamed or typed leave the head as it is, for a minute', async () => {
  const memory = createMemoryStore();
  const { store, heads } = watched(memory);
  let time = 1_700_000_000_000;
  const forest = new Forest({ store, clock: { now: () => time, after: () => () => {} }, ids: { next } });
  const root = await rootWith(forest, 'Tell me.');
  const parent = `${root}/node-1`;
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Once' }] };
  await done(forest.append(request(), root, { parent, messages: [answer] }));
  const say = (text: string, block = `${root}/@anna/2`): Promise<Outcome<null>> =>
    forest.log(root).append(request(), z.null(), () => ({
      ok: true,
      ops: [{ type: 'text-appended', block, field: 'text', text, unit: 'u' }],
      value: null,
    }));
  heads.length = 0;
  for (let word = 0; word < 10; word += 1) await done(say(` ${word}`));
  assert.deepEqual(
    heads,
    Array.from({ length: 10 }, () => 'same'),
  );
  time += 60_000;
  await done(say(' later'));
  assert.deepEqual(
    heads.slice(10).map((head) => typeof head === 'object' && head.time),
    [time],
  );
  await done(forest.markRoot(request(), root, { title: 'Told' }));
  assert.equal(typeof heads.at(-1), 'object');
  await done(say(' At once.', `${root}/@anna/1`));
  const [listed] = await open(memory).listRoots();
  assert.equal(listed?.opening, 'Tell me. At once.', 'the words of the first message are listed');
});

test('[FR159] a mark does not make a conversation the most recent one; words and settings do', async () => {
  const memory = createMemoryStore();
  let time = 1_700_000_000_000;
  const forest = new Forest({ store: memory, clock: { now: () => time, after: () => () => {} }, ids: { next } });
  const root = await rootWith(forest, 'Tell me.');
  const { updated } = await forest.log(root).state();
  time += 3_600_000;
  await done(forest.markRoot(request(), root, { title: 'Told', tags: ['a'], archived: true }));
  await done(forest.markRoot(request(), root, { archived: false }));
  await done(forest.removeRoot(request(), root));
  for (const state of [await forest.log(root).state(), await open(memory).log(root).state()]) {
    assert.equal(state.updated, updated);
    assert.equal(isWrongHead(headOfRoot(state), state), false);
    // Earlier versions took a mark for activity.
    const { id: _id, ...facts } = { ...summarizeRoot(state), updated: time };
    assert.equal(isWrongHead({ time, text: JSON.stringify({ format: 1, ...facts }) }, state), false);
  }
});

test('[FR121] a head that says something else than its state is known', async () => {
  const memory = createMemoryStore();
  const forest = open(memory);
  const root = await rootWith(forest, 'Tell me.');
  await done(forest.markRoot(request(), root, { title: 'Told', tags: ['a'] }));
  const state = await forest.log(root).state();
  const head = headOfRoot(state);
  const { text, time } = head;
  const late = { time: time - 30_000, text: text.replace(`"updated":${time}`, `"updated":${time - 30_000}`) };
  for (const right of [head, late, { time, text: '{"format":99}' }]) assert.equal(isWrongHead(right, state), false);
  const older = { time: time - 60_000, text: text.replace(`"updated":${time}`, `"updated":${time - 60_000}`) };
  const wrong = [{ time: time + 1, text }, older, { time, text: text.replace('Told', 'Sold') }];
  for (const each of wrong) assert.equal(isWrongHead(each, state), true);
});

test('[FR124] conversations are listed in pages, the newest first or by name, lost ones at the end', async () => {
  const memory = createMemoryStore();
  const forest = open(memory);
  const roots: string[] = [];
  for (let index = 0; index < 12; index += 1) roots.push(await rootWith(forest, `said ${index}`));
  await done(forest.removeRoot(request(), roots[5] ?? ''));
  await done(forest.append(request(), roots[2] ?? '', { parent: roots[2] ?? '', messages: [user('again')] }));
  const lost = roots[7] ?? '';
  const store: Store = {
    ...passOn(memory),
    logs: async () => (await memory.logs()).filter((log) => log !== lost),
    heads: async (about) => {
      const all = await memory.heads({ order: 'name', limit: 100 });
      return pageOfHeads(
        all.filter(({ log }) => log !== lost),
        about,
      );
    },
    read: async (log, ...range) => (log === lost ? undefined : memory.read(log, ...range)),
  };
  const pages = async (about: RootsRequest): Promise<string[]> => {
    const reader = open(store);
    const found: string[] = [];
    let after: RootPlace | undefined;
    for (;;) {
      const { items, next: place } = await reader.pageRoots(after === undefined ? about : { ...about, after });
      assert.ok(items.length <= about.limit);
      found.push(...items.map(({ id, damaged }) => (damaged === undefined ? id : `${id} is damaged`)));
      if (place === undefined) return found;
      after = place;
    }
  };
  const live = roots.filter((root) => root !== lost && root !== roots[5] && root !== roots[2]);
  for (const limit of [1, 3, 4, 100]) {
    const newest = [roots[2], ...live.toReversed(), `${lost} is damaged`];
    assert.deepEqual(await pages({ limit }), newest);
    assert.deepEqual(await pages({ limit, order: 'name' }), [
      ...[roots[2] ?? '', ...live].sort(),
      `${lost} is damaged`,
    ]);
    assert.deepEqual(await pages({ limit, deleted: true }), [roots[5]]);
  }
});

test('[FR124] a page of conversations takes one page of heads, also where another one follows', async () => {
  const memory = createMemoryStore();
  const writer = open(memory);
  for (let index = 0; index < 120; index += 1) await rootWith(writer, `said ${index}`);
  const asked: number[] = [];
  const heads: Store['heads'] = (about) => {
    asked.push(about.limit);
    return memory.heads(about);
  };
  const { items, next: place } = await open({ ...passOn(memory), heads }).pageRoots({ limit: 100 });
  assert.equal(items.length, 100);
  assert.ok(place !== undefined);
  assert.deepEqual(asked, [101]);
});

test('[SN10] logs that are not in use are released, whatever they are used for', async () => {
  const memory = createMemoryStore();
  const roots: string[] = [];
  const writer = open(memory, { logsAtHand: 20 });
  for (let index = 0; index < 200; index += 1) roots.push(await rootWith(writer, `said ${index}`));
  assert.ok(writer.logsInMemory < 60, `${writer.logsInMemory} are in memory after writing`);
  const reader = open(memory, { nodesAtHand: 30 });
  let told = 0;
  const stop = reader.log(roots[0] ?? '').subscribe(() => (told += 1));
  const held = reader.log(roots[1] ?? '');
  for (const root of roots) assert.equal((await reader.log(root).state()).nodes.size, 1);
  assert.ok(reader.logsInMemory < 70, `${reader.logsInMemory} are in memory after reading`);
  assert.ok(reader.log(roots[0] ?? '').loaded !== undefined, 'one with a subscriber stays');
  await done(writer.markRoot(request(), roots[0] ?? '', { title: 'x' }));
  await reader.log(roots[0] ?? '').state();
  assert.equal(told, 1);
  stop();
  assert.equal(reader.log(roots[1] ?? ''), held, 'there is never a second one beside one that a caller holds');
  assert.equal((await held.state()).nodes.size, 1);
});

test('[SN10] the counts find a planted fault: listeners that never stop keep what they listen to', async () => {
  const memory = createMemoryStore();
  const forest = open(memory, { logsAtHand: 20 });
  for (let index = 0; index < 100; index += 1) {
    const root = await rootWith(forest, `said ${index}`);
    forest.log(root).subscribe(() => {});
  }
  assert.ok(forest.logsInMemory >= 100, `${forest.logsInMemory} are in memory`);
});

test('[SN10] long texts count as many nodes', async () => {
  const forest = open(createMemoryStore(), { nodesAtHand: 100 });
  const roots: string[] = [];
  for (let index = 0; index < 100; index += 1) roots.push(await rootWith(forest, 'x'.repeat(100_000)));
  const loaded = roots.filter((root) => forest.log(root).loaded !== undefined);
  assert.ok(loaded.length < 40, `${loaded.length} are loaded`);
});

test('[LO24] ids of no conversation leave nothing behind, and push nothing out', async () => {
  const memory = createMemoryStore();
  const forest = open(memory);
  const root = await rootWith(forest, 'here');
  for (let unknown = 0; unknown < 2000; unknown += 1) {
    const outcome = await forest.markRoot(request(), `root-nothing-${unknown}`, { title: 'x' });
    assert.ok(!outcome.ok);
  }
  assert.ok(forest.logsInMemory < 50, `${forest.logsInMemory} are in memory`);
  assert.ok(forest.log(root).loaded !== undefined);
  assert.deepEqual(await memory.logs(), ['forest', root]);
});
