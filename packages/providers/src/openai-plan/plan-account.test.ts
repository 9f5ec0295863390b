import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rest, VirtualClock } from '@loom/kernel/testing';
import { PlanAccount } from './plan-account.ts';
import { PlanError } from './plan-error.ts';
import type { PlanKeeper, PlanRecord } from './plan-record.ts';
import { planRecord } from './plan-record.ts';
import { findService } from './plan-service.ts';
import { startPlanEmulator } from './testing/plan-emulator.ts';
import type { PlanEmulator } from './testing/plan-emulator.ts';

const hour = 3_600_000;

/** A keeper in memory, as strict as the file: what is kept is read back by the schema. */
function memoryKeeper(): PlanKeeper & { kept: () => PlanRecord | undefined } {
  let text: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const read = (): PlanRecord | undefined => (text === undefined ? undefined : planRecord.parse(JSON.parse(text)));
  return {
    kept: read,
    read: () => Promise.resolve(read()),
    change(work) {
      const done = last.then(async () => {
        const record = await work(read());
        text = JSON.stringify(record);
        return record;
      });
      last = done.catch(() => {});
      return done;
    },
  };
}

async function stage(t: TestContext) {
  const clock = new VirtualClock(Date.now());
  const service = await startPlanEmulator(() => clock.now());
  t.after(() => service.close());
  const where = { issuer: service.issuer, api: service.api };
  const keeper = memoryKeeper();
  const account = (): PlanAccount => {
    const made = new PlanAccount({ keeper, clock, where: () => Promise.resolve(where) });
    t.after(() => made.close());
    return made;
  };
  return { clock, service, where, keeper, account };
}

async function logIn(account: PlanAccount, service: PlanEmulator): Promise<string> {
  const { url } = await account.begin();
  return service.agree(url);
}

test('[CI21] a login goes through the browser and back, and gives a token of the account', async (t) => {
  const { service, account, keeper } = await stage(t);
  const one = account();
  assert.deepEqual(await one.state(), { state: 'logged-out' });
  await assert.rejects(one.accessToken(), (error) => error instanceof PlanError && error.code === 'logged-out');
  const { url } = await one.begin();
  assert.equal((await one.state()).state, 'waiting');
  assert.match(await service.agree(url), /You are logged in/u);
  await one.settled(1);
  assert.deepEqual(await one.state(), { state: 'logged-in', account: 'jo@example.com', plan: true });
  assert.ok(service.tokens.access.has(await one.accessToken()));
  const [client, host] = [keeper.kept()?.client, keeper.kept()?.host];
  assert.match(client ?? '', /^oaiapp_/u);
  // The next login is of the same client and the same installation, and offers the same account.
  const again = new URL((await one.begin()).url).searchParams;
  assert.deepEqual([again.get('client_id'), again.get('ext_agent_host_id')], [client, host]);
  assert.equal(again.get('login_hint'), 'jo@example.com');
  assert.equal(again.get('agent_name_hint'), null);
});

test('[CI21] the address that the browser was sent to can be brought by hand', async (t) => {
  const { service, account } = await stage(t);
  const one = account();
  const { url } = await one.begin();
  await assert.rejects(one.bring('http://127.0.0.1:1/auth/callback?code=c&state=other'), /not the address/u);
  await one.bring(await service.returnOf(url));
  assert.equal((await one.state()).state, 'logged-in');
});

