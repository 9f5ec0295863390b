import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage, OpenOptions } from '../testing/open-page.ts';

const phone = { width: 360, height: 780, isAlone: true } as const;

/** Opens the page on a phone, with calls that wait. */
async function openPhone(
  t: TestContext,
  options: OpenOptions = {},
): Promise<OpenedPage & { roots: string[]; calls: string[]; ask: OpenedPage['ask'] }> {
  const opened = await openPage(t, { ...phone, ...options });
  const { ask } = opened;
  const tools = (await ask('tool.list', {})).items.map(({ name }) => name);
  const roots: string[] = [];
  for (const words of ['run the tests', 'run the tests once more']) {
    const { root, nodes } = await begin(ask, words);
    roots.push(root);
    await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools });
  }
  const waiting = await eventually(
    async () => (await ask('turn.waiting', {})).items,
    (items) => items.length === 2,
  );
  return { ...opened, roots, calls: waiting.map(({ node }) => node) };
}

async function assertAccessible(page: Page): Promise<void> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`,
  );
  assert.deepEqual(found, []);
}

/** Keeps a picture to be looked at, where a folder for them is named. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['LOOM_PICTURES'];
  if (folder !== undefined) writeFileSync(`${folder}/${name}.png`, await page.screenshot());
}

test(
  '[WB595] [WB596] a bar at the bottom of a phone leads to four places by thumb and by key, and counts what waits',
  { skip: noBrowser },
  async (t) => {
    const { page, roots } = await openPhone(t, { path: '/needs-you' });
    const bar = page.getByRole('navigation', { name: 'Main' });
    await bar.getByText('2 waiting').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).first().waitFor();
    await picture(page, 'phone-needs-you-360');
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await picture(page, 'phone-needs-you-360-dark');
    await assertAccessible(page);
    for (const [name, path] of [
      ['Agents', '/agents'],
      ['Conversations', '/conversations'],
      ['Search', '/search/'],
      ['Needs you', '/needs-you'],
    ] as const) {
      const link = bar.getByRole('link', { name });
      const box = await link.boundingBox();
      assert.ok((box?.height ?? 0) >= 44 && (box?.width ?? 0) >= 44, `${name}: ${JSON.stringify(box)}`);
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${path}`);
      assert.equal(await bar.getByRole('link', { name }).getAttribute('aria-current'), 'page');
      // Nothing of a page ends below the bar.
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, name);
    }
    // In a conversation the field has the bottom of the screen, and on a wide screen the navigator leads everywhere.
    await page.goto(`/r/${roots[0] ?? ''}`);
    await page
      .getByRole('textbox', { name: /message/iu })
      .first()
      .waitFor();
    assert.equal(await bar.count(), 0);
    await page.goto('/needs-you');
    await bar.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await bar.waitFor({ state: 'detached' });
  },
);

test(
  '[WB597] [WB598] a notification leads to a sheet whose buttons a thumb hits; the first approval brings the hint to install, once',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, calls } = await openPhone(t);
    const [first = '', second = ''] = calls;
    await page.goto(`/needs-you#${encodeURIComponent(first)}`);
    const sheet = page.getByRole('dialog', { name: 'Decide' });
    const allow = sheet.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    for (const button of await sheet.getByRole('button').all()) {
      assert.ok(((await button.boundingBox())?.height ?? 0) >= 44, (await button.textContent()) ?? '');
    }
    await picture(page, 'phone-approve-360');
    await assertAccessible(page);
    assert.equal(await page.getByRole('region', { name: 'Install Loom' }).count(), 0);
    await allow.click();
    await eventually(
      async () => (await ask('turn.waiting', {})).items.map(({ node }) => node),
      (left) => !left.includes(first),
    );
    await sheet.getByRole('button', { name: 'Later' }).click();
    await page.waitForURL('**/needs-you');
    const hint = page.getByRole('region', { name: 'Install Loom' });
    await hint.getByRole('button', { name: 'How to' }).click();
    await page
      .getByRole('dialog', { name: 'Add Loom to your home screen' })
      .getByRole('button', { name: 'Close' })
      .click();
    await picture(page, 'phone-install-360');
    await assertAccessible(page);
    await hint.getByRole('button', { name: 'Not now' }).click();
    // The keyboard alone: Esc closes the sheet, and a second approval brings no hint.
    await page.goto(`/needs-you#${encodeURIComponent(second)}`);
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Allow once' }).click();
    await eventually(
      async () => (await ask('turn.waiting', {})).items,
      (left) => left.length === 0,
    );
    assert.equal(await hint.count(), 0);
  },
);

