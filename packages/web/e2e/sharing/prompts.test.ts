import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { begin } from '../testing/begin.ts';
import { judge } from '../testing/judge.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';
import { ServedLoom } from '../testing/served-loom.ts';

/** A home with a command file of Claude Code. */
function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'loom-prompts-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, '.claude/commands/git'), { recursive: true });
  const file =
    '---\ndescription: Commit what is staged\nargument-hint: [message]\nallowed-tools: Bash(git:*)\n---\nStatus: !`git status`\nCommit with $ARGUMENTS\n';
  writeFileSync(join(home, '.claude/commands/git/commit.md'), file);
  return home;
}

const started = noBrowser === false ? ServedLoom.start({ after }, { env: { HOME: makeHome() } }) : undefined;

async function open(t: TestContext, path = '/'): Promise<OpenedPage> {
  const served = await started;
  return openPage(t, { path, ...(served === undefined ? {} : { served }) });
}

test(
  '[WB561] prompts are written, renamed, deleted and brought back in the settings; files of Claude Code are only read',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await open(t, '/settings/prompts');
    const names = async (): Promise<string[]> =>
      (await ask('prompt.list', {})).items.filter(({ source }) => source === 'own').map(({ name }) => name);
    await page.getByRole('button', { name: 'New prompt…' }).click();
    const editor = page.getByRole('dialog', { name: 'New prompt' });
    await editor.getByRole('textbox', { name: /^Name/u }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('has a space');
    await editor.getByRole('alert').waitFor();
    assert.equal(await editor.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await editor.getByRole('textbox', { name: /^Name/u }).fill('review');
    await editor.getByRole('textbox', { name: /^Arguments/u }).fill('[file] [focus]');
    await editor.getByRole('textbox', { name: 'Text' }).fill('Review $1 with an eye on $2.');
    await judge(page, 'prompt-editor');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    assert.deepEqual(await names(), ['review']);
    const { text, argument_hint: hint } = await ask('prompt.get', { name: 'review', source: 'own' });
    assert.deepEqual([text, hint], ['Review $1 with an eye on $2.', '[file] [focus]']);
    await page.getByText('Review $1 with an eye on $2.').waitFor();
    await judge(page, 'prompts');
    await page.getByRole('button', { name: 'Edit /review' }).click();
    await page.getByRole('textbox', { name: /^Name/u }).fill('look');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit /look' }).waitFor();
    assert.deepEqual(await names(), ['look'], 'it is not there twice');
    await page.getByRole('button', { name: 'Delete /look' }).click();
    await eventually(names, (left) => left.length === 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(names, (left) => left.join() === 'look');
    // A file of another program.
    await page.getByText('Claude Code, read only').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete /git:commit' }).count(), 0);
    await page.getByRole('button', { name: 'View /git:commit' }).click();
    const viewer = page.getByRole('dialog', { name: '/git:commit' });
    assert.equal(await viewer.getByRole('textbox', { name: 'Text' }).isEditable(), false);
    await viewer.getByText('It asks for the tools Bash(git:*); Loom grants none.').waitFor();
    await viewer.getByRole('button', { name: 'Copy to my prompts…' }).click();
    await viewer.getByRole('textbox', { name: /^Name/u }).fill('commit');
    await viewer.getByRole('button', { name: 'Save' }).click();
    await eventually(names, (left) => left.join() === 'commit,look');
    await page.setViewportSize({ width: 360, height: 740 });
    await judge(page, 'prompts-360');
    const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 360);
    for (const name of await names()) await ask('prompt.remove', { name });
  },
);

test(
  '[WB566] a slash offers prompts; Enter puts the filled text into the field, and sends nothing',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await open(t);
    await ask('prompt.set', { name: 'review', text: 'Review $1 with an eye on $2.', argument_hint: '[file] [focus]' });
    await ask('prompt.set', { name: 'tldr', text: 'Sum it up in one line.' });
    const { root } = await begin(ask, 'hello');
    await page.goto(`/r/${root}`);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.and(page.locator(':focus')).waitFor();
    const count = async (): Promise<number> => (await ask('tree.subtree', { top: root })).items.length;
    await page.keyboard.type('/');
    const options = page.getByRole('listbox', { name: 'Commands' });
    await options.getByRole('option', { name: /^\/git:commit \[message\]/u }).waitFor();
    await page.keyboard.type('rev');
    await options.getByRole('option', { name: /^\/review \[file\] \[focus\]/u }).waitFor();
    await judge(page, 'prompt-slash');
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), '/review ');
    await page.keyboard.type('"src/a b.ts"');
    await page.keyboard.press('Enter');
    await page.getByText('Still to fill in: $2.').waitFor();
    assert.equal(await field.inputValue(), 'Review src/a b.ts with an eye on $2.');
    assert.equal(await count(), 1, 'nothing was sent');
    await field.fill('/tldr');
    await options.getByRole('option', { name: /^\/tldr/u }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(
      () => field.inputValue(),
      (text) => text === 'Sum it up in one line.',
    );
    assert.equal(await count(), 1);
    // A message may begin with a path.
    await field.fill('/tmp is full');
    await page.keyboard.press('Enter');
    await eventually(count, (messages) => messages > 1);
    const { nodes } = await ask('node.path', { node: (await ask('tree.subtree', { top: root })).items[1]?.id ?? '' });
    assert.match(JSON.stringify(nodes.at(-1)), /\/tmp is full/u);
    await field.fill('/git:commit it all');
    await page.keyboard.press('Enter');
    await page.getByText('Its file would run 1 command; Loom runs none of them.').waitFor();
    assert.equal(await field.inputValue(), 'Status: !`git status`\nCommit with it all');
    for (const name of ['review', 'tldr']) await ask('prompt.remove', { name });
  },
);

test(
  '[WB560] the system prompt is seen in the inspector, changed with its price beside it, and taken back',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await open(t);
    const { root, nodes } = await begin(ask, 'hello');
    const folder = mkdtempSync(join(tmpdir(), 'loom-instructions-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'AGENTS.md'), 'Use tabs in this folder.');
    await ask('root.configure', { root, config: { systemPrompt: 'Be brief.', directory: folder } });
    await ask('turn.start', { node: nodes[0] ?? root, provider: 'demo', model: 'demo' });
    await eventually(
      async () => (await ask('root.get', { root })).running,
      (running) => running.length === 0,
    );
    const prompt = async (): Promise<unknown> => (await ask('root.get', { root })).config['systemPrompt'];
    await page.goto(`/r/${root}`);
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.getByRole('tabpanel').getByText('Be brief.').first().waitFor();
    await page.getByRole('button', { name: 'Show and edit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'System prompt' });
    const text = dialog.getByRole('textbox', { name: 'System prompt' });
    await text.and(page.locator(':focus')).waitFor();
    assert.equal(await text.inputValue(), 'Be brief.');
    assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await dialog.getByText('AGENTS.md').click();
    await dialog.getByText('Use tabs in this folder.').waitFor();
    await text.fill('Be very brief.');
    await dialog.getByText(/paid again|paid for again/u).waitFor();
    await judge(page, 'system-prompt');
    assert.equal(await prompt(), 'Be brief.', 'nothing is changed before it is saved');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(prompt, (now) => now === 'Be very brief.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(prompt, (now) => now === 'Be brief.');
    // By the palette, at 360 px, to none at all.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').first().fill('system prompt');
    await page
      .getByRole('option', { name: /system prompt/u })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await text.fill('');
    await dialog.getByText(/paid again|paid for again/u).waitFor();
    await judge(page, 'system-prompt-360');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(prompt, (now) => now === undefined);
  },
);
