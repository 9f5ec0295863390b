import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

/** Says something to the demo model, and returns the conversation. */
async function begin({ ask }: OpenedPage, content: string, tools: string[], directory?: string): Promise<string> {
  const { root } = await ask('root.create', directory === undefined ? {} : { config: { directory } });
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await ask('turn.start', { node: nodes.at(-1) ?? root, provider: 'demo', model: 'demo', tools });
  return root;
}

const madeToken = z.object({ token: z.string() });

const addressOf = (root: string): string => `/r/${encodeURIComponent(root)}`;

/** A button of a card, once it acts. */
const ready = (page: Page, words: string) => page.locator('button[aria-disabled=false]', { hasText: words });

/** Returns the decisions about the calls of a conversation once its turn is over. */
async function decisions({ ask }: OpenedPage, root: string) {
  await eventually(
    () => ask('turn.list', { root }),
    ({ items }) => items.length > 0 && items.every(({ ended }) => ended !== undefined),
  );
  const { items } = await ask('tree.subtree', { top: root });
  return items.flatMap(({ message, decided }) => (message.role === 'tool' ? [decided] : []));
}

test(
  '[WB207] several questions are answered in one card, by keys and by the mouse, with choices and own words',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const root = await begin(opened, 'ask me three things', ['ask_person']);
    await page.goto(addressOf(root));
    const card = page.getByRole('group', { name: '3 questions' });
    await card.getByRole('checkbox', { name: 'Warp' }).check();
    await card.getByText('1 of 3 answered').waitFor();
    // The answer begun before is still there when the card comes back.
    await page.getByRole('navigation').getByRole('link', { name: 'Bookmarks' }).click();
    await page.goBack();
    await card.getByRole('checkbox', { name: 'Warp', checked: true }).waitFor();
    await ready(page, 'Skip').waitFor();
    await card.getByRole('checkbox', { name: 'Fringe' }).focus();
    await page.keyboard.press('Space');
    await card.getByRole('textbox', { name: 'Which threads' }).fill('and the hem');
    // Enter goes to the next question that is open, as long as there is one.
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Now');
    await page.keyboard.press('ArrowDown');
    await card.getByRole('radio', { name: 'Tonight', checked: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('A sail');
    await card.getByText('3 of 3 answered').waitFor();
    await page.keyboard.press('Enter');
    const [decided] = await decisions(opened, root);
    assert.deepEqual(decided?.answers, [
      { chosen: ['Warp', 'Fringe'], text: 'and the hem' },
      { chosen: ['Tonight'] },
      { text: 'A sail' },
    ]);
    await page
      .getByRole('feed')
      .getByRole('button', { name: /^Ask Which threads/u })
      .click();
    await page.getByText(/^Answered by you at/u).waitFor();
    await page.getByRole('definition').filter({ hasText: 'Warp, Fringe, and the hem' }).waitFor();
    await page.getByRole('term').filter({ hasText: 'When should I begin?' }).waitFor();

    // Own words take the place of the one choice.
    const one = await begin(opened, 'ask me something', ['ask_person']);
    await page.goto(addressOf(one));
    await page.getByRole('radio', { name: 'Blue' }).check();
    await page.getByRole('textbox', { name: 'Answer to: Which colour' }).fill('green');
    assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
    await ready(page, 'Send answer').click();
    assert.deepEqual((await decisions(opened, one))[0]?.answers, [{ text: 'green' }]);
  },
);

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.closest('label')?.textContent?.slice(0, 3) ?? '');
}

