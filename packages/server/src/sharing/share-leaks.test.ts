import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { rawRequest } from '../testing/raw-request.ts';
import { hiddenWords, namedSecret, openSharedScene, shapedSecret } from './testing/shared-scene.ts';
import type { SharedScene } from './testing/shared-scene.ts';

/** Everything that an answer may not hold, and the ids by which more could be asked for. */
function forbidden({ root, otherRoot, leaf, blobs }: SharedScene): string[] {
  return [...hiddenWords, namedSecret, shapedSecret, root, otherRoot, leaf, ...Object.values(blobs)];
}

function assertHides(text: string, scene: SharedScene, where: string): void {
  for (const word of forbidden(scene)) assert.ok(!text.includes(word), `${where} tells ${word}: ${text.slice(0, 300)}`);
}

test('[SV130] the secret of a share opens no route but those of shares, read from the server, and no operation', async (t) => {
  const scene = await openSharedScene(t);
  const { server, engine, url } = scene;
  const { secret } = await scene.share();
  const { host } = new URL(url);
  const send = (method: string, path: string, body: string): ReturnType<typeof rawRequest> =>
    rawRequest(url, {
      method,
      path,
      headers: ['host', host, 'authorization', `Bearer ${secret}`, 'content-type', 'application/json'],
      ...(method === 'POST' || method === 'PUT' ? { body } : {}),
    });
  const named = {
    root: scene.root,
    node: scene.leaf,
    place: scene.leaf,
    block: `${scene.root}/@person/1`,
    query: 'hidden',
  };
  let opened = 0;
  for (const route of server.routes) {
    if (route.access === 'share') {
      opened += 1;
      continue;
    }
    const path = route.path
      .replaceAll(/:operation\{[^}]*\}/gu, 'root.get')
      .replaceAll(':root', encodeURIComponent(scene.root))
      .replaceAll(':node', encodeURIComponent(scene.leaf))
      .replaceAll(/:\w+/gu, encodeURIComponent(scene.blobs.text));
    const asked =
      route.access === 'ticket' ? `${path}?ticket=${secret}` : `${path}?root=${encodeURIComponent(scene.root)}`;
    const { status, body } = await send(route.method, asked, JSON.stringify(named));
    const where = `${route.method} ${route.path}: ${status} ${body.slice(0, 200)}`;
    if (route.access !== 'open') assert.equal(status, 401, where);
    assertHides(body, scene, where);
  }
  assert.equal(opened, 3, 'the routes of shares');
  for (const { name } of engine.operations) {
    const { status, body } = await send('POST', `/api/v1/${name}`, JSON.stringify(named));
    assert.equal(status, 401, name);
    assertHides(body, scene, name);
  }
});

test('[SV130] a share does not open the feed, and a token does not open a share', async (t) => {
  const scene = await openSharedScene(t);
  const { secret, id } = await scene.share();
  const { host } = new URL(scene.url);
  const upgrade = await rawRequest(scene.url, {
    method: 'GET',
    path: `/api/v1/feed?ticket=${secret}`,
    headers: [
      'host',
      host,
      'connection',
      'Upgrade',
      'upgrade',
      'websocket',
      'sec-websocket-version',
      '13',
      'sec-websocket-key',
      'AAAAAAAAAAAAAAAAAAAAAA==',
    ],
  });
  assert.equal(upgrade.status, 401);
  for (const path of ['/api/v1/share', '/api/v1/share/events', `/api/v1/share/blobs/${scene.blobs.text}`]) {
    for (const key of [scene.requests.token, id, `${secret}x`, secret.slice(0, -1), 'share_', '']) {
      const answer = await scene.reader(key).fetch(path, key === '' ? { headers: { authorization: '' } } : {});
      assert.equal(answer.status, 401, `${path} with ${key}`);
      assertHides(await answer.text(), scene, path);
    }
  }
});

test('[SV131] what a reader gets is the branch up to its end, with nothing that stands beside what is shown', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share();
  const text = await (await scene.reader(secret).fetch('/api/v1/share')).text();
  assertHides(text, scene, 'the copy');
  const { title, nodes, root, leaf, replaced } = await scene.copy(secret);
  assert.equal(title, 'Tides ••••');
  assert.equal(replaced, true);
  assert.deepEqual(
    nodes.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text', 'image', 'text'],
      ['assistant', 'text', 'tool-use'],
      ['tool', 'text', 'command'],
      ['assistant', 'text'],
    ],
  );
  assert.deepEqual(
    nodes.map(({ id, parent }) => [id, parent]),
    nodes.map((_, index) => [`${root}/node-${index + 1}`, index === 0 ? root : `${root}/node-${index}`]),
  );
  assert.equal(leaf, nodes.at(-1)?.id);
  const words = JSON.stringify(nodes);
  assert.match(words, /Look at tides\/src\/a\.ts and ~\/notes/u);
  assert.match(words, /plan\.pdf is not part of this link/u);
  assert.match(words, /I see •••• again/u);
  assert.match(words, /"GITHUB_TOKEN":"••••"/u);
  assert.match(words, /"password":"••••"/u);
});

test('[SV131] thinking and calls are shown as the share says', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share({ thinking: true, tools: false });
  const { nodes } = await scene.copy(secret);
  assert.deepEqual(
    nodes.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text', 'image', 'text'],
      ['assistant', 'thinking', 'text'],
      ['assistant', 'text'],
    ],
  );
  const words = JSON.stringify(nodes);
  assert.match(words, /hidden-thinking/u);
  for (const word of hiddenWords) if (word !== 'hidden-thinking') assert.ok(!words.includes(word), word);
});

