import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { begin } from '../testing/begin.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';
import { standInAgent } from '../testing/stand-in-agent.ts';

test(
  "[WB297] the menu of an agent's message copies the command that goes on there, or says why there is none",
  { skip: noBrowser },
  async (t) => {
    const { env } = standInAgent(t);
    const opened = await openPage(t, { isAlone: true, env });
    const { page, context, served, ask } = opened;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { node } = await talk(opened, 'hello agent');
    await copyCommand(page);
    await page.getByText(/^Claude Code no longer has the session/u).waitFor();
    // The stand-in keeps no session: its file is written here.
    const { directory, session, line } = sessionOf(await ask('node.path', { node }));
    const folder = join(served.dataDir, '.claude/projects', directory.replaceAll(/[^A-Za-z0-9]/gu, '-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${session}.jsonl`), `${JSON.stringify({ type: 'assistant', uuid: line })}\n`);
    await copyCommand(page);
    await page.getByText(/^Copied: /u).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, `cd ${directory} && claude --resume ${session}`);
  },
);

test(
  "[WB298] an agent that is not logged in, or that ended in the middle, says so with what to do; the person's message is kept",
  { skip: noBrowser },
  async (t) => {
    const { env, folder } = standInAgent(t);
    writeFileSync(join(folder, 'logged-out'), '');
    const opened = await openPage(t, { isAlone: true, env });
    const { page, ask, context } = opened;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { root } = await talk(opened, 'hello agent');
    const feed = page.getByRole('feed');
    const login = feed.getByRole('group', { name: 'Claude Code is not logged in' });
    await login.getByText(/Log in once in a terminal.*Your message is kept/u).waitFor();
    await login.getByRole('button', { name: 'Copy “claude auth login”' }).click();
    await login.getByRole('button', { name: 'Copied “claude auth login”' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'claude auth login');
    const { items: providers } = await ask('provider.list', {});
    assert.equal(providers.find(({ name }) => name === 'claude')?.hindrance?.code, 'needs-login');
    rmSync(join(folder, 'logged-out'));
    await ask('model.list', {});
    await page.reload();
    await chooseClaude(page);
    await login.getByRole('button', { name: "I'm logged in, send again" }).click();
    await feed.getByText('You said hello agent.').waitFor();

    const { root: other } = await talk(opened, 'die');
    assert.notEqual(other, root);
    const ended = feed.getByRole('group', { name: 'Claude Code stopped, exit 3' });
    await chooseClaude(page);
    await ended.getByRole('button', { name: 'Continue from here' }).click();
    await eventually(
      () => ask('turn.list', { root: other }),
      ({ items }) => items.length === 2 && items.every(({ ended: how }) => how === 'error'),
    );
  },
);

test(
  '[WB299] an agent that answers late comes into the open picker, which stays open in another conversation',
  { skip: noBrowser },
  async (t) => {
    const { env, folder } = standInAgent(t);
    writeFileSync(join(folder, 'silent'), '');
    const { page, ask } = await openPage(t, { isAlone: true, env });
    const first = await begin(ask, 'first');
    const second = await begin(ask, 'second');
    await page.goto(`/r/${first.root}`);
    await page.getByRole('link', { name: /second/u }).click();
    await page.waitForURL(new RegExp(`/r/${second.root}`, 'u'));
    await page.getByRole('button', { name: /^Who answers/u }).click();
    await page.getByRole('option', { name: /^Claude Code has not answered yet/u }).waitFor();
    rmSync(join(folder, 'silent'));
    const claude = page.getByRole('option', { name: /^Claude Code 9\.0\.0 your own command/u });
    await claude.waitFor();
    await page.goBack();
    await page.waitForURL(new RegExp(`/r/${first.root}`, 'u'));
    await claude.click();
    await page.getByRole('button', { name: 'Who answers: Claude Code opus' }).waitFor();
  },
);

test(
  '[WB685] an agent that would work where another one is at work gets a new worktree, unless its reader says otherwise',
  { skip: noBrowser },
  async (t) => {
    const { env } = standInAgent(t);
    const { page, ask } = await openPage(t, { isAlone: true, env });
    const directory = makeRepository(t);
    const { root } = await ask('root.create', { config: { directory } });
    const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'hang' }] });
    const { turns } = await ask('turn.start', { node: nodes[0] ?? '', provider: 'claude', model: 'opus' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Folder: No folder' }).click();
    await page.getByRole('combobox', { name: 'Filter, or type a path' }).fill(directory);
    await page.keyboard.press('Enter');
    await chooseClaude(page);
    const note = page.getByRole('group', { name: 'Another agent is at work in this folder' });
    await note.getByText(/^Claude Code is working in .* too\. This conversation gets a new worktree\./u).waitFor();
    const worktree = page.getByRole('checkbox', { name: 'In a new worktree' });
    assert.equal(await worktree.isChecked(), true);
    await note.getByRole('button', { name: 'Work here anyway' }).click();
    await note.waitFor({ state: 'detached' });
    assert.equal(await worktree.isChecked(), false);
    // In a conversation that is there already, its folder is changed.
    const { root: other } = await begin(ask, 'other');
    await ask('root.configure', { root: other, config: { directory } });
    await page.goto(`/r/${other}`);
    await note.getByRole('button', { name: 'Use a new worktree' }).click();
    const { config } = await eventually(
      () => ask('root.get', { root: other }),
      (summary) => summary.config.directory !== directory,
    );
    assert.match(String(config.directory), /worktrees|loom/u);
    await note.waitFor({ state: 'detached' });
    await ask('turn.abort', { root, turn: turns[0] ?? '' });
  },
);

