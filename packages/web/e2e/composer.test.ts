import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const field = ({ page }: OpenedPage) => page.getByRole('textbox', { name: 'Message' });

async function rootOf({ page }: OpenedPage): Promise<string> {
  await page.waitForURL(/\/r\/root-/u);
  return decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
}

/** Returns the stored messages of a conversation, a line each. */
async function linesOf({ ask }: OpenedPage, root: string): Promise<string[]> {
  const { items } = await ask('tree.subtree', { top: root });
  return items.map(({ message: { role, content } }) => {
    const parts = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
    return `${role}: ${parts.join(' + ')}`;
  });
}

async function say(opened: OpenedPage, text: string, keys = 'Enter'): Promise<void> {
  await field(opened).fill(text);
  await field(opened).press(keys);
}

test(
  '[WB84] Enter steers and Alt+Enter queues while a model is at work; what waits can be taken back; Escape returns it',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    await say(opened, 'wait 30 seconds');
    const root = await rootOf(opened);
    await eventually(
      () => opened.ask('turn.list', { root, live: true }),
      ({ items }) => items.length === 1,
    );
    await field(opened).and(page.getByPlaceholder('Steer the model while it works')).waitFor();
    await say(opened, 'first in the queue', 'Alt+Enter');
    await say(opened, 'second in the queue', 'Alt+Enter');
    await say(opened, 'hurry up');
    await page.getByText('Steering: hurry up').waitFor();
    await page.getByText('Queued: first in the queue').waitFor();
    // Taken back to be changed, and queued again.
    await page.getByText('Queued: second in the queue').click();
    await eventually(
      () => field(opened).inputValue(),
      (text) => text === 'second in the queue',
    );
    await page.getByText('Queued: second in the queue').waitFor({ state: 'detached' });
    await field(opened).fill('');
    await page.getByRole('button', { name: 'Remove from the queue' }).last().click();
    await page.getByText('hurry up').waitFor({ state: 'detached' });
    await field(opened).press('Escape');
    await eventually(
      () => opened.ask('turn.list', { root, live: true }),
      ({ items }) => items.length === 0,
    );
    await eventually(
      () => field(opened).inputValue(),
      (text) => text === 'first in the queue',
    );
    assert.deepEqual(
      (await linesOf(opened, root)).filter((line) => line.startsWith('user')),
      ['user: wait 30 seconds'],
      'nothing that waited was said',
    );
  },
);

test(
  '[WB73] [WB74] a draft with a file survives a reload and is appended without an answer',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    await field(opened).fill('Look at this');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('M2 and S2') },
    ]);
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    assert.equal(await field(opened).inputValue(), 'Look at this');
    await field(opened).press('Control+Enter');
    const root = await rootOf(opened);
    const lines = await eventually(
      () => linesOf(opened, root),
      (found) => found.length > 0,
    );
    assert.deepEqual(lines, ['user: [image] + From "notes.txt":\n\nM2 and S2 + Look at this']);
    assert.deepEqual((await ask('turn.list', { root })).items, [], 'no model was asked');
    await eventually(
      () => field(opened).inputValue(),
      (text) => text === '',
    );
    // With nothing in the field, Enter has the message answered that is there.
    await field(opened).press('Enter');
    await eventually(
      () => linesOf(opened, root),
      (found) => found.length === 2 && found[1]?.startsWith('assistant') === true,
    );
  },
);

test('[WB100] what is opened with a button takes the focus, and gives it back', { skip: noBrowser }, async (t) => {
  const { page } = await openPage(t);
  const button = page.getByRole('button', { name: /^Who answers/u });
  // Once it comes with its part of the page, and once that is there already.
  for (const times of ['at first', 'again']) {
    await button.press('Enter');
    await page.getByLabel('Find a model').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('terse');
    await page.getByRole('option', { name: /^demo:terse/u }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Find a model').waitFor({ state: 'detached' });
    // It was opened from the composer.
    await page.locator('#composer:focus').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, times);
  }
  await page.getByRole('button', { name: /^Tools/u }).press('Enter');
  await page.getByRole('dialog').getByRole('button').first().and(page.locator(':focus')).waitFor();
});

test(
  '[WB70] [WB82] two models answer side by side, one is chosen to go on; commands name the conversation',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    await page.getByRole('button', { name: /^Who answers/u }).click();
    await page.getByLabel('Several side by side').check();
    await page.getByLabel('Find a model').fill('terse');
    await page.getByRole('option', { name: /^demo:terse/u }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await say(opened, 'echo one two three');
    await page.waitForURL(/\/answers$/u);
    const root = await rootOf(opened);
    const turns = await eventually(
      () => ask('turn.list', { root }),
      ({ items }) => items.length === 2 && items.every(({ ended }) => ended === 'done'),
    );
    assert.deepEqual(turns.items.map(({ model }) => model).sort(), ['demo', 'terse']);
    await page.reload();
    const second = page.getByRole('region', { name: 'Answer 2 of 2' }).or(page.getByLabel('Answer 2 of 2')).first();
    await second.getByRole('button', { name: 'Continue with this' }).click();
    await say(opened, '/title Three words');
    await eventually(
      () => ask('root.get', { root }),
      ({ title }) => title === 'Three words',
    );
    await say(opened, 'and four', 'Control+Enter');
    const { nodes } = await eventually(
      () => ask('tree.recent_leaves', { root, limit: 1 }),
      ({ nodes: [leaf] }) => leaf?.message.role === 'user',
    );
    const parent = await ask('node.get', { node: nodes[0]?.parent_id ?? '' });
    const { source_info: source } = parent.metadata;
    assert.equal(source.type === 'model' && source.model_name, 'terse', 'it goes on from the chosen answer');
  },
);

test(
  '[WB85] what is sent while the server is away is kept, and sent once when it is back, by the person who wrote it',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, served, whileAway } = opened;
    await say(opened, 'echo before');
    const root = await rootOf(opened);
    await eventually(
      () => linesOf(opened, root),
      (lines) => lines.length === 2,
    );
    await whileAway(async () => {
      await served.stop();
      await say(opened, 'echo while away', 'Control+Enter');
      await page.getByText('Waiting to be sent: echo while away').waitFor();
      await page.getByText('1 message is kept on this computer').waitFor();
      await page.goto('about:blank');
    });
    await served.run();
    const rolesNow = async (): Promise<string> => {
      const outcome = await served.client.call('tree.subtree', { top: root });
      return outcome.ok ? outcome.value.items.map(({ message }) => message.role).join(' ') : '';
    };
    // Another person at the same browser neither sees nor sends it.
    const made = await served.client.call('token.create', { agent: 'jo', type: 'person', role: 'owner' });
    const { token } = z.object({ token: z.string() }).parse(made.ok ? made.value : undefined);
    await page.goto(`/r/${encodeURIComponent(root)}#code=${await served.clientOf(token).issueCode()}`);
    await say(opened, 'echo from Jo', 'Control+Enter');
    await eventually(rolesNow, (roles) => roles === 'user assistant user');
    assert.deepEqual((await linesOf(opened, root)).at(-1), 'user: echo from Jo');
    await page.goto('about:blank');
    await page.goto(`/#code=${await served.client.issueCode()}`);
    await eventually(rolesNow, (roles) => roles === 'user assistant user user');
    assert.ok((await linesOf(opened, root)).includes('user: echo while away'));
    await page.getByText('1 message is kept on this computer').waitFor({ state: 'detached' });
  },
);
