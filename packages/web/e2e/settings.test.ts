import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { z } from 'zod';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import { ServedLoom } from './testing/served-loom.ts';

// The first test leaves no conversation behind, so that the second one is at a first visit, too.
const started = noBrowser === false ? ServedLoom.start({ after }) : undefined;

async function options(): Promise<{ served?: ServedLoom }> {
  const served = await started;
  return served === undefined ? {} : { served };
}

const providerList = z.object({ items: z.array(z.object({ name: z.string(), key: z.string(), usable: z.boolean() })) });
const rightKey = 'sk-proj-right-key-of-the-test';

test(
  '[WB80] [WB86] [WB214] the first visit: a wrong key is not kept, a right one is, and is never shown again',
  { skip: noBrowser },
  async (t) => {
    const keys: string[] = [];
    const emulator = createServer((request, response) => {
      const key = request.headers.authorization ?? '';
      keys.push(key);
      response.writeHead(key === `Bearer ${rightKey}` ? 200 : 401, { 'content-type': 'application/json' });
      response.end('{"data":[{"id":"gpt-99","created":1795000000}]}');
    });
    await new Promise<void>((resolve) => void emulator.listen(0, '127.0.0.1', resolve));
    t.after(() => emulator.close());
    const address = z.custom<AddressInfo>().parse(emulator.address());
    const { page, ask } = await openPage(t, await options());
    await ask('setting.set', { key: 'providers.openai.baseURL', value: `http://127.0.0.1:${address.port}/v1` });
    const openai = async () =>
      providerList.parse(await ask('provider.list', { live: false })).items.find(({ name }) => name === 'openai');
    await page.getByLabel('API key').fill('sk-proj-wrong-key-of-the-test');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('It was not kept.').waitFor();
    assert.deepEqual(await openai(), { name: 'openai', key: 'none', usable: false });
    await page.getByLabel('API key').fill(rightKey);
    await page.getByLabel('API key').press('Enter');
    await eventually(openai, (found) => found?.key === 'file');
    await page.getByRole('button', { name: 'Who answers: gpt-5.4-mini' }).waitFor();
    assert.deepEqual(keys, ['Bearer sk-proj-wrong-key-of-the-test', `Bearer ${rightKey}`], 'each was asked for once');
    await page.getByRole('button', { name: 'Who answers: gpt-5.4-mini' }).click();
    await page.getByRole('option', { name: 'gpt-99' }).waitFor();
    assert.equal(keys.length, 3, 'the picker shows what the provider lists');
    await page.goto('/settings/models');
    const provider = page.getByRole('region', { name: 'OpenAI' });
    await provider.getByText('Not checked').waitFor();
    assert.ok(!(await page.content()).includes(rightKey), 'the page does not know it any more');
    await provider.getByRole('button', { name: 'Check', exact: true }).click();
    await provider.getByText('Works').waitFor();
    await provider.getByRole('button', { name: 'Remove key' }).click();
    await eventually(openai, (found) => found?.key === 'none');
  },
);

test(
  '[WB86] the sample forest is a conversation like any other; what is liked is kept',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { ...(await options()), width: 360, height: 740 });
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForURL(/\/r\/root-/u);
    const root = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    const sample = await ask('root.get', { root });
    assert.deepEqual([sample.branches, sample.bookmarks.length], [3, 1]);
    await page.getByRole('feed').getByText('Warmer flour, less yeast.').waitFor();
    await page.goto('/settings/general');
    await page.getByRole('switch', { name: 'Letter keys' }).click();
    await page.getByLabel('Dark').check();
    await page.reload();
    assert.equal(await page.getByRole('switch', { name: 'Letter keys' }).getAttribute('aria-checked'), 'false');
    assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark');
    await page.goto('/settings/presets');
    await page.getByLabel('Name of the preset').fill('quick');
    await page.getByLabel('Model of the preset').selectOption('demo:terse');
    await page.getByRole('button', { name: 'Add preset' }).click();
    const presets = z.object({ items: z.array(z.object({ name: z.string(), model: z.string() })) });
    const { items } = await eventually(
      async () => presets.parse(await ask('preset.list', {})),
      (found) => found.items.length === 1,
    );
    assert.deepEqual([items[0]?.name, items[0]?.model], ['quick', 'demo:terse']);
  },
);