test(
  '[WB599] [WB600] the page is installed with its files alone, opens without a server, and decides nothing then',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPhone(t, { hasWorker: true, path: '/needs-you' });
    const { page, served, ask, roots, whileAway } = opened;
    const manifest: unknown = await page.evaluate(`fetch('/manifest.webmanifest').then((found) => found.json())`);
    assert.partialDeepStrictEqual(manifest, { id: '/', display: 'standalone', start_url: '/needs-you' });
    await page.evaluate('navigator.serviceWorker.ready');
    // Each part that was loaded once is there without a server.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents' }).first().waitFor();
    await page.goto('/needs-you');
    // The worker that has just come takes the next visit.
    await page.reload();
    await page.getByRole('button', { name: 'Allow once' }).first().waitFor();
    assert.equal(await page.evaluate('navigator.serviceWorker.controller !== null'), true);
    const kept: unknown = await page.evaluate(
      `caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).then((all) => all.flat())`,
    );
    assert.ok(Array.isArray(kept) && kept.includes('/') && kept.length > 2, JSON.stringify(kept));
    assert.deepEqual(
      kept.filter((path) => path !== '/' && !String(path).startsWith('/assets/')),
      [],
    );
    await eventually(
      () =>
        page.evaluate(
          `caches.match('/assets/' + performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /PhonePlace.*js$/u.test(name)).map((name) => name.split('/').at(-1))[0]).then((found) => found !== undefined)`,
        ),
      (isKept) => isKept === true,
    );
    await whileAway(async () => {
      await served.stop();
      await page
        .getByText(/^No connection since/u)
        .first()
        .waitFor();
      await picture(page, 'phone-offline-360');
      const allow = page.getByRole('button', { name: 'Allow once' }).first();
      assert.equal(await allow.getAttribute('aria-disabled'), 'true');
      await allow.click({ force: true });
      // A visit without the server shows the page, not an error of the browser.
      await page.goto('/agents');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await served.run();
      await page.goto('/needs-you');
      await page.getByRole('heading', { name: 'Needs you' }).first().waitFor();
    });
    for (const top of roots) {
      assert.doesNotMatch(JSON.stringify(await ask('tree.subtree', { top })), /"approved"/u);
    }
  },
);

test(
  '[WB601] a reader who looks elsewhere is told which agent and conversation, never what it wants to do, and a click leads there',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { ...phone, hasWorker: true, path: '/settings/general' });
    const { page, context, ask } = opened;
    await context.grantPermissions(['notifications']);
    await page.evaluate('navigator.serviceWorker.ready');
    await page.evaluate(() => {
      // A browser without windows permits no notifications, and shows none.
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = async () => 'granted';
      const shown: object[] = [];
      Object.assign(globalThis, { shown });
      ServiceWorkerRegistration.prototype.showNotification = async (title, options = {}) => {
        const data: unknown = options.data;
        shown.push({ title, body: options.body, data });
      };
    });
    await page.getByRole('switch', { name: 'Notifications' }).click();
    await picture(page, 'phone-settings-360');
    await page.evaluate('document.hasFocus = () => false');
    const tools = (await ask('tool.list', {})).items.map(({ name }) => name);
    const { nodes } = await begin(ask, 'run the tests');
    await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools });
    const shown = await eventually(
      () => page.evaluate('globalThis.shown'),
      (found) => Array.isArray(found) && found.length > 0,
    );
    const [waiting] = (await ask('turn.waiting', {})).items;
    assert.partialDeepStrictEqual(shown, [
      {
        body: 'Waits for your decision in “run the tests”',
        data: `/needs-you#${encodeURIComponent(waiting?.node ?? '')}`,
      },
    ]);
    assert.doesNotMatch(JSON.stringify(shown), /npm|vitest|command/u);
  },
);
