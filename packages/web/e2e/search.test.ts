import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    assert.equal(await option.getAttribute('aria-selected'), 'true');
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
    await page.getByText('No block matches “conversation”.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter in:this' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('> new conv');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
  },
);
