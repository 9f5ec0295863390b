import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { openPage } from './testing/open-page.ts';

test(
  '[WB211] a long output shows both ends while it runs; all of it is read a part at a time, and searched to its end',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    // 25 MB.
    const messages = [{ role: 'user' as const, content: 'run `seq 3200000`' }];
    const { nodes } = await ask('node.append', { parent: root, messages });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await ask('turn.start', { node: nodes[0] ?? root, provider: 'demo', model: 'demo', tools: ['run_command'] });
    await page.locator('button[aria-disabled=false]', { hasText: 'Allow once' }).click();
    const card = page.getByRole('feed').getByRole('group', { name: 'Run seq 3200000' });
    await card.getByText('running').waitFor();
    await card.getByRole('button', { name: /^Run/u }).first().click();
    await card.getByText(/^[\d.]+ MB hidden so far$/u).waitFor();
    await card.getByText(/^24\.5 MB hidden$/u).waitFor();
    const begins = card.getByLabel('how it begins');
    assert.equal(await begins.innerText(), '$ seq 3200000\n1\n2\n3\n4\n5\n6');
    assert.equal(await card.getByLabel('how it ends').innerText(), '3199998\n3199999\n3200000');
    await card.getByRole('button', { name: 'Show all 24.5 MB' }).click();
    const part = (number: number) => card.getByLabel(`part ${number} of 187, 24.5 MB in all`);
    await part(1).getByText('1\n2\n3\n').waitFor();
    await card.getByRole('button', { name: 'Later' }).click();
    await part(2).waitFor();
    await card.getByRole('spinbutton', { name: 'Part' }).fill('187');
    await part(187).getByText('3200000').waitFor();
    const field = card.getByRole('textbox', { name: 'Find in all of the output' });
    await field.fill('2718281');
    await field.press('Enter');
    const mark = card.locator('mark');
    await mark.filter({ hasText: /^2718281$/u }).waitFor();
    assert.ok(await mark.evaluate((element) => element.getBoundingClientRect().top < innerHeight));
    await field.fill('no such number');
    await field.press('Enter');
    await card.getByText('Not in any of 24.5 MB').waitFor();
    const drawn = await card.evaluate((element) => element.textContent.length);
    assert.ok(drawn < 200_000, `${drawn} characters of the output are in the document`);
    await card.getByRole('button', { name: 'Show less' }).click();
    await begins.waitFor();
  },
);