test(
  '[WB208] always shows the rule that is stored and where it holds; Esc goes back; the rule holds from then on and is told',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const root = await begin(opened, 'ask for permission yourself', [], '/home/user/tides');
    await page.goto(addressOf(root));
    await ready(page, 'Always allow…').click();
    const rule = page.getByRole('group', { name: 'Always allow' });
    await rule.getByText('Always allow tidy_up to run tidyanything. Anything else still asks.').waitFor();
    await rule.getByText('As it is stored').click();
    await rule.getByText('"rule": "Tidy(threads:*)"').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Always allow…' }).waitFor();
    await page.keyboard.press('Enter');
    await rule.getByRole('radio', { name: 'Always in tides', checked: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await ready(page, 'Allow and remember').click();
    const [decided] = await decisions(opened, root);
    const stored = { tool: 'tidy_up', command: 'tidy *', effect: 'allow', provider: { rule: 'Tidy(threads:*)' } };
    assert.deepEqual([decided?.scope, decided?.rules], ['anywhere', [stored]]);
    await page
      .getByRole('feed')
      .getByRole('button', { name: /^tidy_up/u })
      .click();
    await page.getByText(/^Allowed by you at \S+ [AP]M, always and in any folder$/u).waitFor();

    // Without a folder a rule holds in the conversation, unless the reader wants more.
    const twice = await begin(opened, 'call run_command {"command":"ls"}', ['run_command']);
    await page.goto(addressOf(twice));
    await ready(page, 'Always allow…').click();
    await rule.getByRole('radio', { name: 'In this conversation', checked: true }).waitFor();
    assert.equal(await rule.getByRole('radio').count(), 2);
    await ready(page, 'Allow and remember').click();
    await decisions(opened, twice);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('call run_command {"command":"ls"}');
    await field.press('Enter');
    await page.getByRole('feed').getByRole('group', { name: 'Run ls' }).nth(1).getByText('exit 0').waitFor();
  },
);

test(
  '[WB209] arguments are changed before a call runs; both are told; what is dangerous has no always',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const root = await begin(opened, 'run `ls -a`', ['run_command']);
    await page.goto(addressOf(root));
    await ready(page, 'Change arguments…').click();
    const field = page.getByRole('textbox', { name: 'Arguments, as JSON' }).and(page.locator(':focus'));
    await field.fill('{"command":');
    await page.getByRole('alert').filter({ hasText: 'not JSON yet' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Allow with these' }).getAttribute('aria-disabled'), 'true');
    await field.fill('{"command":"git status"}');
    await ready(page, 'Allow with these').click();
    const [decided] = await decisions(opened, root);
    assert.equal(decided?.arguments_changed, '{"command":"git status"}');
    const feed = page.getByRole('feed');
    await feed.getByRole('button', { name: /^Run ls -a/u }).click();
    await feed.getByText(/^Allowed by you at \S+ [AP]M, with other arguments$/u).waitFor();
    await feed.getByText('"command": "git status"').waitFor();
    await feed.getByText('working tree clean').first().waitFor();

    const danger = await begin(opened, 'run `rm -rf build`', ['run_command']);
    await page.goto(addressOf(danger));
    await ready(page, 'Allow once').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Always allow…' }).count(), 0);
  },
);

test(
  '[WB210] who may not allow a call is told who can, and may still deny it and answer questions',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const run = await begin(opened, 'run `ls`', ['run_command']);
    const question = await begin(opened, 'ask me something', ['ask_person']);
    const signIn = async (agent: string, role: 'reader' | 'writer'): Promise<void> => {
      const { token } = madeToken.parse(await ask('token.create', { agent, type: 'person', role }));
      await page.evaluate(
        ([own, name]) => {
          localStorage.setItem('loom-token', own ?? '');
          localStorage.setItem('loom-agent', name ?? '');
        },
        [token, agent],
      );
    };
    await signIn('rita', 'reader');
    await page.goto(addressOf(question));
    await page.getByText('Only those who may write here can answer this.').waitFor();
    await page.goto(addressOf(run));
    await page.getByText('Only an owner can allow this.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Deny…' }).count(), 0);
    await signIn('will', 'writer');
    await page.goto(addressOf(question));
    await page.getByRole('radio', { name: 'Undyed' }).check();
    await ready(page, 'Send answer').click();
    const [answered] = await decisions(opened, question);
    assert.deepEqual([answered?.by, answered?.answers], ['will', [{ chosen: ['Undyed'] }]]);
    await page.goto(addressOf(run));
    await page.getByText('Only an owner can allow this.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Allow once' }).count(), 0);
    await ready(page, 'Deny…').click();
    await page.getByRole('textbox', { name: 'What should it do instead?' }).fill('read the file');
    await page.keyboard.press('Enter');
    const [denied] = await decisions(opened, run);
    assert.deepEqual([denied?.decision, denied?.by, denied?.text], ['denied', 'will', 'read the file']);
  },
);
