import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Locator } from 'playwright-core';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** A repository on a branch, for tools to work in, until the test is over. */
function makeRepository(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loom-board-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('git', ['init', '-q', '-b', 'perf/index', folder]);
  return folder;
}

/** Begins a turn that asks before it runs a command which ends once a file is there; with `isAllowed` it runs. */
async function beginTurn(
  { ask }: OpenedPage,
  directory: string,
  title: string,
  { isAllowed = false }: { isAllowed?: boolean } = {},
): Promise<{ root: string; turn: string }> {
  const { root } = await ask('root.create', { config: { directory } });
  await ask('root.mark', { root, title });
  const command = `echo ${title}; until [ -e go ]; do sleep 0.2; done`;
  // The usual limit of two minutes may be over on a busy machine before the last turn has begun.
  const content = `call shell ${JSON.stringify({ command, timeout_ms: 600_000 })}`;
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content }] });
  const started = await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools: ['shell'] });
  const turn = started.turns[0] ?? '';
  const call = await eventually(
    async () => (await ask('turn.waiting', { limit: 100 })).items.find((item) => item.turn === turn),
    (item) => item !== undefined,
  );
  if (isAllowed && call !== undefined)
    await ask('turn.decide', { node: call.node, decision: 'approved', arguments: call.arguments });
  return { root, turn };
}

test(
  '[WB290] [WB291] twelve live turns stand on the board; one is decided there, one is stopped by its key, and what ends is finished',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, width: 1440, height: 900 });
    const { page, ask } = opened;
    const directory = makeRepository(t);
    const numbers = [1, 2, 3, 4, 5, 6];
    const running: { root: string; turn: string }[] = [];
    for (const number of numbers)
      running.push(await beginTurn(opened, directory, `runs-${number}`, { isAllowed: true }));
    const waiting: { root: string; turn: string }[] = [];
    for (const number of numbers) waiting.push(await beginTurn(opened, directory, `waits-${number}`));
    await page.getByRole('link', { name: /^Agents/u }).click();
    await page.waitForURL(/\/agents$/u);
    const section = (name: string): Locator => page.getByRole('region', { name, exact: true });
    const row = (title: string): Locator => page.getByRole('listitem').filter({ hasText: title });
    await section('Needs you').getByRole('listitem').nth(5).waitFor();
    await section('Running').getByRole('listitem').nth(5).waitFor();
    const titles = await section('Needs you').locator('.board-title').allTextContents();
    assert.deepEqual(titles, ['waits-1', 'waits-2', 'waits-3', 'waits-4', 'waits-5', 'waits-6'], 'oldest first');
    await row('waits-1').getByText('Wants to run').waitFor();
    await row('waits-1').getByText(basename(directory)).getByText('perf/index').waitFor();

    // The whole command stands in the card before it can be allowed.
    await row('waits-2').getByRole('button', { name: 'Decide…' }).click();
    const card = row('waits-2').getByRole('group', { name: 'Run this command?' });
    await card.getByText('echo waits-2; until [ -e go ]; do sleep 0.2; done', { exact: true }).waitFor();
    await card.locator('button[aria-disabled=false]', { hasText: 'Allow once' }).click();
    await row('waits-2').getByText('Allowed').waitFor();
    assert.equal(await section('Needs you').getByText('waits-2').first().isVisible(), true, 'it keeps its place');
    await section('Running').getByText('waits-2').first().waitFor();
    const { items } = await ask('board.list', {});
    assert.equal(items.find(({ root }) => root === waiting[1]?.root)?.state, 'running');

    await page.locator('[data-keys=board]').focus();
    for (let steps = 0; steps < 12; steps += 1) await page.keyboard.press('k');
    await page.locator(':focus', { hasText: 'waits-1' }).waitFor();
    for (let steps = 0; steps < 5; steps += 1) await page.keyboard.press('j');
    await page.locator(':focus', { hasText: 'runs-1' }).waitFor();
    await page.keyboard.press('s');
    const [first] = running;
    const stopped = await eventually(
      () => ask('turn.list', { root: first?.root ?? '' }),
      ({ items: turns }) => turns[0]?.ended !== undefined,
    );
    assert.equal(stopped.items[0]?.ended, 'aborted');
    const finished = section('Finished since you last looked');
    await finished.getByText('runs-1').waitFor();
    await finished.getByText('You stopped it. What was written is kept.').waitFor();

    writeFileSync(join(directory, 'go'), '');
    await finished.getByRole('listitem').nth(6).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await section('To review').getByText('runs-3').first().waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await section('Done this week').getByText('runs-3').first().waitFor();
    const { items: kept } = await ask('home.list', { prefix: 'board/' });
    assert.equal(kept.length, 1, 'it is read in every browser');
    await page.getByRole('button', { name: 'List' }).click();
    await finished.waitFor({ state: 'detached' });
  },
);

test(
  '[WB292] the board opens by its keys, and a row leads to the end of its turn; the navigator counts what runs',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask } = opened;
    const directory = makeRepository(t);
    const { root } = await beginTurn(opened, directory, 'walks', { isAllowed: true });
    await page.getByRole('link', { name: /^Agents 1 running/u }).waitFor();
    await page.goto('/needs-you');
    await page.getByText('Nothing is waiting for you').waitFor();
    await page.locator('.page-scroll').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL(/\/agents$/u);
    await page.getByRole('listitem').filter({ hasText: 'walks' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/r/${root}/`, 'u'));
    writeFileSync(join(directory, 'go'), '');
    await eventually(
      () => ask('board.list', {}),
      ({ items }) => items.length === 0,
    );
    // The reader was there when it ended.
    await page.goto('/agents');
    await page.getByText('No agent is running').waitFor();
  },
);
