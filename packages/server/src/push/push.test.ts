import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { z } from 'zod';
import { Requests } from '../testing/requests.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';
import type { Served, ServedOptions } from '../testing/served-loom.ts';
import { sealMessage } from './sealed-message.ts';
import { openPushService } from './testing/push-service.ts';
import type { PushService } from './testing/push-service.ts';

const made = z.object({ id: z.string() });
const listed = z.object({
  possible: z.boolean(),
  why: z.string().optional(),
  items: z.array(z.object({ id: z.string(), service: z.string(), agent: z.string() })),
});

type Scene = Served & { service: PushService };

async function openScene(t: TestContext, options: ServedOptions = {}): Promise<Scene> {
  const service = await openPushService(t);
  const pushed = { publicUrl: 'https://loom.example', pushNetwork: service.network };
  return { ...(await serveLoom(t, { ...pushed, ...options })), service };
}

function subscribe({ service, requests }: Scene, as: Requests = requests): Promise<unknown> {
  return as.call('push.subscribe', { endpoint: service.endpoint, ...service.keys });
}

async function list({ requests }: Scene): Promise<z.infer<typeof listed>> {
  return listed.parse(await requests.call('push.list', {}));
}

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; !isSo(); looks += 1) {
    if (looks > 2000) assert.fail('it did not come to be so');
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

test('[SV140] a message is encrypted as in the example of RFC 8291', () => {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const parts = {
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
  };
  const sealed = sealMessage('When I grow up, I want to be a watermelon', keys, parts);
  assert.equal(
    sealed.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('[SV140] [SV141] the push service gets a proof of the sender that it can verify, and nothing that it can read', async (t) => {
  const clock = new VirtualClock();
  const scene = await openScene(t, { clock });
  const { service, requests } = scene;
  const { public_key: key } = z.object({ public_key: z.string() }).parse(await requests.call('push.key', {}));
  assert.deepEqual(await requests.call('push.key', {}), { public_key: key }, 'it stays the same');
  const { id } = made.parse(await subscribe(scene));
  assert.deepEqual(await requests.call('push.test', { id }), { delivered: true, status: 201 });
  const [delivered] = service.delivered;
  assert.equal(delivered?.key, key);
  assert.deepEqual(delivered.claims, {
    aud: new URL(service.endpoint).origin,
    exp: Math.floor(clock.now() / 1000) + 12 * 60 * 60,
    sub: 'https://loom.example',
  });
  assert.equal(delivered.headers['content-encoding'], 'aes128gcm');
  assert.deepEqual(JSON.parse(delivered.text), { what: 'test', path: '/settings' });
});

test('[SV142] browsers hear of calls that wait for a person and of turns that end, and never what was said', async (t) => {
  const scene = await openScene(t);
  const { service, requests, engine } = scene;
  await subscribe(scene);
  const { root } = z.object({ root: z.string() }).parse(await requests.call('root.create', {}));
  const content = 'hidden-words: ask for permission yourself';
  const appended = z.object({ nodes: z.array(z.string()) });
  const said = { parent: root, messages: [{ role: 'user' as const, content }] };
  const [node = ''] = appended.parse(await requests.call('node.append', said)).nodes;
  await requests.call('turn.start', { node, provider: 'demo', model: 'demo' });
  const texts = (): string[] => service.delivered.map(({ text }) => text);
  await until(() => texts().length > 0);
  const waiting = z.object({ items: z.array(z.object({ node: z.string(), arguments: z.string() })) });
  const [call] = waiting.parse(await requests.call('turn.waiting', {})).items;
  const path = `/needs-you#${encodeURIComponent(call?.node ?? '')}`;
  assert.deepEqual(texts(), [JSON.stringify({ what: 'needs-you', path })]);
  await requests.call('turn.decide', {
    node: call?.node ?? '',
    arguments: call?.arguments ?? '',
    decision: 'approved',
  });
  await until(() => texts().length > 1);
  assert.deepEqual(texts().slice(1), [JSON.stringify({ what: 'ended', path: `/r/${encodeURIComponent(root)}` })]);
  await engine.rest();
});

test('[SV143] a browser that its service no longer knows is forgotten; one whose service fails is kept', async (t) => {
  const scene = await openScene(t);
  const { service, requests } = scene;
  const { id } = made.parse(await subscribe(scene));
  service.status = 503;
  assert.deepEqual(await requests.call('push.test', { id }), { delivered: false, status: 503 });
  assert.equal((await list(scene)).items.length, 1);
  for (const gone of [404, 410]) {
    service.status = gone;
    await subscribe(scene);
    await subscribe(scene);
    assert.deepEqual(
      (await list(scene)).items.map((item) => item.id),
      [id],
      'a browser is listed once',
    );
    assert.deepEqual(await requests.call('push.test', { id }), { delivered: false, status: gone });
    assert.deepEqual((await list(scene)).items, []);
  }
  assert.deepEqual(await requests.call('push.remove', { id }), { removed: false });
});

test('[SV144] a subscription ends with the token that made it', async (t) => {
  const scene = await openScene(t);
  const { requests, tokens, url, engine, service } = scene;
  const { token } = await tokens.create({ identity: { ...owner, agent: 'bo' } });
  const bo = new Requests(url, token, engine.operations);
  await subscribe(scene, bo);
  const { items } = await list(scene);
  assert.deepEqual(
    items.map(({ agent }) => agent),
    ['bo'],
  );
  const [kept] = tokens.list.filter(({ agent }) => agent === 'bo');
  await requests.call('token.revoke', { id: kept?.id });
  assert.deepEqual((await list(scene)).items, []);
  await tokens.push.tell({ what: 'ended', path: '/r/x' });
  assert.deepEqual(service.delivered, []);
});

test('[SV145] without an https address nothing is pushed, and the reason is told', async (t) => {
  for (const publicUrl of [undefined, 'http://loom.example']) {
    const service = await openPushService(t);
    const options = { pushNetwork: service.network, ...(publicUrl === undefined ? {} : { publicUrl }) };
    const scene = { ...(await serveLoom(t, options)), service };
    const { possible, why } = await list(scene);
    assert.equal(possible, false);
    assert.match(why ?? '', /--public-url https/u);
    const outcome = await scene.engine.call('push.key', { ...owner, id: 'x', door: 'library' }, {});
    assert.equal(outcome.ok ? '' : outcome.refusal.reason, 'invalid-params');
  }
});

test('[SV145] keys that are none are refused, and so is what the network would not reach', async (t) => {
  const problems = new Map([['https://10.0.0.1/', 'is private']]);
  const service = await openPushService(t);
  const pushNetwork = { ...service.network, problemOf: async (endpoint: string) => problems.get(endpoint) };
  const { engine } = await serveLoom(t, { publicUrl: 'https://loom.example', pushNetwork });
  const refused = async (params: { endpoint: string; p256dh: string; auth: string }): Promise<unknown> => {
    const outcome = await engine.call('push.subscribe', { ...owner, id: 'x', door: 'library' }, params);
    return outcome.ok || outcome.refusal.reason !== 'invalid-params' ? outcome : outcome.refusal.problems;
  };
  const { keys, endpoint } = service;
  assert.deepEqual(await refused({ endpoint: 'https://10.0.0.1/', ...keys }), [
    { path: ['endpoint'], problem: 'is private' },
  ]);
  assert.deepEqual(await refused({ endpoint, ...keys, p256dh: `B${'A'.repeat(86)}` }), [
    { path: ['p256dh'], problem: 'is no point on P-256' },
  ]);
});