test('[CI21] what does not belong to a login, or is not proven, logs nobody in', async (t) => {
  const { service, account, keeper } = await stage(t);
  const wrong: readonly (readonly [string, () => void, RegExp])[] = [
    ['a token that somebody else has signed', () => (service.whims.signsWrongly = true), /not signed/u],
    ['a token for another program', () => (service.whims.claims = { aud: ['other'] }), /another program/u],
    ['a token for two programs', () => (service.whims.claims = { aud: ['a', 'b'] }), /another program/u],
    ['a token from elsewhere', () => (service.whims.claims = { iss: 'https://elsewhere' }), /another program/u],
    ['a token of another login', () => (service.whims.claims = { nonce: 'n' }), /another login/u],
    ['an old token', () => (service.whims.claims = { exp: 1 }), /out of date/u],
    ['a person who declines', () => (service.whims.denies = true), /declined/u],
    ['a code that is not taken', () => (service.whims.tokenStatus = 400), /not completed/u],
  ];
  for (const [what, misbehave, told] of wrong) {
    Object.assign(service.whims, { signsWrongly: false, claims: {}, denies: false, tokenStatus: undefined });
    misbehave();
    const one = account();
    await logIn(one, service);
    const { state, problem } = await one.state();
    assert.equal(state, 'logged-out', what);
    assert.match(problem ?? '', told, what);
    assert.equal(keeper.kept()?.tokens, undefined, what);
  }
});

test('[CI21] only the return of this attempt counts, once, at its own address', async (t) => {
  const { service, account } = await stage(t);
  const one = account();
  const { url } = await one.begin();
  const returned = new URL(await service.returnOf(url));
  const forged = new URL(returned);
  forged.searchParams.set('state', 'x'.repeat(43));
  assert.equal((await fetch(forged)).status, 400);
  const elsewhere = await fetch(new URL('/', returned));
  assert.equal(elsewhere.status, 404);
  assert.equal((await fetch(returned)).status, 200);
  assert.equal((await one.state()).state, 'logged-in');
  await assert.rejects(one.bring(returned.href), /not the address/u);
});

test('[CI21] an attempt ends after ten minutes, when it is cancelled, and when another begins', async (t) => {
  const { clock, service, account } = await stage(t);
  const one = account();
  const first = await one.begin();
  const second = await one.begin();
  await assert.rejects(service.agree(first.url));
  assert.ok(one.cancel());
  assert.equal((await one.state()).state, 'logged-out');
  await assert.rejects(service.agree(second.url));
  await one.begin();
  await clock.advanceAndRest(10 * 60_000);
  assert.deepEqual(await one.state(), { state: 'logged-out', problem: 'Nobody logged in.' });
});

test('[CI21] without the permission to use the plan there is a login and no token', async (t) => {
  const { service, account } = await stage(t);
  service.whims.granted = 'openid profile email offline_access';
  const one = account();
  assert.match(await logIn(one, service), /have not allowed/u);
  assert.equal((await one.state()).plan, false);
  await assert.rejects(one.accessToken(), (error) => error instanceof PlanError && error.code === 'declined');
});

test('[CI21] another account than before is refused until the first is logged out', async (t) => {
  const { service, account } = await stage(t);
  const one = account();
  await logIn(one, service);
  service.whims.subject = 'user-2';
  assert.match(await logIn(one, service), /another account/u);
  assert.ok(service.tokens.access.has(await one.accessToken()));
});

test('[CI21] metadata that names foreign or unsafe addresses is refused', async () => {
  const said =
    (metadata: object): typeof fetch =>
    () =>
      Promise.resolve(Response.json(metadata));
  const right = {
    issuer: 'https://login.example',
    authorization_endpoint: 'https://login.example/authorize',
    token_endpoint: 'https://login.example/token',
    jwks_uri: 'https://login.example/keys',
  };
  assert.equal((await findService('https://login.example', said(right))).token, 'https://login.example/token');
  for (const wrong of [
    { token_endpoint: 'https://thief.example/token' },
    { token_endpoint: 'http://login.example/token' },
    { jwks_uri: 'https://login.example.thief.example/keys' },
    { issuer: 'https://other.example' },
    { revocation_endpoint: 'https://jo:pass@login.example/revoke' },
    { token_endpoint: undefined },
  ])
    await assert.rejects(findService('https://login.example', said({ ...right, ...wrong })), PlanError);
  await assert.rejects(findService('http://login.example', said(right)), PlanError);
});

