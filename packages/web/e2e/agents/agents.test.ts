import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { standInAgent } from '../testing/stand-in-agent.ts';

test(
  '[WB294] [WB295] [WB296] [WB680] [WB681] [WB682] [WB683] [WB684] Claude Code is chosen in the picker, answers, is asked and goes on; the settings say what is installed and what is not',
  { skip: noBrowser },
  async (t) => {
    const { env } = standInAgent(t);
    const { page, ask } = await openPage(t, { isAlone: true, env });
    await page.getByRole('button', { name: /^Who answers/u }).click();
    const agents = page.getByRole('dialog', { name: 'Who answers' }).getByRole('group', { name: 'Agents' });
    await agents.getByRole('option', { name: /^Codex not found on this computer/u, disabled: true }).waitFor();
    await agents.getByRole('option', { name: /^Claude Code 9\.0\.0 your own command and login/u }).click();
    await page.getByRole('button', { name: 'Who answers: Claude Code opus' }).waitFor();
    await page.getByText('no folder: Claude Code gets an empty one for this conversation').waitFor();
    await page.getByRole('button', { name: 'Mode: Ask before changes' }).click();
    const modes = page.getByRole('menu', { name: 'Mode' });
    await modes.getByText('Also runs commands without asking, in its sandbox.').waitFor();
    await modes.getByText('Without a folder Claude Code works in an empty one that Loom makes').waitFor();
    assert.equal(await modes.locator('[aria-disabled]').count(), 0, 'its sandbox is its own');
    await page.keyboard.press('Escape');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('hello agent');
    await field.press('Enter');
    await page.getByText('You said hello agent.').first().waitFor();
    await page.getByRole('button', { name: 'Folder: scratch folder' }).waitFor();
    await page.waitForURL(/\/r\//u);
    const root = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    const { items } = await eventually(
      () => ask('turn.list', { root }),
      ({ items: turns }) => turns.length === 1 && turns[0]?.ended === 'done',
    );
    assert.deepEqual([items[0]?.provider, items[0]?.model], ['claude', 'opus']);

    await field.fill('/rev');
    await page.getByRole('option', { name: /^\/review/u }).click();
    await field.and(page.locator(':focus')).waitFor();
    assert.equal(await field.inputValue(), '/review ');

    await page.getByRole('button', { name: /^Who answers/u }).click();
    // The stand-in keeps no sessions.
    await page.getByText('Claude Code gets this branch as a session.').waitFor();
    await page.keyboard.press('Escape');

    // Its question is decided on the board.
    await field.fill('ask');
    await field.press('Enter');
    await eventually(
      () => ask('turn.waiting', {}),
      ({ items: calls }) => calls.length === 1,
    );
    await page.getByText('went on in its own session').waitFor();
    await page.goto('/agents');
    const row = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
    await row.getByText('Claude Code · opus').waitFor();
    await row.getByRole('button', { name: 'Decide…' }).click();
    await row.locator('button[aria-disabled=false]', { hasText: 'Allow once' }).click();
    const board = await eventually(
      () => ask('board.list', { since: new Date(0).toISOString() }),
      ({ items: rows }) => rows[0]?.state === 'done',
    );
    assert.partialDeepStrictEqual(board.items[0], { last: { text: 'You said ask.' }, provider: 'claude' });

    await page.goto('/settings/agents');
    const claude = page.getByRole('region', { name: 'Claude Code' });
    await claude.getByText('Newer than tested').waitFor();
    await claude.getByRole('button', { name: 'Details of Claude Code' }).click();
    await claude.getByText('opus').waitFor();
    const codex = page.getByRole('region', { name: 'Codex' });
    await codex.getByText('Not installed').waitFor();
    await codex.getByText(/npm install/u).waitFor();
  },
);
