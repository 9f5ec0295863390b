import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import type { Page } from 'playwright-core';
import type { Canary } from './testing/canary.ts';
import { startCanary } from './testing/canary.ts';
import { noBrowser } from './testing/chromium.ts';
import { hostileMessages, hostileTexts } from './testing/hostile.ts';
import { eventually, frames, openPage } from './testing/open-page.ts';

const patience = 400;

test(
  '[WB30] what models write runs nothing and loads nothing: how it is drawn, the policy and trusted types each see to it alone',
  { skip: noBrowser },
  async (t) => {
    const canary = await startCanary(t);
    const texts = hostileTexts(canary.url);
    assert.ok(texts.length >= 250, `${texts.length} texts`);
    const { page, ask, served } = await openPage(t, { policy: () => '', height: 2000, allowed: /./u });
    const { root } = await ask('root.create', {});
    await ask('node.append', { parent: root, messages: hostileMessages(texts, canary.url) });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await checkDrawing(page, canary, texts);
    const without = (word: RegExp) => (sent: string) =>
      sent
        .split('; ')
        .filter((part) => !word.test(part))
        .join('; ');
    const guarded = await openPage(t, { served, policy: without(/trusted-types/u), allowed: /./u });
    await checkPolicy(guarded.page, await startCanary(t));
    const typed = await openPage(t, { served, policy: without(/^(?!.*trusted-types)/u), allowed: /./u });
    await checkTrustedTypes(typed.page, await startCanary(t));
    tellTried(t, 3 * texts.length, 'hostile texts, each before three walls');
  },
);

/** The texts as the page draws them, with no policy behind it; and then as markup, to see that they are hostile. */
async function checkDrawing(page: Page, canary: Canary, texts: readonly string[]): Promise<void> {
  const feed = page.getByRole('feed');
  await feed.locator('.row').nth(10).waitFor({ state: 'attached' });
  let drawn = 0;
  for (const part of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    await feed.evaluate((element, share) => element.scrollTo(0, share * element.scrollHeight), part);
    await frames(page, 6);
    drawn += await touch(page);
    assert.deepEqual(await findDanger(page), { tags: [], handlers: [], addresses: [] });
  }
  assert.ok(drawn > 15_000, `${drawn} characters were drawn`);
  assert.equal(await ranIn(page), undefined);
  assert.deepEqual(canary.asked, []);
  await insert(page, texts);
  // Chance decides which of them ran last.
  await eventually(
    async () => ({ ran: await ranIn(page), asked: canary.asked.length }),
    ({ ran, asked }) => ran !== undefined && asked >= 10,
  );
}

/** The texts as markup, and scripts that want to reach another server, under the policy alone. */
async function checkPolicy(page: Page, canary: Canary): Promise<void> {
  assert.equal(await insert(page, hostileTexts(canary.url)), 0, 'no other wall stands in the way');
  // Code that a test evaluates may generate code; a script of the page may not.
  const generates = `try { new Function('window.ran = "generated"')() } catch { window.wasRefused = true }`;
  await page.route('**/assets/generating.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: generates }),
  );
  await page.evaluate(async (url) => {
    new Image().src = `${url}/image`;
    const script = document.createElement('script');
    script.src = '/assets/generating.js';
    const inline = document.createElement('script');
    inline.text = 'window.ran = "inline"';
    const remote = document.createElement('script');
    remote.type = 'module';
    remote.src = `${url}/module.js`;
    document.body.append(script, inline, remote);
    const attempts: (() => unknown)[] = [
      () => fetch(`${url}/fetch`),
      () => new WebSocket(url.replace('http', 'ws')),
      () => new EventSource(`${url}/events`),
      () => navigator.sendBeacon(`${url}/beacon`),
      () => new Worker(`${url}/worker.js`),
    ];
    await Promise.allSettled(attempts.map(async (attempt) => void (await attempt())));
  }, canary.url);
  await eventually(
    () => page.evaluate((): unknown => Reflect.get(window, 'wasRefused')),
    (wasRefused) => wasRefused === true,
  );
  await page.waitForTimeout(patience);
  assert.equal(await ranIn(page), undefined);
  assert.deepEqual(canary.asked, []);
}