test('[CI22] a token is renewed shortly before its end, once for all who ask, and never before its service allows it', async (t) => {
  const { clock, service, account } = await stage(t);
  const [one, other] = [account(), account()];
  await logIn(one, service);
  const first = await one.accessToken();
  clock.advance(hour - 6 * 60_000);
  assert.equal(await one.accessToken(), first, 'six minutes before its end it is used as it is');
  clock.advance(2 * 60_000);
  // Two processes share the record; each has many requests.
  const asked = await Promise.all([one, other, one, other, other].map((each) => each.accessToken()));
  assert.equal(new Set(asked).size, 1);
  assert.notEqual(asked[0], first);
  assert.ok(service.tokens.access.has(asked[0] ?? ''));
  assert.equal(service.asked.filter((what) => what === 'POST /token refresh_token').length, 1);
});

test('[CI22] a service that fails leaves the login as it is; one that refuses ends it', async (t) => {
  const { clock, service, account, keeper } = await stage(t);
  const one = account();
  await logIn(one, service);
  const first = await one.accessToken();
  clock.advance(hour - 60_000);
  service.whims.tokenStatus = 503;
  assert.equal(await one.accessToken(), first, 'the old token is good for another minute');
  assert.match((await one.state()).problem ?? '', /could not be renewed/u);
  clock.advance(2 * 60_000);
  await assert.rejects(one.accessToken(), (error) => error instanceof PlanError && error.code === 'network');
  assert.equal((await one.state()).state, 'logged-in');
  delete service.whims.tokenStatus;
  assert.ok(service.tokens.access.has(await one.accessToken()));
  assert.equal((await one.state()).problem, undefined);
  service.tokens.refresh.clear();
  clock.advance(hour);
  await assert.rejects(one.accessToken(), (error) => error instanceof PlanError && error.code === 'logged-out');
  assert.equal((await one.state()).state, 'logged-out');
  assert.equal(keeper.kept()?.tokens, undefined);
});

test('[CI22] a logout during a renewal wins', async (t) => {
  const { clock, service, account, keeper } = await stage(t);
  const one = account();
  await logIn(one, service);
  clock.advance(hour);
  const hold = Promise.withResolvers<void>();
  service.whims.hold = hold.promise;
  const renewed = one.accessToken();
  while (!service.asked.includes('POST /token refresh_token')) await rest();
  const ended = one.end();
  hold.resolve();
  await renewed;
  assert.deepEqual(await ended, { revoked: true });
  assert.equal(keeper.kept()?.tokens, undefined);
  assert.equal(service.tokens.refresh.size, 0);
});

test('[CI23] tokens are of the service and the API that gave them: with others set, nobody is logged in', async (t) => {
  const { service, account, where, keeper } = await stage(t);
  const one = account();
  await logIn(one, service);
  where.api = 'http://127.0.0.1:1/v1';
  assert.equal((await one.state()).state, 'logged-out');
  await assert.rejects(one.accessToken(), PlanError);
  where.api = service.api;
  assert.ok(await one.accessToken());
  where.issuer = 'http://127.0.0.1:1';
  await assert.rejects(one.accessToken(), PlanError);
  assert.notEqual(keeper.kept()?.tokens, undefined);
});

test('[CI24] a logout takes the tokens back and keeps what makes the next login the same one', async (t) => {
  const { service, account, keeper } = await stage(t);
  const one = account();
  await logIn(one, service);
  const before = keeper.kept();
  assert.deepEqual(await one.end(), { revoked: true });
  assert.equal(service.tokens.refresh.size, 0);
  const { tokens: _gone, ...rest } = before ?? assert.fail();
  assert.deepEqual(keeper.kept(), rest);
  for (const token of service.tokens.everMade) assert.ok(!JSON.stringify(keeper.kept()).includes(token));
  await logIn(one, service);
  await service.close();
  assert.deepEqual(await one.end(), { revoked: false }, 'a service that does not answer confirms nothing');
  assert.equal(keeper.kept()?.tokens, undefined);
});
