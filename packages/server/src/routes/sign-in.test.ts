import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { z } from 'zod';
import { WrongCodes } from '../access/wrong-codes.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { Requests } from '../testing/requests.ts';

const signedIn = z.object({ value: z.object({ token: z.string(), agent: z.string() }) });

test('[SV10] a code becomes a token once, by a request without a token, and the token works', async (t) => {
  const { server, url, engine, kept } = await serveLoom(t);
  const code = await server.issueCode({ ...owner, agent: 'ada' });
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

test('[SV85] of 300 wrong codes in a row 10 are free, then one is due at a time, and the right code is still taken', async (t) => {
  const clock = new VirtualClock();
  const { server, url } = await serveLoom(t, { clock });
  const code = await server.issueCode(owner);
  const guess = async (given: string): Promise<{ status: number; wait: number }> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ code: given });
    const { status, headers: said } = await fetch(`${url}/auth/sign-in`, { method: 'POST', headers, body });
    return { status, wait: Number(said.get('retry-after') ?? 0) };
  };
  const answers: { status: number; wait: number }[] = [];
  for (let count = 0; count < 300; count += 1) answers.push(await guess(`wrong-${count}`));
  assert.deepEqual(
    [401, 429].map((status) => answers.filter((answer) => answer.status === status).length),
    [11, 289],
  );
  assert.deepEqual(answers.at(-1), { status: 429, wait: 1 });
  const waits: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    clock.advance((waits.at(-1) ?? 1) * 1000);
    assert.equal((await guess('wrong')).status, 401, 'after the wait one more is looked at');
    const { status, wait } = await guess('wrong');
    assert.equal(status, 429);
    waits.push(wait);
  }
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 60, 60, 60, 60]);
  assert.equal((await guess(code)).status, 200, 'the right person need not wait');
  assert.equal((await guess(code)).status, 429, 'a code that was used is a wrong one');
  clock.advance(10 * 60_000);
  assert.equal((await guess('wrong')).status, 401);
  assert.equal((await guess('wrong')).status, 401, 'an address that was quiet for long begins anew');
});

test('[SV85] addresses are told apart, and those beyond a thousand share one count', () => {
  const codes = new WrongCodes(() => 0);
  const tryOften = (address: string): number => {
    let free = 0;
    while (codes.note(address) === 0) free += 1;
    return free;
  };
  assert.equal(tryOften('1'), 11);
  assert.equal(tryOften('2'), 11);
  for (let address = 3; address <= 1000; address += 1) codes.note(String(address));
  assert.equal(tryOften('one more'), 11);
  assert.equal(tryOften('and another'), 0);
  assert.equal(tryOften('3'), 10, 'an address that is known keeps its own count');
});

test('[SV88] behind a proxy links name its address, and requests by its name pass the guard', async (t) => {
  const { requests, url } = await serveLoom(t, { publicUrl: 'https://loom.example' });
  const { body } = await requests.post('/auth/code', {});
  const { link } = z.object({ value: z.object({ link: z.string() }) }).parse(body).value;
  assert.match(link, /^https:\/\/loom\.example\/#code=[\w-]{22}$/u);
  for (const [host, status] of [
    ['loom.example', 200],
    ['other.example', 421],
    ['loom.example:4177', 421],
  ] as const) {
    const headers = ['host', host, 'authorization', `Bearer ${requests.token}`];
    assert.equal((await rawRequest(url, { method: 'GET', path: '/auth/me', headers })).status, status, host);
  }
});
