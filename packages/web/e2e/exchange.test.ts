import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { makeHome } from './testing/agent-sessions.ts';
import { noBrowser } from './testing/chromium.ts';
import { judge } from './testing/judge.ts';
import { eventually, frames, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';
import { ServedLoom } from './testing/served-loom.ts';

// The tests tell one story, in order: the others read the first one's import.
const home = makeHome(after);
const started = noBrowser === false ? ServedLoom.start({ after }, { env: { HOME: home } }) : undefined;

async function open(t: TestContext, path?: string): Promise<OpenedPage> {
  const served = await started;
  return openPage(t, { ...(served === undefined ? {} : { served }), ...(path === undefined ? {} : { path }) });
}

async function rootsOf({ ask }: OpenedPage): Promise<Map<string, string>> {
  const { items } = await ask('root.list', {});
  return new Map(items.map(({ id, opening }) => [opening, id]));
}

test(
  '[WB138] [WB139] the first visit counts the own sessions, imports them, tells what came of it, and follows agents',
  { skip: noBrowser },
  async (t) => {
    const opened = await open(t);
    const { page, ask } = opened;
    await page.getByRole('heading', { name: 'Your conversations are already here' }).waitFor();
    await page.getByText('2 sessions in ~/.claude/projects').waitFor();
    assert.deepEqual((await ask('root.list', {})).items, [], 'it only counted');
    await judge(page, 'first-run');
    await page.getByRole('button', { name: 'Import 2 sessions of Claude Code' }).click();
    const words = '3 conversations imported, 1 of them not complete: its file ends in the middle of a line.';
    await page.locator('.import-ended', { hasText: words }).waitFor();
    assert.equal((await rootsOf(opened)).size, 3, 'two sessions, and the sub-agent of one');
    await page.locator('.import-ended').getByRole('button', { name: 'Report' }).click();
    const report = page.getByRole('dialog', { name: 'Import of Claude Code' });
    await report.getByRole('row', { name: 'Conversations 3' }).waitFor();
    await report.getByText('cut off').waitFor();
    await judge(page, 'import-report');
    await report.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Import 1 session of Codex' }).click();
    await eventually(
      () => ask('source.list', {}),
      ({ items }) => items.every(({ sessions, imported }) => sessions === imported),
    );
    await page.getByRole('switch', { name: 'Follow agents while they work' }).click();
    await eventually(
      () => ask('source.list', {}),
      ({ following }) => following,
    );
    const boat = (await rootsOf(opened)).get('How long is the boat?') ?? assert.fail();
    const line = {
      timestamp: '2026-11-15T10:05:00.000Z',
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And how wide?' }] },
    };
    const file = 'rollout-2026-11-15T10-00-00-019a8000-0000-7000-8000-000000000003.jsonl';
    appendFileSync(join(home, '.codex/sessions/2026/11/15', file), `${JSON.stringify(line)}\n`);
    await eventually(
      async () => JSON.stringify(await ask('tree.subtree', { top: boat })),
      (tree) => tree.includes('And how wide?'),
    );
    const { items } = await ask('tree.subtree', { top: boat });
    await ask('node.remove', { node: items[0]?.id ?? '' });
    const next = { ...line, payload: { ...line.payload, content: [{ type: 'input_text', text: 'And how high?' }] } };
    appendFileSync(join(home, '.codex/sessions/2026/11/15', file), `${JSON.stringify(next)}\n`);
    await eventually(
      () => ask('source.list', {}),
      ({ remarks }) => remarks.length > 0,
    );
    await page.getByRole('button', { name: 'Open my conversations' }).click();
    await page.waitForURL(/\/r\/root-/u);
    await page.goto('/settings/import');
    await page.getByText(/1 new message is hidden below .*, which was deleted in Loom/u).waitFor();
  },
);

test(
  '[WB140] [WB145] where a conversation came from is told in the list, at its messages and in the inspector; sub-agents open from their calls',
  { skip: noBrowser },
  async (t) => {
    const opened = await open(t);
    const { page } = opened;
    const tides = (await rootsOf(opened)).get('When can I walk to the island?') ?? assert.fail();
    await page.goto(`/r/${encodeURIComponent(tides)}`);
    // By then the message field has taken the focus, as it does on a fresh page.
    await page.getByText('imported from Claude Code').first().waitFor();
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    const row = page.getByRole('navigation').getByRole('link', { name: /When can I walk/u });
    const card = page.getByRole('tooltip').getByText('Claude Code');
    // A row that the list draws anew at that moment, after an import, loses its card.
    for (; !(await card.isVisible()); await frames(page, 20)) await row.press('Space');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Block' }).click();
    const inspector = page.getByRole('tabpanel');
    await inspector.getByText('/home/me/tides', { exact: true }).waitFor();
    await inspector.getByText(/7a1d0000-0000-4000-8000-000000000001\.jsonl$/u).waitFor();
    await judge(page, 'imported-conversation');
    await page
      .getByRole('feed')
      .getByRole('button', { name: /Look up the table/u })
      .click();
    await page.getByText('At 16:20.').waitFor();
    await page.getByRole('link', { name: 'Open as a conversation' }).click();
    await page.waitForURL(
      (url) => /\/r\/root-/u.test(url.pathname) && !url.pathname.includes(encodeURIComponent(tides)),
    );
    await page.getByRole('feed').getByText('When is low water?').waitFor();
    // The list does not include it; the conversation that started it is one step away.
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: /When can I walk/u }).waitFor();
    assert.equal(await list.getByRole('link', { name: /Look up the table|When is low water/u }).count(), 0);
    await page.reload();
    await page.getByRole('link', { name: 'Sub-agent' }).click();
    await page.waitForURL((url) => url.pathname.includes(encodeURIComponent(tides)));
    await page
      .getByRole('feed')
      .getByRole('button', { name: /Look up the table/u })
      .waitFor();
  },
);

