import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passOn } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { z } from 'zod';
import { openTokens } from './tokens.ts';
import type { TokenRecord } from './tokens.ts';
import { OneTimeSecrets } from './one-time-secrets.ts';

function keeperOf(initial?: unknown) {
  let kept: unknown = initial;
  return {
    read: async () => kept,
    write: async (records: readonly TokenRecord[]) => void (kept = structuredClone(records)),
    get text() {
      return JSON.stringify(kept);
    },
  };
}

const reader = { agent: 'bot', type: 'tool', role: 'reader', roots: ['root-1'] } as const;

test('[SV9] a token stands for its agent, also after it was read again, and nothing that is kept says what it is', async () => {
  const keeper = keeperOf();
  const tokens = await openTokens({ keeper, now: () => 0 });
  const { token } = await tokens.create({ identity: reader });
  assert.match(token, /^loom_[\w-]{43}$/u);
  assert.deepEqual(tokens.find(token)?.identity, reader);
  assert.deepEqual((await openTokens({ keeper, now: () => 0 })).find(token)?.identity, reader);
  assert.equal(keeper.text.includes(token.slice(5)), false);
  assert.equal(tokens.find(`${token}x`), undefined);
  assert.equal(tokens.find(''), undefined);
});

test('[SV9] a token ends when its time is over or when it is revoked; one that is not kept is written nowhere', async () => {
  let now = 1000;
  const keeper = keeperOf();
  const tokens = await openTokens({ keeper, now: () => now });
  const short = await tokens.create({ identity: reader, lifetime: 10 });
  const [long, other] = await Promise.all([1, 2].map(() => tokens.create({ identity: reader })));
  const passing = await tokens.create({ identity: reader, isKept: false });
  assert.equal(tokens.list.length, 3);
  now += 10;
  assert.equal(tokens.find(short.token), undefined);
  assert.deepEqual(
    tokens.list.map(({ id }) => id),
    [long?.id, other?.id],
  );
  assert.equal(await tokens.revoke(long?.id ?? ''), true);
  assert.equal(await tokens.revoke(long?.id ?? ''), false);
  assert.equal(tokens.find(long?.token ?? ''), undefined);
  assert.deepEqual(tokens.find(passing.token)?.identity, reader);
  assert.equal(keeper.text.includes(passing.id), false);
  assert.equal(await tokens.revoke(passing.id), true);
  assert.equal(tokens.find(passing.token), undefined);
  assert.equal(keeper.text.includes(short.id), false, 'what is over is not kept');
});

test('[SV9] a file of tokens that is damaged is refused, not written over', async () => {
  for (const damaged of ['x', {}, [{ id: 'a' }], [{ ...reader, id: 'a', hash: 'short', created_at: 0 }]]) {
    await assert.rejects(
      openTokens({ keeper: keeperOf(damaged), now: () => 0 }),
      /file of tokens is damaged: move it aside/u,
    );
  }
});

test('[SV10] a one-time secret opens its grant once, within its time, for whatever process asks, and is kept nowhere', async () => {
  let now = 0;
  const port = createMemoryStore({ now: () => now });
  const kept: string[] = [];
  const putOnce = (...given: Parameters<typeof port.putOnce>): Promise<void> => {
    kept.push(...given.map(String));
    return port.putOnce(...given);
  };
  const open = (kind: string) =>
    new OneTimeSecrets({ port: { ...passOn(port), putOnce }, kind, lifetime: 100, grant: z.string() });
  const [secrets, others] = [open('code'), open('ticket')];
  const first = await secrets.issue('a');
  assert.ok(kept.every((text) => !text.includes(first)));
  assert.equal(await others.redeem(first), undefined);
  assert.equal(Buffer.from(first, 'base64url').length, 16);
  assert.equal(await secrets.redeem('x'), undefined);
  assert.equal(await open('code').redeem(first), 'a');
  assert.equal(await secrets.redeem(first), undefined);
  const late = await secrets.issue('b');
  now = 100;
  assert.equal(await secrets.redeem(late), undefined);
});