test(
  '[WB686] a folder that is gone is named, and another one can be chosen at the message',
  { skip: noBrowser },
  async (t) => {
    const { env, folder } = standInAgent(t);
    // The page asks how git knows the folder, and is told that there is none.
    const allowed = /400 \(Bad Request\): \/api\/v1\/folder\.list/u;
    const { page, ask } = await openPage(t, { isAlone: true, env, allowed });
    const [gone, there] = [join(folder, 'gone'), join(folder, 'there')];
    mkdirSync(there);
    const { root } = await ask('root.create', { config: { directory: gone } });
    const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'hello agent' }] });
    const { turns } = await ask('turn.start', { node: nodes[0] ?? '', provider: 'claude', model: 'opus' });
    await ask('turn.wait', { root, turn: turns[0] ?? '' });
    await page.goto(`/r/${root}`);
    const failure = page.getByRole('group', { name: /gone is no longer there$/u });
    await failure.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('combobox', { name: 'Filter, or type a path' }).fill(there);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder: there' }).waitFor();
    const { config } = await ask('root.get', { root });
    assert.equal(config.directory, there);
  },
);

function makeRepository(t: TestContext): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'loom-tides-')));
  t.after(() => rmSync(top, { recursive: true, force: true }));
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  execFileSync('git', ['init', '-q', '-b', 'main', top]);
  execFileSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: top });
  return top;
}

async function chooseClaude(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Who answers/u }).click();
  await page.getByRole('option', { name: /^Claude Code/u }).click();
  await page.getByRole('button', { name: 'Who answers: Claude Code opus' }).waitFor();
}

/** Lets the stand-in for Claude Code answer in a new conversation, and opens that. Returns the end of its branch. */
async function talk({ page, ask }: OpenedPage, text: string): Promise<{ root: string; node: string }> {
  const { root, nodes } = await begin(ask, text);
  const { turns } = await ask('turn.start', { node: nodes[0] ?? '', provider: 'claude', model: 'opus' });
  await ask('turn.wait', { root, turn: turns[0] ?? '' });
  await page.goto(`/r/${root}`);
  const { leaves } = await ask('root.get', { root });
  return { root, node: leaves[0] ?? '' };
}

async function copyCommand(page: Page): Promise<void> {
  await page.getByRole('feed').getByText('You said hello agent.').hover();
  await page.getByRole('feed').getByRole('button', { name: 'More' }).last().click();
  await page.getByRole('menuitem', { name: 'Copy the command' }).click();
}

/** Reads the session of an agent from the notes at a branch. */
function sessionOf(branch: unknown): { directory: string; session: string; line: string } {
  const notes = JSON.stringify(branch);
  const find = (pattern: RegExp): string => pattern.exec(notes)?.[1] ?? assert.fail(notes);
  const line = notes.match(/(?<="keys":\[")[0-9a-f-]{36}/gu)?.at(-1) ?? assert.fail(notes);
  return { directory: find(/"cwd":"([^"]+)"/u), session: find(/"session":"([^"]+)"/u), line };
}
