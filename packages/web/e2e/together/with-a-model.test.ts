import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { violationsInAllLooks } from '../testing/axe.ts';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { shownText, textOf } from '../testing/written-texts.ts';

const anthropic = emulatedProviders.find(({ name }) => name === 'anthropic');

test(
  '[WB740] [WB741] [WB742] a model begins a draft and edits it while a person types: seen as it comes, and each edit is taken back from its card',
  { skip: noBrowser },
  async (t) => {
    assert.ok(anthropic !== undefined);
    let block = '';
    /** The steps that the model takes next, one call for each request. */
    const calls: { call: string; arguments: unknown }[] = [];
    let count = 0;
    const emulator = await startEmulator(anthropic.wire, () => {
      const next = calls.shift();
      if (next === undefined) return { said: [{ say: 'That is it for now.' }] };
      count += 1;
      return { said: [{ call: next.call, arguments: JSON.stringify(next.arguments), id: `call_${count}` }] };
    });
    t.after(() => emulator.close());
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `${emulator.url}${anthropic.path}` };
    const opened = await openPage(t, { isAlone: true, env });
    const { page, ask } = opened;
    const { root, nodes } = await begin(ask, 'Write the plan with me');
    const answer = async (node: string): Promise<void> => {
      const asked = { root, provider: 'anthropic', model: anthropic.model };
      const { items } = await ask('tool.list', { ...asked, offered: true, limit: 100 });
      const start = { node, provider: 'anthropic', model: anthropic.model, tools: items.map(({ name }) => name) };
      const { turns } = await ask('turn.start', start);
      await ask('turn.wait', { root, turn: turns[0] ?? '' });
    };
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Drafts', exact: true }).waitFor();
    calls.push({ call: 'draft_create', arguments: { title: 'Plan', text: 'First\nSecond\nThird\n' } });
    await answer(nodes.at(-1) ?? root);
    await page.getByText('began the draft “Plan”.').waitFor();
    await page.getByRole('button', { name: 'Drafts: 1, 1 changed' }).waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).press('Enter');
    const pane = page.getByRole('complementary', { name: 'Draft' });
    await pane.getByText(/^Saved/u).waitFor();
    await page.getByRole('button', { name: 'Drafts: 1', exact: true }).waitFor();
    block = (await ask('draft.list', { root })).drafts[0]?.block_id ?? '';
    const replace = { op: 'replace', start_line: 1, end_line: 2, content: 'Second, by the model' };
    calls.push(
      { call: 'block_read', arguments: { block_id: block } },
      { call: 'block_edit', arguments: { block_id: block, operations: [replace] } },
      { call: 'block_edit', arguments: { block_id: block, operations: [{ op: 'insert', line: 0, content: 'Zero' }] } },
    );
    const { nodes: more } = await ask('node.append', {
      parent: root,
      messages: [{ role: 'user', content: 'Go on' }],
    });
    await page.keyboard.press('Control+End');
    await Promise.all([answer(more[0] ?? root), page.keyboard.type('Fourth, by me')]);
    const both = 'Zero\nFirst\nSecond, by the model\nThird\nFourth, by me';
    await eventually(
      () => shownText(page),
      (text) => text === both,
    );
    assert.equal(await textOf(opened, block), both);
    await pane.getByText('2 changes by others').waitFor();
    // The cards say in words what was done, with the difference.
    await page.goto(`/r/${encodeURIComponent(root)}/${encodeURIComponent((more[0] ?? '').slice(root.length + 1))}`);
    const feed = page.getByRole('feed');
    await feed.getByText('“Plan”, line 2').waitFor();
    const card = feed.getByRole('group', { name: /^Edit/u }).filter({ hasText: '“Plan”, line 2' });
    await card.getByRole('button').first().press('Enter');
    await card.locator('ins').getByText('by the model').waitFor();
    assert.doesNotMatch(await card.innerText(), /block_id|operations/u);
    assert.deepEqual(await violationsInAllLooks(page), []);
    await card.getByRole('button', { name: 'Take back' }).press('Enter');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'Zero\nFirst\nSecond\nThird\nFourth, by me',
    );
    await card.getByText('taken back').waitFor();
    await card.getByRole('button', { name: 'Bring back' }).press('Enter');
    await eventually(
      () => textOf(opened, block),
      (text) => text === both,
    );
    // Closed, a draft that the model changes has a mark.
    await pane.getByRole('button', { name: 'Close the draft' }).press('Enter');
    calls.push({
      call: 'block_edit',
      arguments: { block_id: block, operations: [{ op: 'delete', start_line: 0, end_line: 1 }] },
    });
    const { nodes: last } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'And on' }] });
    await answer(last[0] ?? root);
    await page.getByRole('button', { name: 'Drafts: 1, 1 changed' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Plan · changed' }).press('Enter');
    await page.getByRole('button', { name: 'Drafts: 1', exact: true }).waitFor();
  },
);
