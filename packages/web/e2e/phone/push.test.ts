import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { violationsInAllLooks } from '../testing/axe.ts';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

const listed = z.object({ items: z.array(z.unknown()) });

/** A push service that takes every message and notes its headers. */
async function openService(t: TestContext): Promise<{ origin: string; sent: NodeJS.Dict<string | string[]>[] }> {
  const sent: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    sent.push(request.headers);
    request.resume().on('end', () => response.writeHead(201).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { origin: `http://127.0.0.1:${address.port}`, sent };
}

/** Lets a browser without a network subscribe at a push service; the subscription lasts beyond a reload. */
async function allowPush(context: BrowserContext, endpoint: string): Promise<void> {
  const browser = createECDH('prime256v1');
  const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
  await context.addInitScript(`
    const made = (key) => ({
      endpoint: ${JSON.stringify(endpoint)},
      options: { applicationServerKey: Uint8Array.from(JSON.parse(key)).buffer },
      toJSON: () => (${JSON.stringify({ endpoint, keys })}),
      unsubscribe: async () => (localStorage.removeItem('made-push'), true),
    });
    // A browser without windows permits no notifications.
    if (globalThis.Notification !== undefined) {
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = async () => 'granted';
    }
    if (globalThis.PushManager !== undefined) {
      PushManager.prototype.getSubscription = async () => {
        const key = localStorage.getItem('made-push');
        return key === null ? null : made(key);
      };
      PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        localStorage.setItem('made-push', JSON.stringify([...applicationServerKey]));
        return made(localStorage.getItem('made-push'));
      };
    }`);
}

/** Hands the worker of the page a message, as the push service of its browser does. */
async function deliver(page: Page, origin: string, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { promise, resolve } = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const { registrationId, scopeURL } of registrations) if (scopeURL.startsWith(origin)) resolve(registrationId);
  });
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await promise, data });
  await session.detach();
}

test(
  '[WB712] push is turned on in the settings, the server tells the service of a call that waits, and it is turned off again',
  { skip: noBrowser },
  async (t) => {
    const { origin, sent } = await openService(t);
    const alone = { env: { LOOM_TEST_PUSH_ORIGIN: origin }, publicUrl: 'https://loom.example', isAlone: true };
    const { page, context, ask } = await openPage(t, { ...alone, hasWorker: true, width: 360, height: 780 });
    await allowPush(context, `${origin}/push/1`);
    await page.goto('/settings/general');
    const toggle = page.getByRole('switch', { name: 'Also while no page is open' });
    await toggle.press('Enter');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Sent. It comes within a minute').waitFor();
    assert.equal(sent.length, 1);
    assert.match(String(sent[0]?.['authorization']), /^vapid t=/u);
    assert.equal(listed.parse(await ask('push.list', {})).items.length, 1);
    assert.deepEqual(await violationsInAllLooks(page), []);
    await page.reload();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();

    const tools = (await ask('tool.list', {})).items.map(({ name }) => name);
    const { nodes } = await begin(ask, 'run the tests');
    await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools });
    await eventually(
      async () => sent.length,
      (length) => length === 2,
    );
    await toggle.click();
    await page.getByRole('button', { name: 'Send a test' }).waitFor({ state: 'detached' });
    assert.deepEqual(listed.parse(await ask('push.list', {})).items, []);
  },
);

test('[WB712] where push is not possible the settings say why', { skip: noBrowser }, async (t) => {
  const { page } = await openPage(t, { path: '/settings/general' });
  await page.getByText(/Not possible here: the server has no https address/u).waitFor();
  assert.equal(await page.getByRole('switch', { name: 'Also while no page is open' }).count(), 0);
});

test(
  '[WB713] the worker shows a message only while nobody looks at the page, and not again what the page has shown',
  { skip: noBrowser },
  async (t) => {
    const { page, context, served } = await openPage(t, { isAlone: true, hasWorker: true });
    await page.evaluate('navigator.serviceWorker.ready');
    const worker = context.serviceWorkers()[0] ?? assert.fail('there is no worker');
    // A browser without windows shows no notifications: they are kept here, one for each tag, as browsers do.
    await worker.evaluate(`(() => {
      let kept = [];
      registration.getNotifications = async ({ tag } = {}) => kept.filter((one) => tag === undefined || one.tag === tag);
      registration.showNotification = async (title, { body = '', data, tag }) => {
        kept = [...kept.filter((one) => one.tag !== tag), { title, body, data, tag }];
      };
    })()`);
    const shown = async (): Promise<unknown> =>
      worker.evaluate(
        `registration.getNotifications().then((all) => all.map(({ title, body, data }) => [title, body, data]))`,
      );
    const needs = JSON.stringify({ what: 'needs-you', path: '/needs-you#a%2Fb' });
    await deliver(page, served.url, needs);
    await page.goto('about:blank');
    assert.deepEqual(await shown(), [], 'nothing while the page is on display');
    const ended = JSON.stringify({ what: 'ended', path: '/r/a' });
    await deliver(page, served.url, ended);
    const all = await eventually(shown, (found) => Array.isArray(found) && found.length === 1);
    assert.deepEqual(all, [['A turn ended', '', '/r/a']]);
    // The page has said more about a call: its words stay.
    await worker.evaluate(`registration.showNotification('demo needs you', { body: 'told', tag: '/needs-you#a%2Fb' })`);
    await deliver(page, served.url, needs);
    const both = await eventually(shown, (found) => JSON.stringify(found).includes('#a%2Fb'));
    assert.deepEqual(
      z
        .array(z.array(z.string()))
        .parse(both)
        .sort(([one = ''], [other = '']) => one.localeCompare(other)),
      [
        ['A turn ended', '', '/r/a'],
        ['demo needs you', 'told', '/needs-you#a%2Fb'],
      ],
    );
  },
);
