import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { judge } from '../testing/judge.ts';
import { openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** Made up, and put together here, so that no scanner takes them for real ones. */
const token = ['ghp', 'Zk3mQ8vT1xR6bW9nL4pY7sD2fG5hJ0cKaEuI'].join('_');
const other = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');

/** A conversation with a secret in words, in long output and in an earlier version. */
async function holdTalk(
  { ask, client }: OpenedPage,
  title: string,
): Promise<{ root: string; nodes: readonly string[] }> {
  const { root } = await ask('root.create', {});
  await ask('root.mark', { root, title });
  const output = `${'line of the output\n'.repeat(50)}token=${token}\n`;
  const blob = await client.putBlob(new TextEncoder().encode(output));
  const { nodes } = await ask('node.append', {
    parent: root,
    messages: [
      { role: 'user', content: `My token is ${other}.` },
      {
        role: 'assistant',
        content: [{ type: 'command', command: 'cat .npmrc', stdout: { blob, bytes: output.length, preview: 'line' } }],
      },
      { role: 'assistant', content: `It is ${token}.` },
    ],
  });
  await ask('node.edit', { node: nodes[0] ?? '', content: 'My token is gone.', mode: 'in-place' });
  return { root, nodes };
}

test(
  '[WB559] secrets of a conversation are listed by place, lead there, and are removed for good by keys alone',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await holdTalk(opened, 'Tides with keys');
    await page.goto(`/r/${root}`);
    await page.getByText(`It is ${token}.`).first().waitFor();
    const open = async (): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').first().fill('Look for secrets in this');
      await page.getByRole('option', { name: /^Look for secrets in this/u }).waitFor();
      await page.keyboard.press('Enter');
    };
    await open();
    const dialog = page.getByRole('dialog', { name: 'Secrets in “Tides with keys”' });
    await dialog.getByText('3 secrets found').waitFor();
    for (const place of [
      'GitHub token in an earlier version of a message of a person',
      'GitHub token in the long output of cat .npmrc',
      'GitHub token in an answer',
    ])
      await dialog.getByText(place).waitFor();
    const words = await dialog.innerText();
    for (const secret of [token, other]) assert.ok(!words.includes(secret));
    assert.match(words, /Not looked through: deleted messages/u);
    await judge(page, 'secrets');
    await dialog.getByRole('listitem').filter({ hasText: 'long output' }).getByRole('link', { name: 'Show' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL(/#/u);
    await open();
    await dialog.getByText('3 secrets found').waitFor();
    await dialog.getByRole('checkbox', { name: /^Choose all/u }).focus();
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Remove 3 blocks for good…' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Remove 3 blocks for good?' });
    // The safe button has the focus.
    await question.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await judge(page, 'secrets-question');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.ok(JSON.stringify(await ask('tree.subtree', { top: root })).includes('It is ghp'), 'nothing was removed');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Remove for good' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('No secrets found').waitFor();
    const left = JSON.stringify(
      await ask('node.path', { node: (await ask('tree.recent_leaves', { root })).nodes[0]?.id ?? '' }),
    );
    for (const secret of [token, other]) assert.ok(!left.includes(secret));
  },
);

test(
  '[WB559] secrets of all conversations are listed by conversation, and one is removed without the others',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, width: 360, height: 740 });
    const { page, ask } = opened;
    await holdTalk(opened, 'First tides');
    const second = await holdTalk(opened, 'Second tides');
    await page.goto('/');
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').first().fill('Look for secrets in all');
    await page.getByRole('option', { name: /^Look for secrets in all/u }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Secrets in all conversations' });
    await dialog.getByText('6 secrets found').waitFor();
    await judge(page, 'secrets-360');
    const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 360);
    const list = dialog.getByRole('region', { name: 'Second tides' });
    await list.getByRole('checkbox', { name: /in an answer/u }).check();
    await dialog.getByRole('button', { name: 'Remove 1 block for good…' }).click();
    await page
      .getByRole('dialog', { name: 'Remove 1 block for good?' })
      .getByRole('button', { name: 'Remove for good' })
      .click();
    await dialog.getByText('5 secrets found').waitFor();
    const text = JSON.stringify(await ask('tree.subtree', { top: second.root }));
    assert.ok(!text.includes('It is ghp'));
  },
);
