import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { owner, serveLoom } from '../testing/served-loom.ts';
import { Requests } from '../testing/requests.ts';

const signedIn = z.object({ value: z.object({ token: z.string(), agent: z.string() }) });

test('[SV10] a code becomes a token once, by a request without a token, and the token works', async (t) => {
  const { server, url, engine, kept } = await serveLoom(t);
  const code = server.issueCode({ ...owner, agent: 'ada' });
  const stranger = new Requests(url, '', engine.operations);
  const { body } = await stranger.post('/auth/sign-in', { code });
  const { token, agent } = signedIn.parse(body).value;
  assert.equal(agent, 'ada');
  const ada = new Requests(url, token, engine.operations);
  const { root } = await ada.call('root.create', {});
  const { nodes } = await ada.call('node.append', { parent: root, messages: [{ role: 'user', content: 'hello' }] });
  const node = await ada.call('node.get', { node: nodes[0] ?? '' });
  assert.equal(JSON.stringify(node).includes('@ada/1'), true, 'what is written carries the name of the token');
  for (const again of [{ code }, { code: 'x' }, {}, []]) {
    const refused = await stranger.post('/auth/sign-in', again);
    assert.deepEqual([refused.status, refused.body['problem']], [401, { reason: 'wrong-code' }]);
  }
  assert.equal(kept().length, 1);
});

test("[SV9] tokens are made, listed and revoked by operations, which are an owner's alone", async (t) => {
  const { requests, as, url, engine } = await serveLoom(t);
  const made = z
    .object({ id: z.string(), token: z.string() })
    .parse(await requests.call('token.create', { agent: 'bot', type: 'tool', role: 'writer' }));
  const bot = new Requests(url, made.token, engine.operations);
  assert.deepEqual(await bot.fetch('/auth/me').then((response) => response.json()), {
    ok: true,
    value: { agent: 'bot', type: 'tool', role: 'writer' },
  });
  const listed = await requests.call('token.list', {});
  assert.equal(JSON.stringify(listed).includes(made.id), true);
  assert.doesNotMatch(JSON.stringify(listed), /hash/u);
  for (const name of ['token.create', 'token.list', 'token.revoke']) {
    const params =
      name === 'token.create'
        ? { agent: 'x', type: 'tool', role: 'owner' }
        : name === 'token.list'
          ? {}
          : { id: made.id };
    assert.equal((await bot.post(`/api/v1/${name}`, params)).status, 403, name);
  }
  assert.deepEqual(await requests.call('token.revoke', { id: made.id }), { revoked: true });
  assert.equal((await bot.fetch('/auth/me')).status, 401);
  const reader = await as({ agent: 'eve', type: 'person', role: 'reader' });
  assert.equal((await reader.post('/api/v1/root.create', {})).status, 403);
});
