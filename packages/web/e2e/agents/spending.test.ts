import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { standInAgent } from '../testing/stand-in-agent.ts';

test(
  '[WB656] [WB657] a limit that is set in the settings stops an agent in the middle of its turn; the question is worded in the list, on the board and in the conversation, and an approval lets it go on',
  { skip: noBrowser },
  async (t) => {
    const { env, folder } = standInAgent(t);
    const { page, ask } = await openPage(t, { isAlone: true, env, path: '/settings/models' });
    const limits = page.getByRole('group', { name: 'Spending limits' });
    const ofTurn = limits.getByRole('textbox', { name: 'A turn' });
    await ofTurn.fill('two');
    await limits.getByText('An amount in dollars, such as 2.50.').waitFor();
    await ofTurn.fill('0.2');
    await ofTurn.press('Enter');
    await page.getByText('Loom asks at $0.20 for a turn.').waitFor();
    await limits.getByLabel('A day (UTC)').fill('50');
    await ofTurn.focus();
    await page.getByText('Loom asks at $50.00 for a day.').waitFor();
    const kept = async (): Promise<unknown> => {
      const { items } = await ask('setting.list', {});
      const set = items.filter(({ key, value }) => key.startsWith('limits.') && value !== undefined);
      return Object.fromEntries(set.map(({ key, value }) => [key, value]));
    };
    assert.deepEqual(await kept(), { 'limits.turn_usd': 0.2, 'limits.day_usd': 50 });
    await limits.getByLabel('A day (UTC)').fill('');
    await ofTurn.focus();
    await page.getByText('There is no limit for a day.').waitFor();
    assert.deepEqual(await kept(), { 'limits.turn_usd': 0.2 });

    const { root } = await ask('root.create', { config: { directory: folder } });
    const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'spend' }] });
    await ask('turn.start', { node: nodes[0] ?? '', provider: 'claude', model: 'default' });
    const { items } = await eventually(
      () => ask('turn.waiting', {}),
      ({ items: calls }) => calls.length === 1,
    );
    assert.equal(items[0]?.tool, 'spending-limit');
    const said = 'This turn has cost $0.30, and the limit of a turn is $0.20.';

    // In the list of what needs a person, in words and without the data behind it.
    await page.goto('/needs-you');

    const card = page.getByRole('group', { name: 'Spend beyond the limit?' });
    await card.getByText(said).waitFor();
    assert.equal(await card.getByText('{').count(), 0);
    assert.equal(await card.getByRole('button', { name: 'Change arguments…' }).count(), 0);

    await page.goto('/agents');
    const row = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
    await row.getByText(said).first().waitFor();
    await row.getByRole('button', { name: 'Decide…' }).click();
    await row.getByRole('group', { name: 'Spend beyond the limit?' }).getByText(said).waitFor();

    // In the conversation the answer says it, below the command that was stopped.
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('group', { name: 'The spending limit is reached' }).getByText(said).waitFor();

    await page.goto('/needs-you');
    await card.locator('button[aria-disabled=false]', { hasText: 'Spend as much again' }).click();
    const { items: turns } = await eventually(
      () => ask('turn.list', { root }),
      ({ items: all }) => all.length === 2 && all.every(({ ended }) => ended !== undefined),
    );
    assert.deepEqual(new Set(turns.map(({ ended }) => ended)), new Set(['done', 'limit']));
  },
);
