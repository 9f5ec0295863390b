import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { z } from 'zod';
import { Requests } from '../testing/requests.ts';
import { namedSecret, openSharedScene } from './testing/shared-scene.ts';
import type { SharedScene } from './testing/shared-scene.ts';

const day = 24 * 60 * 60 * 1000;
const listed = z.object({ items: z.array(z.object({ id: z.string(), ended: z.boolean(), until: z.number() })) });

/** Follows a share, and returns everything that was said once the stream has ended. */
async function follow(scene: SharedScene, secret: string): Promise<{ first: string; rest: Promise<string> }> {
  const answer = await scene.reader(secret).fetch('/api/v1/share/events');
  assert.equal(answer.status, 200);
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const read = async (): Promise<string> => {
    const body = answer.body ?? assert.fail('the stream has no body');
    let text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      resolve(text);
    }
    return text.slice(': here\n\n'.length).replaceAll(': still here\n\n', '');
  };
  const rest = read();
  return { first: await first, rest };
}

function paramsOf(name: string, place: string): object {
  if (name === 'share.list') return {};
  return name === 'share.revoke' ? { id: 'x' } : { place };
}

async function isOpen(scene: SharedScene, secret: string): Promise<boolean> {
  return (await scene.reader(secret).fetch('/api/v1/share')).status === 200;
}

test('[SV133] revoking a share ends it at once, also in the pages that show it', async (t) => {
  const scene = await openSharedScene(t);
  const { id, secret } = await scene.share();
  const page = await follow(scene, secret);
  assert.equal(page.first, ': here\n\n');
  const other = await scene.share();
  assert.deepEqual(await scene.requests.call('share.revoke', { id }), { revoked: true });
  assert.equal(await page.rest, 'data: {"type":"ended"}\n\n');
  assert.equal(await isOpen(scene, secret), false);
  assert.equal(await isOpen(scene, other.secret), true);
  assert.deepEqual(await scene.requests.call('share.revoke', { id }), { revoked: false });
});

test('[SV133] a share ends with its time, and with the token that made it', async (t) => {
  const clock = new VirtualClock();
  const scene = await openSharedScene(t, { clock });
  const { token } = z
    .object({ token: z.string() })
    .parse(await scene.requests.call('token.create', { agent: 'bo', type: 'person', role: 'owner', days: 2 }));
  const bo = new Requests(scene.url, token, scene.engine.operations);
  const long = await scene.share();
  const short = await scene.share({ days: 1 });
  const bounded = await scene.share({}, bo);
  const dying = await scene.share({ days: 1.5 }, bo);
  assert.equal(long.until, clock.now() + 7 * day);
  assert.equal(bounded.until, clock.now() + 2 * day, 'never longer than the token');
  const page = await follow(scene, short.secret);
  const pageOfBo = await follow(scene, dying.secret);
  clock.advance(day);
  assert.equal(await page.rest, 'data: {"type":"ended"}\n\n');
  assert.deepEqual(await Promise.all([long, short, bounded].map(({ secret }) => isOpen(scene, secret))), [
    true,
    false,
    true,
  ]);
  const tokens = z.object({ items: z.array(z.object({ id: z.string(), agent: z.string() })) });
  const { items } = tokens.parse(await scene.requests.call('token.list', {}));
  const own = items.find(({ agent }) => agent === 'bo') ?? assert.fail();
  await scene.requests.call('token.revoke', { id: own.id });
  assert.equal(await pageOfBo.rest, 'data: {"type":"ended"}\n\n');
  assert.equal(await isOpen(scene, bounded.secret), false);
  const { items: shares } = listed.parse(await scene.requests.call('share.list', {}));
  assert.deepEqual(
    shares.map(({ id, ended }) => [id, ended]),
    [
      [long.id, false],
      [short.id, true],
      [bounded.id, true],
      [dying.id, true],
    ],
  );
  clock.advance(40 * day);
  await scene.requests.call('share.create', { place: scene.leaf });
  assert.equal(listed.parse(await scene.requests.call('share.list', {})).items.length, 1, 'old ones are forgotten');
});

test('[SV133] open pages hear that something they show has changed, and end with the conversation', async (t) => {
  const clock = new VirtualClock();
  const scene = await openSharedScene(t, { clock });
  const { secret } = await scene.share();
  const page = await follow(scene, secret);
  const { requests, leaf, root } = scene;
  await requests.call('node.append', { parent: leaf, messages: [{ role: 'user', content: 'not shown' }] });
  clock.advance(1000);
  await requests.call('node.edit', { node: leaf, content: 'All done now.', mode: 'in-place' });
  clock.advance(1000);
  // The event is on its way before the conversation is gone.
  while (!(await scene.copy(secret)).nodes.some((node) => JSON.stringify(node).includes('All done now')))
    clock.advance(100);
  await requests.call('root.remove', { root });
  clock.advance(1000);
  const said = await page.rest;
  assert.equal(said, 'data: {"type":"changed"}\n\ndata: {"type":"ended"}\n\n');
  assert.equal(await isOpen(scene, secret), false);
});

test('[SV133] what is purged is gone from shares', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share();
  const { value: block } = await scene.engine.forest
    .log(scene.root)
    .read((state) => state.nodes.get(scene.leaf)?.blocks[0]?.block_id);
  assert.match(JSON.stringify(await scene.copy(secret)), /All done/u);
  await scene.requests.call('block.purge', { blocks: [block ?? ''], confirmed: true });
  assert.doesNotMatch(JSON.stringify(await scene.copy(secret)), /All done/u);
});

test('[SV134] sharing takes an owner; an owner of some conversations shares those alone', async (t) => {
  const scene = await openSharedScene(t);
  const as = (role: 'reader' | 'writer' | 'owner', roots?: string[]): Promise<Requests> =>
    scene.as({ agent: 'cy', type: 'person', role, ...(roots === undefined ? {} : { roots }) });
  for (const role of ['reader', 'writer'] as const) {
    const requests = await as(role);
    for (const name of ['share.preview', 'share.create', 'share.list', 'share.revoke'])
      assert.equal((await requests.post(`/api/v1/${name}`, paramsOf(name, scene.leaf))).status, 403, `${role} ${name}`);
  }
  const limited = await as('owner', [scene.otherRoot]);
  assert.equal((await limited.post('/api/v1/share.create', { place: scene.leaf })).status, 403);
  await scene.share();
  assert.deepEqual(await limited.call('share.list', {}), { items: [] });
});

test('[SV134] a preview counts what a link would show and names its secrets, none of them whole', async (t) => {
  const scene = await openSharedScene(t);
  const preview = z
    .object({
      messages: z.number(),
      tools: z.number(),
      thinking: z.number(),
      branches: z.number(),
      secrets: z.array(z.object({ kind: z.string(), masked: z.string(), node: z.string(), block: z.string() })),
    })
    .parse(await scene.requests.call('share.preview', { place: scene.leaf }));
  const { secrets, ...counts } = preview;
  assert.deepEqual(counts, { messages: 3, tools: 1, thinking: 1, branches: 2 });
  assert.ok(secrets.length >= 4);
  assert.ok(
    secrets.every(({ block }) => block.startsWith(`${scene.root}/@`)),
    'places of the conversation itself',
  );
  assert.doesNotMatch(JSON.stringify(preview), new RegExp(`${namedSecret}|hidden-`, 'u'));
  assert.deepEqual(listed.parse(await scene.requests.call('share.list', {})).items, [], 'nothing is shared');
});
