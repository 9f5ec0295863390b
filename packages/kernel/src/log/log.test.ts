import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import { Forest, rootCodec as codec } from '@loom/kernel/logs';
import { RootState } from '@loom/kernel';
import { StoreError } from '@loom/kernel/store';
import type { FeedEvent, FeedItem } from '@loom/kernel';
import type { RootLog, RootOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore, withFaults } from '@loom/stores/memory';
import type { AppendFault } from '@loom/stores/memory';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { countingIds } from '../testing/world.ts';
import { Unprepared } from './unprepared.ts';

const retitle = (log: RootLog, id: string, title: string, agent = 'me') =>
  log.append({ agent, id }, z.string(), () => ({ ok: true, ops: [{ type: 'root-changed', title }], value: title }));

/** The answer to a change at a place in the log. */
const doneAt = async (log: RootLog, seq: number, value: string) => ({
  ok: true,
  value,
  cursor: { epoch: (await log.cursor()).epoch, seq },
});

function open(store: Store = createMemoryStore()) {
  const clock = new VirtualClock();
  const forest = new Forest({ store, clock, ids: countingIds() });
  return { store, clock, forest, log: forest.log('root-1') };
}

test('[LO1] changes are numbered without gaps, and reducing the log again gives the same state', async () => {
  const { store, log } = open();
  for (const title of ['a', 'b', 'c'])
    assert.deepEqual(await retitle(log, title, title), await doneAt(log, title.charCodeAt(0) - 96, title));
  const fresh = open(store).log;
  const [state, again] = [await log.state(), await fresh.state()];
  assert.equal(again.seq, 3);
  assert.deepEqual(again, state);
});

test('[LO27] a change has the time at which it is written, unless its writer says when it happened', async () => {
  const { clock, forest } = open();
  clock.advance(1000);
  const created = await forest.createRoot({ agent: 'me', id: 'new' }, {}, 500);
  assert.ok(created.ok);
  const log = forest.log(created.value.root);
  assert.deepEqual(
    [await log.state()].map(({ created: begun, updated }) => [begun, updated]),
    [[500, 500]],
  );
  await log.append({ agent: 'me', id: 'old' }, z.null(), () => ({
    ok: true,
    ops: [{ type: 'root-changed', config: { systemPrompt: 'then' } }],
    value: null,
    time: 700,
  }));
  assert.equal((await log.state()).updated, 700);
  await log.append({ agent: 'me', id: 'now' }, z.null(), () => ({
    ok: true,
    ops: [{ type: 'root-changed', config: { systemPrompt: 'now' } }],
    value: null,
  }));
  assert.equal((await log.state()).updated, clock.now());
  const refused = await log.append({ agent: 'me', id: 'never' }, z.null(), () => ({
    ok: true,
    ops: [{ type: 'root-changed', title: 'never' }],
    value: null,
    time: Number.NaN,
  }));
  assert.equal(refused.ok, false);
});

test('[LO2] repeating a request answers the first result and changes nothing', async () => {
  const { store, log } = open();
  await retitle(log, 'once', 'first');
  assert.deepEqual(await retitle(log, 'once', 'second'), await doneAt(log, 1, 'first'));
  assert.deepEqual(await retitle(open(store).log, 'once', 'third'), await doneAt(log, 1, 'first'));
  assert.equal((await log.state()).title, 'first');
  assert.equal((await retitle(log, 'once', 'mine', 'you')).ok, true);
  assert.equal((await log.state()).seq, 2);
});

test('[LO18] a request that the state takes for another one is done all the same', async () => {
  const { log } = open();
  await retitle(log, 'first', 'one');
  const state = await log.state();
  Reflect.set(state, 'requestOf', () => 1);
  assert.deepEqual(await retitle(log, 'second', 'two'), await doneAt(log, 2, 'two'));
  assert.deepEqual(await retitle(log, 'first', 'three'), await doneAt(log, 1, 'one'));
  assert.equal((await log.state()).title, 'two');
});

test('[LO18] a repeated request fails as any other when the log cannot be read', async () => {
  const { store, log } = open();
  await retitle(log, 'once', 'first');
  const read = store.read.bind(store);
  Reflect.set(store, 'read', () => Promise.reject(new StoreError('store-failed', 'no', 'wait')));
  await assert.rejects(retitle(log, 'once', 'second'), StoreError);
  Reflect.set(store, 'read', read);
  assert.deepEqual(await retitle(log, 'once', 'third'), await doneAt(log, 1, 'first'));
});

