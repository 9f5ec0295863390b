import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { noBrowser } from './testing/chromium.ts';
import { openPage } from './testing/open-page.ts';
import { begin } from './testing/begin.ts';

test(
  '[WB117] a text on another branch is found by filter and by pattern, and the page goes to its block',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root, nodes } = await begin(ask, 'The window is 24 h', 'Nothing of it here');
    const [top = ''] = nodes;
    const other = await ask('node.append', {
      parent: top,
      messages: [
        { role: 'assistant', content: [{ type: 'thinking', text: 'if the window is 25 h\nthe tide is lost' }] },
      ],
    });
    await begin(ask, 'Another conversation about windows');
    await page.goto(`/r/${root}/${nodes[1]?.split('/')[1]}`);
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search everything' });
    await field.pressSequentially('ki');
    await page.keyboard.press('Tab');
    await field.pressSequentially('thinking /window is \\d+ h/');
    const option = page.getByRole('option', { name: /window is 25 h/u });
    await option.waitFor();
    await page.getByRole('group', { name: 'Without the filters' }).getByRole('option').waitFor();
    assert.equal(await page.getByRole('option').count(), 2, 'one with the filter, one without');
    await option.and(page.locator('[aria-selected=true]')).waitFor();
    assert.equal(await option.locator('mark').textContent(), 'window is 25 h');
    await option.getByText('Thinking').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/${other.nodes[0]?.split('/')[1]}#`, 'u'));
    const { message } = await ask('node.get', { node: other.nodes[0] ?? '' });
    const block = message.content[0]?.block_id ?? '';
    assert.equal(decodeURIComponent(new URL(page.url()).hash.slice(1)), block.slice(root.length + 1));
    await page
      .getByRole('feed')
      .getByText(/Thought|Thinking/u)
      .first()
      .waitFor();
    assert.equal(await page.getByRole('feed').getByText('Nothing of it here').count(), 0);

    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'kind:thinking /window is \\d+ h/' }).waitFor();
    await page.keyboard.type('in:this conversation');
    await page.getByText('No block has “conversation”.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter in:this' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('> new conv');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
  },
);

test(
  '[WB118] in 6,000 blocks a word is found whatever its case, and that there is nothing is said only when everything was searched',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    let tip: string = root;
    for (let at = 0; at < 6_000; at += 1_000) {
      const messages = Array.from({ length: 1_000 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: `Message ${at + index}. ${'Words that fill a line or two. '.repeat(index % 5)}${at + index === 2_345 ? 'An Overcast sky' : ''}`,
      }));
      tip = (await ask('node.append', { parent: tip, messages })).nodes.at(-1) ?? tip;
    }
    await page.goto(`/r/${root}`);
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search everything' });
    await field.pressSequentially('overcast');
    const option = page.getByRole('option', { name: /An Overcast sky/u });
    await option.waitFor();
    assert.equal(await option.locator('mark').textContent(), 'Overcast');
    await page.getByText(/^1 block in 1 conversation · /u).waitFor();
    // Every block has it: three are shown, all are counted.
    await field.fill('MESSAGE');
    await page.getByText('3 of 6,000 blocks').waitFor();
    assert.equal(await page.getByRole('option').locator('mark').count(), 3);
    await field.fill('overcost');
    await page.getByText('No block has “overcost”.').waitFor();
    await page.getByText(/^Searched .*, on every branch, including thinking and tools\.$/u).waitFor();
    // A search that stops on the way does not say so.
    await page.route('**/kernel.search', async (route) => {
      const answer = await route.fetch();
      const body = z.looseObject({ value: z.looseObject({}) }).parse(await answer.json());
      const isOn = route.request().postData()?.includes('"from"') === true;
      const part = { complete: false, truncated: true, next: 'place', searched: { conversations: 3, of: 411 } };
      await route.fulfill({ response: answer, json: isOn ? body : { ...body, value: { ...body.value, ...part } } });
    });
    await field.fill('overcast sky is nowhere');
    await page.getByText('Searched 3 of 411 conversations.').waitFor();
    assert.equal(await page.getByText(/No block has/u).count(), 0);
    await page.getByRole('button', { name: 'Search the rest' }).waitFor();
  },
);
