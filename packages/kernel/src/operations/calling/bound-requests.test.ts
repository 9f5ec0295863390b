import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Message } from '@loom/blocks';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import { createWorld } from '../../testing/world.ts';
import { defineOperation } from '../operation.ts';
import type { Caller, Operation } from '../operation.ts';
import { BoundRequests } from './bound-requests.ts';

const caller: Caller = { agent: 'person', type: 'person', role: 'owner', door: 'http', id: 'one' };

function saying(parent: string, text: string): { parent: string; messages: Message[] } {
  return { parent, messages: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

test('[OP61] a request id is bound to its parameters: the same again returns the first result, others are refused', async () => {
  const world = await createWorld();
  const first = await world.engine.call('node.append', caller, saying(world.root, 'hello'));
  assert.deepEqual(await world.engine.call('node.append', caller, saying(world.root, 'hello')), first);
  const other = await world.engine.call('node.append', caller, saying(world.root, 'bye'));
  assert.deepEqual(other, { ok: false, refusal: { reason: 'request-reused', id: 'one' } });
  const elsewhere = await world.engine.call('root.mark', caller, { root: world.root, title: 'T' });
  assert.ok(!elsewhere.ok && elsewhere.refusal.reason === 'request-reused');
  assert.equal((await world.nodes()).length, 1);
});

test('[OP61] another process over the same log knows what an id was bound to', async () => {
  const world = await createWorld();
  const first = await world.engine.call('node.append', caller, saying(world.root, 'hello'));
  const engine = world.another();
  assert.deepEqual(await engine.call('node.append', caller, saying(world.root, 'hello')), first);
  const other = await world.another().call('node.append', caller, saying(world.root, 'bye'));
  assert.deepEqual(other, { ok: false, refusal: { reason: 'request-reused', id: 'one' } });
});

test('[OP61] a request of a log without bindings is answered as before, whatever its parameters', async () => {
  const world = await createWorld();
  const request = { agent: 'person', id: 'one' };
  const old = await world.engine.forest.append(request, world.root, saying(world.root, 'hello'));
  assert.ok(old.ok);
  const again = await world.engine.call('node.append', caller, saying(world.root, 'bye'));
  assert.deepEqual(again.ok && again.value, old.value);
});

test('[OP61] what was refused has done nothing, and its id may be used again', async () => {
  const world = await createWorld();
  const refused = await world.engine.call('node.append', caller, saying(`${world.root}/node-9`, 'hello'));
  assert.ok(!refused.ok);
  assert.ok((await world.engine.call('root.mark', caller, { root: world.root, title: 'T' })).ok);
});

/** A row that writes no log. */
function working(run: () => Promise<Outcome<unknown>>, isSecret = false): Operation {
  const row = {
    name: 'work.begin',
    summary: 'Begins work.',
    params: () => z.looseObject({}),
    result: () => z.unknown(),
  };
  return defineOperation({ ...row, effect: 'changes', isSecret, run });
}

test('[OP61] work that no log knows is begun once for an id, and all that repeat it meanwhile get its answer', async () => {
  let begun = 0;
  const held = Promise.withResolvers<void>();
  const begin = working(async () => {
    begun += 1;
    await held.promise;
    return { ok: true, value: { begun } };
  });
  const engine = (await createWorld()).another({ operations: [begin] });
  const asked = ['one', 'one', 'two'].map((id) =>
    engine.call('work.begin', { ...caller, id }, { a: 1, b: { c: 2, d: 3 } }),
  );
  const other = engine.call('work.begin', caller, { a: 2 });
  assert.deepEqual(await other, { ok: false, refusal: { reason: 'request-reused', id: 'one' } });
  held.resolve();
  const [first, again, second] = await Promise.all(asked);
  assert.deepEqual([first, again, second?.ok, begun], [first, first, true, 2]);
  // The keys of parameters have no order, and no caller can change the answers that others get.
  if (first?.ok === true) Object.assign(Object(first.value), { begun: 9 });
  const later = await engine.call('work.begin', caller, { b: { d: 3, c: 2 }, a: 1 });
  assert.deepEqual(later, { ok: true, value: { begun: 2 } });
});

test('[OP61] work that was refused or has failed is tried again under the same id', async () => {
  const outcomes = [
    refuse({ reason: 'root-not-found', root: 'root-1' }),
    new Error('broken'),
    { ok: true, value: 1 } as const,
  ];
  const begin = working(async () => {
    const next = outcomes.shift() ?? assert.fail('done once more');
    if (next instanceof Error) throw next;
    return next;
  });
  const engine = (await createWorld()).another({ operations: [begin] });
  assert.equal((await engine.call('work.begin', caller, {})).ok, false);
  await assert.rejects(engine.call('work.begin', caller, { another: true }), /broken/);
  assert.deepEqual(await engine.call('work.begin', caller, {}), { ok: true, value: 1 });
  assert.deepEqual(await engine.call('work.begin', caller, {}), { ok: true, value: 1 });
});

test('[OP61] nobody is answered what was said to another: not to another agent, token or role', async () => {
  let begun = 0;
  const engine = (await createWorld()).another({
    operations: [working(async () => ({ ok: true, value: (begun += 1) }))],
  });
  const others: Partial<Caller>[] = [
    {},
    { agent: 'ann' },
    { credential: 'token' },
    { role: 'writer' },
    { type: 'model' },
  ];
  const values = await Promise.all(others.map((who) => engine.call('work.begin', { ...caller, ...who }, {})));
  assert.deepEqual(
    values.map((outcome) => outcome.ok && outcome.value),
    [1, 2, 3, 4, 5],
  );
});

test('[OP61] an answer with a secret in it is kept for a minute alone, and none beyond the end of the engine', async () => {
  let begun = 0;
  const world = await createWorld();
  const engine = world.another({ operations: [working(async () => ({ ok: true, value: (begun += 1) }), true)] });
  const ask = async (): Promise<unknown> => {
    const outcome = await engine.call('work.begin', caller, {});
    return outcome.ok && outcome.value;
  };
  assert.deepEqual([await ask(), await ask()], [1, 1]);
  world.clock.advance(59_999);
  assert.equal(await ask(), 1);
  world.clock.advance(1);
  assert.equal(await ask(), 2);
});

test('[OP61] the last 1,000 requests are known, fewer where their answers take more than 4 MiB; those under way always', async () => {
  const held = Promise.withResolvers<Outcome<unknown>>();
  const requests = new BoundRequests(new VirtualClock());
  let done = 0;
  const ask = (id: string, length: number) =>
    requests.run({ ...caller, id }, { digest: 'd', isSecret: false }, async () => {
      done += 1;
      return { ok: true, value: 'x'.repeat(length) };
    });
  const isKnown = async (id: string): Promise<boolean> => {
    const outcome = await requests.run({ ...caller, id }, { digest: 'other', isSecret: false }, async () =>
      refuse({ reason: 'root-not-found', root: id }),
    );
    return !outcome.ok && outcome.refusal.reason === 'request-reused';
  };
  const running = requests.run({ ...caller, id: 'running' }, { digest: 'd', isSecret: false }, () => held.promise);
  for (let number = 1; number <= 1_001; number += 1) await ask(`small-${number}`, 1);
  assert.deepEqual([await isKnown('small-1'), await isKnown('small-2'), await isKnown('running')], [false, true, true]);
  for (let number = 1; number <= 40; number += 1) await ask(`large-${number}`, 60_000);
  assert.deepEqual(
    [await isKnown('small-1001'), await isKnown('large-1'), await isKnown('large-40')],
    [false, false, true],
  );
  // A longer one is bound all the same, and made again.
  done = 0;
  await ask('longest', 100_000);
  assert.equal((await ask('longest', 100_000)).ok, true);
  assert.deepEqual([done, await isKnown('longest'), await isKnown('large-40')], [2, true, true]);
  held.resolve({ ok: true, value: null });
  await running;
});

test('[OP61] what JSON cannot have is bound to nothing: the operation says what it thinks of it', async () => {
  const engine = (await createWorld()).another({
    operations: [working(async () => refuse({ reason: 'root-not-found', root: 'root-1' }))],
  });
  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  for (const params of [ring, { big: 1n }]) {
    const outcome = await engine.call('work.begin', caller, params);
    assert.ok(!outcome.ok && outcome.refusal.reason === 'root-not-found');
  }
});