test('[LO19] of the turns that have ended the newest thousand are known, and all that are live', () => {
  const state = new RootState('root-1');
  const start = {
    provider: 'p',
    model: 'm',
    settings: {},
    tools: [],
    max_rounds: 1,
    holder: 'h',
    node: 'root-1/node-1',
  };
  const write = (op: RootOp): unknown =>
    state.apply({ seq: state.seq + 1, time: 0, agent: 'p:m', request: `${state.seq}`, ops: [op] });
  write({ type: 'turn-started', turn: 'live', ...start });
  for (let turn = 1; turn <= 1003; turn += 1) {
    write({ type: 'turn-started', turn: `t${turn}`, ...start });
    write({ type: 'turn-ended', turn: `t${turn}`, reason: 'done' });
  }
  assert.deepEqual([...state.turns.keys()].slice(0, 2), ['live', 't4']);
  assert.equal(state.turns.size, 1001);
});

test('[LO3] a function that lost the race is run again on what the winner wrote', async () => {
  const { store, log } = open();
  const other = open(store).log;
  await Promise.all([log.state(), other.state()]);
  const count = (target: RootLog, id: string) =>
    target.append({ agent: 'me', id }, z.number(), (state) => {
      const next = Number(state.title ?? 0) + 1;
      return { ok: true, ops: [{ type: 'root-changed', title: String(next) }], value: next };
    });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => count(index % 2 === 0 ? log : other, `r${index}`)),
  );
  assert.deepEqual(
    outcomes.map((outcome) => outcome.ok && outcome.value).sort((a, b) => Number(a) - Number(b)),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('[LO26] a writer that was overtaken reads the tail before it writes, and is not overtaken again by those who write in turn', async () => {
  const store = createMemoryStore();
  const asked: { writer: string; afterSeq: number }[] = [];
  const verdicts: boolean[] = [];
  // Two processes that hear of each other late: nothing tells a writer what the other one wrote.
  const writer = (name: string): RootLog => {
    const own = withFaults(store, () => undefined);
    own.listen = () => () => {};
    own.read = (log, afterSeq, throughSeq) => {
      if (log === 'root-1') asked.push({ writer: name, afterSeq });
      return store.read(log, afterSeq, throughSeq);
    };
    own.append = async (log, batch) => {
      const result = await store.append(log, batch);
      verdicts.push(result.ok);
      return result;
    };
    return open(own).log;
  };
  const [one, other] = [writer('one'), writer('other')];
  await retitle(one, 'first', 'title 0');
  await other.state();
  for (let round = 1; round <= 40; round += 1) {
    await retitle(one, `one ${round}`, `title ${round}`);
    await retitle(other, `other ${round}`, `title ${round} again`);
  }
  // Each is overtaken once.
  assert.equal(verdicts.filter((ok) => !ok).length, 2);
  // The last fifty looks of both: each begins where the writer had last written.
  const seqs = asked.slice(-50).map(({ afterSeq }) => afterSeq);
  assert.deepEqual(
    seqs,
    Array.from(seqs, (_, index) => 80 - 50 + index),
  );
  const fresh = open(store).log;
  assert.deepEqual(await other.state(), await fresh.state());
});

test('[LO4] a refusal writes nothing and is decided again after a conflict', async () => {
  const { store, log } = open();
  await retitle(log, 'a', 'taken');
  const refused = await log.append({ agent: 'me', id: 'b' }, z.null(), (state) =>
    state.title === 'taken'
      ? { ok: false, refusal: { reason: 'changed-since', ids: ['root-1'], what: 'changed' } }
      : { ok: true, ops: [], value: null },
  );
  assert.equal(refused.ok, false);
  assert.equal((await store.read('root-1', 0))?.records.length, 1);
});

test('[LO5] when the store fails everything pending is rejected, and the truth is read again', async () => {
  const inner = createMemoryStore();
  let failing: AppendFault | undefined;
  const store = withFaults(inner, () => failing);
  const { log } = open(store);
  await retitle(log, 'a', 'a');
  for (const outcome of ['fail-before', 'fail-after'] as const) {
    failing = outcome;
    await assert.rejects(
      Promise.all([retitle(log, `${outcome}1`, 'lost?'), retitle(log, `${outcome}2`, 'lost too?')]),
      StoreError,
    );
    failing = undefined;
    // Asking again with the same id tells if it was written.
    const again = await retitle(log, `${outcome}1`, 'lost?');
    assert.ok(again.ok);
  }
  const records = (await inner.read('root-1', 0))?.records ?? [];
  assert.deepEqual((await log.state()).seq, records.length);
  assert.equal(
    new Set(records.flatMap(({ text }) => codec.decode(text).map(({ request }) => request))).size,
    records.length,
  );
});

test('[LO6] subscribers hear of every durable change once and in order, from any writer', async () => {
  const { store, log } = open();
  const other = open(store).log;
  const heard: FeedItem<FeedEvent>[] = [];
  await log.state();
  log.subscribe((item) => heard.push(item));
  for (let index = 0; index < 10; index += 1) await retitle(index % 3 === 0 ? other : log, `r${index}`, `t${index}`);
  await log.state();
  assert.deepEqual(
    heard.map((item) => item.type === 'change' && item.seq),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test('[LO23] a listener that throws keeps no other from hearing, and no writer from writing', async () => {
  const failures: unknown[] = [];
  const store = createMemoryStore();
  const listenerFailed = (error: unknown) => void failures.push(error);
  const forest = new Forest({ store, clock: new VirtualClock(), ids: countingIds(), listenerFailed });
  const log = forest.log('root-1');
  const heard: string[] = [];
  log.subscribe(() => assert.fail('broken'));
  log.subscribe(({ type }) => heard.push(type));
  forest.subscribeToChanges(() => assert.fail('broken, too'));
  forest.subscribeToChanges((root, { type }) => heard.push(`${root} ${type}`));
  assert.ok((await retitle(log, 'a', 'mine')).ok);
  assert.ok((await retitle(open(store).log, 'b', 'of another process')).ok);
  await log.state();
  assert.deepEqual(heard, ['change', 'root-1 change', 'change', 'root-1 change']);
  assert.equal(failures.length, 4);
});

test('[LO24] logs that do not exist hold nothing once they were looked at', async () => {
  const store = createMemoryStore();
  const listen = store.listen.bind(store);
  let listening = 0;
  Reflect.set(store, 'listen', (...given: Parameters<Store['listen']>) => {
    listening += 1;
    const stop = listen(...given);
    return () => {
      listening -= 1;
      stop();
    };
  });
  const { forest, log } = open(store);
  const heard: string[] = [];
  forest.subscribeToChanges((root) => heard.push(root));
  await retitle(log, 'a', 'there');
  const kept = forest.log('root-later');
  assert.equal((await kept.state()).seq, 0);
  for (let unknown = 0; unknown < 1000; unknown += 1) {
    assert.equal((await forest.log(`nothing-${unknown}`).state()).seq, 0);
    await forest.markRoot({ agent: 'me', id: `m${unknown}` }, `nowhere-${unknown}`, { title: 'x' });
  }
  assert.ok(listening < 100, `${listening} logs are listened to`);
  // A log that is used later on is one like any other.
  await retitle(open(store).forest.log('root-later'), 'b', 'by another process');
  assert.equal((await kept.state()).title, 'by another process');
  assert.deepEqual(heard, ['root-1', 'root-later']);
});

test('[LO7] a subscriber can catch up from its cursor; one with an unknown epoch has to start over', async () => {
  const { log } = open();
  for (const title of ['a', 'b', 'c']) await retitle(log, title, title);
  const { epoch, seq } = await log.cursor();
  assert.equal(seq, 3);
  assert.deepEqual(
    (await log.past.replay({ epoch, seq: 1 })).map((item) => item.type === 'change' && item.seq),
    [2, 3],
  );
  assert.deepEqual(await log.past.replay({ epoch: 'other', seq: 1 }), [{ type: 'resync', epoch }]);
  assert.deepEqual(await log.past.replay({ epoch, seq: 99 }), [{ type: 'resync', epoch }]);
});

test('[LO8] a change that was damaged is never taken for one', () => {
  const change = {
    seq: 1,
    time: 1,
    agent: 'me',
    request: 'r',
    ops: [{ type: 'root-changed' as const, title: 'Überraschung' }],
  };
  const text = codec.encode(change);
  assert.deepEqual(codec.decode(text), [change]);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 0, max: 0xff }), (place, flip) => {
      const damaged =
        text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ (flip + 1)) + text.slice(place + 1);
      assert.throws(() => codec.decode(damaged), StoreError);
    }),
  );
  assert.throws(() => codec.decode(text.slice(0, -1)), StoreError);
  assert.throws(() => codec.decode(''), StoreError);
});

