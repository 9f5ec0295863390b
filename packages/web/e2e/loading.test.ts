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
    const { page } = await openPage(t, { allowed: /Failed to load resource|Failed to fetch dynamically/u });
    await page.route('**/assets/PaletteDialog*.js', (route) => route.abort());
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const names = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity;
      const loaded = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
      return loaded.map(({ name }) => name).filter((name) => name.endsWith('.js'));
    });
    assert.ok(names.length > 0);
    let size = 0;
    for (const name of names) size += gzipSync(await (await page.request.get(name)).body()).byteLength / 1000;
    assert.ok(size <= mostBeforePaint, `${Math.round(size)} KB of JavaScript come before the first paint`);
    const palette = page.getByRole('dialog', { name: 'Search everything' });
    await page.keyboard.press('Control+k');
    await page.getByRole('alert').getByText('could not be loaded').waitFor();
    await page.unroute('**/assets/PaletteDialog*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await palette.waitFor();
  },
);
