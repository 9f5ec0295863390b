import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { standInAgent } from '../testing/stand-in-agent.ts';

test(
  '[WB658] the tools of a provider are switched on for a conversation; where an agent answers, the panel says that it brings its own',
  { skip: noBrowser },
  async (t) => {
    const { env } = standInAgent(t);
    // Nothing listens there: the answer fails, and what it was asked with is kept.
    const baseURL = 'http://127.0.0.1:9/v1';
    const { page, ask } = await openPage(t, {
      isAlone: true,
      env: { ...env, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: baseURL },
    });
    await ask('setting.set', { key: 'defaults.model', value: 'openai/gpt-5.4-mini' });
    await page.reload();
    await page.getByRole('button', { name: 'Who answers: gpt-5.4-mini' }).waitFor();
    await page.getByRole('button', { name: /^Tools: \d+ on$/u }).click();
    const panel = page.getByRole('dialog', { name: 'Tools' });
    await panel.getByRole('switch', { name: 'Search the web, at openai', checked: false }).click();
    await panel.getByRole('switch', { name: 'Search the web, at openai', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('what is new?');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/r\//u);
    const root = decodeURIComponent(new URL(page.url()).pathname.slice('/r/'.length));
    const { config } = await ask('root.get', { root });
    assert.deepEqual(config['provider_tools'], ['web_search']);
    await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.length === 1 && JSON.stringify(items[0]?.settings).includes('web_search'),
    );

    await page.goto('/');
    await page.getByRole('button', { name: /^Who answers/u }).click();
    const agents = page.getByRole('dialog', { name: 'Who answers' }).getByRole('group', { name: 'Agents' });
    await agents.getByRole('option', { name: /^Claude Code/u }).click();
    await page.getByRole('button', { name: /^Who answers: Claude Code/u }).waitFor();
    await page.getByRole('button', { name: /^Tools/u }).click();
    await panel
      .getByText('Claude Code brings its own tools, and reads the instructions of the folder itself.')
      .waitFor();
    assert.equal(await panel.getByRole('switch', { name: /^Search the web/u }).count(), 0);
  },
);