/** Tries every way from a text to markup or script, under trusted types alone. */
async function checkTrustedTypes(page: Page, canary: Canary): Promise<void> {
  const texts = hostileTexts(canary.url);
  assert.equal(await insert(page, texts), texts.length, 'each is refused');
  const allowed = await page.evaluate(async () => {
    await new Promise((resolve) => void setTimeout(resolve));
    const frame = document.createElement('iframe');
    const script = document.createElement('script');
    const attempts: Record<string, () => unknown> = {
      outerHTML: () => (document.body.outerHTML = '<p>x</p>'),
      adjacent: () => document.body.insertAdjacentHTML('beforeend', '<p>x</p>'),
      write: () => document.write('<p>x</p>'),
      parser: () => new DOMParser().parseFromString('<p>x</p>', 'text/html'),
      fragment: () => document.createRange().createContextualFragment('<p>x</p>'),
      srcdoc: () => (frame.srcdoc = '<p>x</p>'),
      source: () => (script.src = '/x.js'),
      text: () => (script.text = 'window.ran = 1'),
      generated: () => Reflect.construct(Function, ['window.ran = 1']),
    };
    return Object.entries(attempts).flatMap(([name, attempt]) => {
      try {
        attempt();
        return [name];
      } catch {
        return [];
      }
    });
  });
  assert.deepEqual(allowed, []);
  await assert.rejects(page.evaluate(`trustedTypes.createPolicy('loom', {})`), 'no policy can be made');
  assert.equal(await ranIn(page), undefined);
  assert.deepEqual(canary.asked, []);
}

/** Returns the value set by a script that ran, if any did. */
function ranIn(page: Page): Promise<unknown> {
  return page.evaluate((): unknown => Reflect.get(window, 'ran'));
}

/** Puts markup into the document as it is, as no part of the page ever does. Returns the number of refusals. */
function insert(page: Page, texts: readonly string[]): Promise<number> {
  return page.evaluate((markups) => {
    let refused = 0;
    for (const markup of markups) {
      const place = document.createElement('div');
      document.body.append(place);
      try {
        place.innerHTML = markup;
      } catch {
        refused += 1;
      }
    }
    return refused;
  }, texts);
}

/** Opens everything and points at everything, as a reader would. Returns the number of characters. */
function touch(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const feed = document.querySelector('[role=feed]') ?? document.body;
    for (const fold of feed.querySelectorAll<HTMLElement>('button[aria-expanded=false]')) fold.click();
    await new Promise((resolve) => void setTimeout(resolve, 100));
    for (const element of feed.querySelectorAll('*')) {
      for (const type of ['mouseover', 'pointerenter', 'focus', 'animationstart', 'toggle', 'load', 'error']) {
        element.dispatchEvent(new Event(type));
      }
    }
    return feed.textContent.length;
  });
}

/** Finds elements and attributes that must not be in the conversation as it is drawn. */
function findDanger(page: Page): Promise<{ tags: string[]; handlers: string[]; addresses: string[] }> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll('[role=feed] *')];
    const attributes = elements.flatMap((element) => [...element.attributes]);
    const loading = ['src', 'srcset', 'action', 'poster', 'data', 'background', 'style'];
    return {
      tags: elements
        .map(({ localName }) => localName)
        .filter((name) =>
          /^(?:script|iframe|object|embed|link|meta|style|video|audio|base|template|math|marquee|frame|image|use)$/u.test(
            name,
          ),
        ),
      handlers: attributes.filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
      addresses: attributes
        .filter(
          ({ name, value }) =>
            (name === 'href' && !/^(?:https?:\/\/|mailto:|\/)/u.test(value)) ||
            (loading.includes(name) && /:/u.test(value) && /url|https?:|data:|javascript:/iu.test(value)),
        )
        .map(({ value }) => value),
    };
  });
}
