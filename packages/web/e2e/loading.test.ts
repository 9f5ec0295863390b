import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { noBrowser } from './testing/chromium.ts';
import { openPage } from './testing/open-page.ts';

/** In kilobytes, as they come over the wire. */
const mostBeforePaint = 200;

test(
  '[WB136] little is loaded before the first paint; a part that could not be loaded says so and can be tried again',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { allowed: /Failed to load resource|Failed to fetch dynamically/u });
    const part = '**/assets/ComponentsPage*.js';
    await page.route(part, (route) => route.abort());
    const { root } = await ask('root.create', {});
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'What was said' }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('feed').getByText('What was said').waitFor();
    const names = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity;
      const loaded = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
      return loaded.map(({ name }) => name).filter((name) => name.endsWith('.js'));
    });
    assert.ok(names.length > 0);
    let size = 0;
    for (const name of names) size += gzipSync(await (await page.request.get(name)).body()).byteLength / 1000;
    assert.ok(size <= mostBeforePaint, `${Math.round(size)} KB of JavaScript come before the first paint`);
    await page.goto('/components');
    await page.getByRole('alert').getByText('could not be loaded').waitFor();
    await page.unroute(part);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Components' }).waitFor();
  },
);
