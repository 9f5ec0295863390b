import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin } from './testing/begin.ts';
import { noBrowser } from './testing/chromium.ts';
import { openPage } from './testing/open-page.ts';

test(
  '[WB212] what was purged is called removed for good in its message, its call, the tree, the list and the title',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { isAlone: true });
    const { root, nodes } = await begin(ask, 'The password is hunter2');
    const call = { type: 'tool-use' as const, id: 'c', name: 'Bash', parameters: { command: 'echo hunter2' } };
    await ask('node.append', {
      parent: nodes[0] ?? '',
      messages: [
        { role: 'assistant', content: [call] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'printed' }] },
      ],
    });
    const { items } = await ask('tree.subtree', { top: root });
    const blocks = items.slice(0, 2).flatMap(({ message }) => message.content.map(({ block_id: id = '' }) => id));
    await ask('block.purge', { blocks, confirmed: true });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const words = 'Removed for good';
    await page.getByRole('feed').getByText(words).first().waitFor();
    await page
      .getByRole('feed')
      .getByRole('group', { name: `Run ${words}` })
      .waitFor();
    await page.getByRole('heading', { level: 1, name: words }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: words }).waitFor();
    await page.getByRole('treeitem', { name: words }).first().waitFor();
    assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /█|hunter2/u);
  },
);

test('[WB213] a conversation is archived from its menu, says so, and comes back', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openPage(t, { isAlone: true });
  const { root } = await begin(ask, 'An old conversation');
  await begin(ask, 'A current one');
  await page.goto(`/r/${encodeURIComponent(root)}`);
  const listed = page.getByRole('navigation').getByRole('link', { name: 'An old conversation' });
  await listed.hover();
  const archive = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for An old conversation' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await listed.waitFor({ state: 'detached' });
  };
  await archive();
  await page.getByRole('button', { name: 'Undo' }).click();
  await listed.hover();
  await archive();
  await page.reload();
  await page.getByRole('navigation').getByRole('link', { name: 'A current one' }).waitFor();
  assert.equal(await listed.count(), 0);
  await page.getByRole('button', { name: 'Unarchive' }).click();
  await listed.waitFor();
  assert.equal(await page.getByRole('button', { name: 'Unarchive' }).count(), 0);
});