test('[LO12] an editor is made once for a state, when it is asked for, and never outlives it', async () => {
  let next: AppendFault | undefined;
  const store = withFaults(createMemoryStore(), () => {
    const fault = next;
    next = undefined;
    return fault;
  });
  const { log } = open(store);
  const clientOf = (id: string) =>
    log.append({ agent: 'me', id }, z.number(), (_state, editor) => ({
      ok: true,
      ops: [{ type: 'root-changed', title: id }],
      value: editor().client,
    }));
  const answers = await Promise.all(['a', 'b'].map(clientOf));
  const used = answers.map((answer) => (answer.ok ? answer.value : Infinity));
  assert.equal(new Set(used).size, 1);
  for (const fault of ['fail-before', 'fail-after', 'conflict'] as const) {
    next = fault;
    await clientOf(fault).catch(() => undefined);
    const answer = await clientOf(`after ${fault}`);
    assert.ok(answer.ok && answer.value > (used.at(-1) ?? Infinity), fault);
    used.push(answer.value);
  }
});

test('[LO13] a request id that was used for something else is refused', async () => {
  const { log } = open();
  await retitle(log, 'once', 'first');
  const answer = await log.append({ agent: 'me', id: 'once' }, z.strictObject({ other: z.string() }), () => ({
    ok: true,
    ops: [],
    value: { other: 'x' },
  }));
  assert.ok(!answer.ok && answer.refusal.reason === 'request-reused');
});