test('[SV132] of output and files that are kept apart, readers get the copy alone, at its own length and under its own id', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share();
  const text = JSON.stringify(await scene.copy(secret));
  const ids = [...new Set(text.match(/sha256:[0-9a-f]{64}/gu))];
  assert.equal(ids.length, 2);
  const bodies = [];
  for (const id of ids) {
    const answer = await scene.reader(secret).fetch(`/api/v1/share/blobs/${id}`);
    assert.equal(answer.status, 200);
    const body = await answer.text();
    assertHides(body, scene, id);
    assert.match(body, /••••/u);
    bodies.push(body);
  }
  assert.ok(bodies.some((body) => body === 'API_KEY=••••\nplain words\n'));
  const long = bodies.find((body) => body.endsWith('the end\n')) ?? assert.fail();
  assert.match(text, new RegExp(`"bytes":${Buffer.byteLength(long)}`, 'u'));
  // A part of a key at the place of the cut would be no key by its shape.
  for (let length = 12; length < shapedSecret.length; length += 1)
    assert.ok(!text.includes(shapedSecret.slice(0, length)), 'the beginning of a key');
  const { secret: other } = await scene.share();
  for (const id of [...ids, ...Object.values(scene.blobs)])
    assert.equal(
      (await scene.reader(other).fetch(`/api/v1/share/blobs/${id}`)).status,
      404,
      'ids are those of one share',
    );
});

test('[SV131] a person who wants it shares words as they are; paths and what is hidden stay out all the same', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share({ replace_secrets: false });
  const text = JSON.stringify(await scene.copy(secret));
  assert.ok(text.includes(namedSecret));
  for (const word of hiddenWords) assert.ok(!text.includes(word), word);
});

test('[SV131] what was written over is gone from a share, too, and a later edit of a shown message is shown without its secrets', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share();
  const before = await scene.copy(secret);
  await scene.requests.call('node.edit', {
    node: scene.leaf,
    content: `All done, with ${shapedSecret.replace('Zk3', 'Ab7')}.`,
    mode: 'in-place',
  });
  const after = await scene.copy(secret);
  assert.equal(JSON.stringify(before.nodes.at(-1)).includes('All done.'), true);
  assert.match(JSON.stringify(after.nodes.at(-1)), /All done, with ••••/u);
  assert.equal(after.nodes.length, before.nodes.length);
});

test('[SV131] a whole conversation is shared with the branches that it has then', async (t) => {
  const scene = await openSharedScene(t);
  const { secret } = await scene.share({ place: scene.root, whole: true });
  const text = JSON.stringify(await scene.copy(secret));
  assert.match(text, /hidden-branch/u);
  assert.match(text, /hidden-later/u);
  await scene.requests.call('node.append', {
    parent: scene.said,
    messages: [{ role: 'assistant', content: 'came later' }],
  });
  assert.doesNotMatch(JSON.stringify(await scene.copy(secret)), /came later/u);
});

test('[SV136] a file has what a link of the same choices shows, and nothing else', async (t) => {
  const scene = await openSharedScene(t);
  const saved = z.object({ blob: z.string(), bytes: z.number(), name: z.string(), media_type: z.string() });
  const save = async (choices: object): Promise<string> => {
    const made = saved.parse(await scene.requests.call('share.save', { place: scene.leaf, ...choices }));
    assert.deepEqual([made.name, made.media_type], ['tides.html', 'text/html']);
    const bytes = (await scene.engine.blobs.get(made.blob)) ?? assert.fail();
    assert.equal(bytes.length, made.bytes);
    return new TextDecoder().decode(bytes);
  };
  const text = await save({});
  assertHides(text, scene, 'the file');
  for (const shown of ['All done.', 'cat keys', 'API_KEY=••••', 'the end']) assert.ok(text.includes(shown), shown);
  const more = await save({ thinking: true, tools: false, whole: true });
  assert.match(more, /hidden-thinking/u);
  assert.match(more, /hidden-branch/u);
  for (const word of ['hidden-system', 'hidden-native', 'hidden-raw', 'cat keys', namedSecret])
    assert.ok(!more.includes(word), word);
  const { items } = z.object({ items: z.array(z.unknown()) }).parse(await scene.requests.call('share.list', {}));
  assert.deepEqual(items, [], 'nothing is shared');
});

test('[SV134] a preview names the places of secrets without the secrets in their names', async (t) => {
  const scene = await openSharedScene(t);
  const { nodes } = await scene.requests.call('node.append', {
    parent: scene.leaf,
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'command', command: `curl -H "Authorization: Bearer ${shapedSecret}" x`, stdout: shapedSecret },
        ],
      },
    ],
  });
  const preview = z
    .object({ blocks: z.number(), secrets: z.array(z.object({ type: z.string(), about: z.string().optional() })) })
    .parse(await scene.requests.call('share.preview', { place: nodes[0] ?? '' }));
  assert.ok(preview.blocks > 5);
  const abouts = preview.secrets.map(({ about }) => about);
  assert.ok(abouts.some((about) => about?.startsWith('curl -H') === true && about.includes('••••')));
  assert.ok(abouts.includes('keys.txt'));
  assert.ok(!JSON.stringify(preview).includes(shapedSecret));
});

test('[SV131] a conversation without a title is called by what a person asked first, without its secrets', async (t) => {
  const scene = await openSharedScene(t);
  const { root } = await scene.requests.call('root.create', {});
  const messages = [{ role: 'user' as const, content: `Is ${shapedSecret} valid?\nAnd more.` }];
  const { nodes } = await scene.requests.call('node.append', { parent: root, messages });
  const { secret } = await scene.share({ place: nodes[0] ?? '' });
  assert.equal((await scene.copy(secret)).title, 'Is •••• valid? And more.');
});