test(
  '[WB141] an export that is dropped on the page is imported; what is no history is told as such',
  { skip: noBrowser },
  async (t) => {
    const opened = await open(t);
    const { page } = opened;
    const drop = async (name: string, text: string, where = page.getByRole('main')): Promise<void> => {
      const dropped = await page.evaluateHandle(
        ([name, text]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text ?? ''], name ?? '', { type: 'application/json' }));
          return transfer;
        },
        [name, text],
      );
      await where.dispatchEvent('dragover', { dataTransfer: dropped });
      await where.dispatchEvent('drop', { dataTransfer: dropped });
    };
    const chat = {
      messages: [
        { role: 'user', content: 'Is tea better cold?' },
        { role: 'assistant', content: 'Some is.' },
      ],
    };
    await drop('chats.jsonl', `${JSON.stringify(chat)}\n`);
    const report = page.getByRole('dialog', { name: 'Import of chats.jsonl' });
    await report.getByText('1 conversation imported.').waitFor();
    const tea = (await rootsOf(opened)).get('Is tea better cold?') ?? assert.fail();
    await report.getByRole('button', { name: 'Open it' }).click();
    await page.waitForURL((url) => url.pathname.includes(encodeURIComponent(tea)));
    await drop('shopping.json', '{"milk": 2}');
    const unknown = page.getByRole('dialog', { name: 'Import of shopping.json' });
    await unknown.getByText('This is no history that Loom can read. Nothing was imported.').waitFor();
    await unknown.getByRole('button', { name: 'Done' }).click();
    const before = (await rootsOf(opened)).size;
    await drop('notes.json', '{"eggs": 6}', page.getByRole('textbox', { name: 'Message' }));
    await page.getByRole('button', { name: 'Remove notes.json' }).waitFor();
    assert.equal((await rootsOf(opened)).size, before, 'on the message field it is attached');
  },
);

test(
  '[WB142] a branch or a whole conversation is saved as a file, and goes on in another program',
  { skip: noBrowser },
  async (t) => {
    const opened = await open(t);
    const { page, ask } = opened;
    const tides = (await rootsOf(opened)).get('When can I walk to the island?') ?? assert.fail();
    await page.goto(`/r/${encodeURIComponent(tides)}`);
    const first = page.getByRole('feed').locator('.message-header').first();
    await first.hover();
    await first.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await judge(page, 'export');
    const save = async (): Promise<{ name: string; text: string }> => {
      const waiting = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Save' }).click();
      const download = await waiting;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const branch = await save();
    assert.match(branch.name, /\.md$/u);
    assert.match(branch.text, /walk to the island/u);
    assert.doesNotMatch(branch.text, /back at 17:30/u, 'the branch ends at the message');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('>export');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Whole conversation').check({ force: true });
    await dialog.getByLabel('OpenAI messages').check();
    const whole = await save();
    assert.match(whole.name, /openai\.json$/u);
    assert.match(whole.text, /back at 17:30/u);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('>continue in');
    await page.keyboard.press('Enter');
    const sessions = page.getByRole('dialog', { name: 'Continue in another program' });
    await sessions.getByText(/^cd \/home\/me\/tides && claude --resume /u).waitFor();
    await judge(page, 'continue');
    await sessions.getByLabel('Codex').check({ force: true });
    await sessions.getByText(/^cd \/home\/me\/tides && codex /u).waitFor();
    const { config } = await ask('root.get', { root: tides });
    assert.ok(JSON.stringify(config['exported']).includes('codex'), 'what the session is called there is known');
  },
);

test(
  '[WB430] secrets in what is saved are listed before, none of them whole, and replaced or kept',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
    const { root } = await ask('root.create', {});
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: `Push with ${token}` }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const first = page.getByRole('feed').locator('.message-header').first();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    for (const [choice, isKept] of [
      ['Replace by ••••', false],
      ['Save as it is', true],
    ] as const) {
      await first.hover();
      await first.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Export…' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('ghp…3fG5').waitFor();
      assert.doesNotMatch((await dialog.textContent()) ?? '', new RegExp(token, 'u'));
      const waiting = page.waitForEvent('download');
      await dialog.getByRole('button', { name: choice }).click();
      const text = readFileSync(await (await waiting).path(), 'utf8');
      assert.equal(text.includes(token), isKept);
      assert.match(text, isKept ? /Push with ghp_/u : /Push with ••••/u);
      await dialog.waitFor({ state: 'detached' });
    }
  },
);