test('[LO9] a bug in one function rejects that one alone', async () => {
  const { log } = open();
  const broken = log.append({ agent: 'me', id: 'b' }, z.null(), () => {
    throw new TypeError('a bug');
  });
  const [bad, good] = await Promise.allSettled([broken, retitle(log, 'g', 'fine')]);
  assert.equal(bad.status, 'rejected');
  assert.equal(good.status, 'fulfilled');
  assert.equal((await log.state()).title, 'fine');
});

test('[LO9] what one function needs and what cannot be made rejects that one alone', async () => {
  const { log } = open();
  const broken = log.append({ agent: 'me', id: 'b' }, z.null(), () => {
    throw new Unprepared(() => Promise.reject(new TypeError('a bug')));
  });
  const [bad, good] = await Promise.allSettled([broken, retitle(log, 'g', 'fine')]);
  assert.deepEqual([bad.status, good.status], ['rejected', 'fulfilled']);
  assert.equal((await log.state()).title, 'fine');
  const read = log.read(() => {
    throw new Unprepared(() => Promise.reject(new TypeError('a bug')));
  });
  await assert.rejects(read, TypeError);
  assert.equal((await log.state()).title, 'fine');
});

test('[LO10] every change with an op on a block raises its version by one, its status included', async () => {
  const { log } = open();
  const write = (id: string, ops: RootOp[]) =>
    log.append({ agent: 'me', id }, z.null(), () => ({ ok: true, ops, value: null }));
  const block = 'root-1/@me/1';
  const source = { type: 'user' as const };
  await write('1', [
    {
      type: 'node-added',
      node: {
        id: 'root-1/node-1',
        parent: 'root-1',
        role: 'user',
        blocks: [{ type: 'text', text: 'a', block_id: block, status: 'running' }],
        source,
      },
    },
  ]);
  await write('2', [
    { type: 'text-appended', block, field: 'text', text: 'b', unit: 'u' },
    { type: 'text-appended', block, field: 'text', text: 'c', unit: 'u' },
  ]);
  await write('3', [
    {
      type: 'text',
      block,
      splices: [
        { at: 0, delete: 1, insert: 'A' },
        { at: 3, delete: 0, insert: '!' },
      ],
      unit: 'u',
      client: 2,
    },
  ]);
  await write('4', [{ type: 'status', block, status: 'done' }]);
  const stored = (await log.state()).block(block);
  assert.deepEqual([stored?.version, stored?.status, stored?.type === 'text' && stored.text], [4, 'done', 'Abc!']);
});

test('[LO11] ids are never given out twice, also after a reload', async () => {
  const { store, log } = open();
  const add = (target: RootLog, id: string) =>
    target.append({ agent: 'me', id }, z.string(), (state) => {
      const node = state.newNodeId();
      const blocks = [{ type: 'text' as const, text: id, block_id: state.newBlockId('me') }];
      return {
        ok: true,
        ops: [
          { type: 'node-added', node: { id: node, parent: 'root-1', role: 'user', blocks, source: { type: 'user' } } },
        ],
        value: node,
      };
    });
  const ids: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    const target = round === 0 ? log : open(store).log;
    for (let index = 0; index < 3; index += 1) ids.push(await add(target, `${round}-${index}`));
    await target.append({ agent: 'me', id: `gone${round}` }, z.null(), () => ({
      ok: true,
      ops: [{ type: 'node-removed', node: 'root-1/node-1' }],
      value: null,
    }));
  }
  const values = ids.map((outcome) => JSON.stringify(outcome));
  assert.equal(new Set(values).size, 9);
  const state = await open(store).log.state();
  assert.equal(state.nodes.size, 9);
  assert.equal(state.nodeOfBlock.size, 9);
});
