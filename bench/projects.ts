// Hundreds of sessions: lists, groups, filters, and 500 archived and brought back, first as operations and then in the page.
//   node bench/projects.ts 1500 <folder>   copies the Claude Code and Codex sessions of a folder under new ids and folders until there are so many
//   node bench/projects.ts 10000           makes up conversations in 60 folders
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome } from '@loom/kernel';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { median, printHeader, printTime } from './measure.ts';
import { findChromium } from '../scripts/system-packages.ts';

const wanted = Number(process.argv[2] ?? 1_500);
const sessions = process.argv[3];
const chosen = 500;
const limit = 100;
/** Longer sessions would make a folder of gigabytes, and a list does not look into them. */
const longestSession = 60_000;

const root = join(import.meta.dirname, '..');
const greeting = z.object({ url: z.string(), token: z.string() });

function value<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}

printHeader('projects');
const folder = mkdtempSync(join(tmpdir(), 'loom-bench-projects-'));
const dataDir = join(folder, 'data');
try {
  const loom = await openLoom({ dataDir });
  await (sessions === undefined ? makeUp(loom) : importCopies(loom, sessions));
  await measureOperations(loom);
  await loom.close();
  await measurePage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function makeUp(loom: Loom): Promise<void> {
  for (let made = 0; made < wanted; made += 1) {
    const config = made % 7 === 0 ? {} : { directory: `/home/user/code/project-${made % 60}` };
    const { root: begun } = value(await loom.call('root.create', { config }));
    const content = `Message ${made} about ${made % 3 === 0 ? 'tides' : 'gauges'}`;
    value(await loom.call('node.append', { parent: begun, messages: [{ role: 'user', content }] }));
  }
}

async function importCopies(loom: Loom, from: string): Promise<void> {
  const copies = join(folder, 'sessions');
  const files = globSync('**/*.jsonl', { cwd: from })
    .map((file) => join(from, file))
    .filter((file) => statSync(file).size <= longestSession)
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => /"cwd":\s*"\//u.test(text.slice(0, 20_000)));
  if (files.length === 0) throw new Error(`${from} has no sessions that can be copied`);
  for (let made = 0; made < wanted; made += 1) {
    const { file, text } = files[made % files.length] ?? { file: '', text: '' };
    const place = join(copies, String(made));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, renamed(basename(file), made)), renamed(text, made));
  }
  const { job } = value(await loom.call('import.start', { paths: [copies] }));
  for (;;) {
    const { state } = value(await loom.call('job.get', { job }));
    if (state !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Gives a session other ids, and one of 40 other folders. */
function renamed(text: string, copy: number): string {
  const ids = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\b(?:msg|toolu|req|call)_[\w]{8,}/giu;
  return text
    .replaceAll(ids, (id) => {
      const hex = createHash('sha256').update(`${copy} ${id}`).digest('hex');
      const at = id.indexOf('_');
      if (at !== -1) return `${id.slice(0, at + 1)}${hex.slice(0, 24)}`;
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
    })
    .replaceAll(/("cwd":\s*")[^"]*/gu, `$1/home/user/code/copy-${copy % 40}`);
}

async function measureOperations(loom: Loom): Promise<void> {
  const children = false;
  const { counts } = value(await loom.call('root.list', { children, counts: true, limit: 1 }));
  console.log(`  ${counts?.all} conversations in ${counts?.project.length} projects; load ${loadavg()[0]?.toFixed(1)}`);
  // The CPU of all threads: what the machine does beside it does not count.
  const time = async (what: string, call: () => Promise<Outcome<unknown>>): Promise<void> => {
    const times: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      const before = process.cpuUsage();
      value(await call());
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    printTime(what, median(times), limit);
  };
  await time('root.list, the first 100', () => loom.call('root.list', { children, limit: 100 }));
  await time('project.list with five of each', () => loom.call('project.list', { children, first: 5, limit: 1000 }));
  await time('root.list by text and state, counted', () =>
    loom.call('root.list', { children, text: 'the', state: 'done', counts: true }),
  );
  await time('the ids of all that match', () => loom.call('root.list', { children, text: '', ids: true }));
  const { ids = [] } = value(await loom.call('root.list', { children, text: '', ids: true }));
  const roots = ids.slice(0, chosen);
  let begun = performance.now();
  const { items = [] } = value(await loom.call('root.mark', { roots, archived: true }));
  console.log(`  root.mark archives ${roots.length}: ${(performance.now() - begun).toFixed(0)} ms`);
  const each = items.flatMap(({ root: id, before }) =>
    before?.archived === undefined ? [] : [{ root: id, archived: before.archived }],
  );
  begun = performance.now();
  value(await loom.call('root.mark', { each }));
  console.log(`  root.mark brings ${each.length} back: ${(performance.now() - begun).toFixed(0)} ms`);
}

/** The same in Chromium: from the key or click to the frame that shows its effect. */
async function measurePage(): Promise<void> {
  const args = ['serve', '--json', '--data-dir', dataDir, '--port', '0'];
  const server = spawn(join(root, 'loom'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: server.stdout }).once('line', resolve);
  });
  const { url, token } = greeting.parse(JSON.parse(line));
  const browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--enable-precise-memory-info'],
  });
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const issued = await fetch(`${url}/auth/code`, { method: 'POST', headers, body: '{}' });
    const { code } = z.object({ value: z.object({ code: z.string() }) }).parse(await issued.json()).value;
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/#code=${code}`);
    await page.locator('.group-button').first().waitFor();
    await page.goto(`${url}/conversations`);
    await page.locator('.list-row').first().waitFor();
    await page.waitForTimeout(1500);
    console.log(`  in the page, load ${loadavg()[0]?.toFixed(1)}:`);
    printTime(
      'fold a project of the navigator',
      await react(
        page,
        'document.querySelector(".group-button").click()',
        'document.querySelector(".group-button").ariaExpanded === "false"',
      ),
      limit,
    );
    printTime(
      'group by date',
      await react(page, choose('Grouping', 1), 'document.querySelector(".list-period") !== null'),
      limit,
    );
    await page.keyboard.press('Escape');
    const typed = `(() => { const field = document.querySelector("[data-filter-text]"); Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "zzz"); field.dispatchEvent(new Event("input", { bubbles: true })); })()`;
    printTime('filter by text', await react(page, typed, 'document.querySelectorAll(".list-row").length === 0'), limit);
    const cleared = typed.replace('"zzz"', '""');
    printTime(
      'take the filter back',
      await react(page, cleared, 'document.querySelectorAll(".list-row").length > 5'),
      limit,
    );
    const second = '(document.querySelectorAll(".list-row")[1].dataset.row)';
    await page.locator('.list-row a').first().focus();
    await page.evaluate(`window.before = ${second}`);
    await page.keyboard.press('Space');
    for (let row = 1; row < chosen; row += 1) await page.keyboard.press('Shift+ArrowDown');
    await page.locator('.bulk-bar').waitFor();
    console.log(`  ${await page.locator('.bulk-bar strong').innerText()}`);
    const archive =
      '[...document.querySelectorAll(".bulk-bar button")].find((one) => one.textContent === "Archive").click()';
    const isGone =
      'document.querySelector(`.list-row[data-row="${window.before}"]`) === null && document.querySelector(".list-row") !== null';
    printTime(`archive ${chosen}`, await react(page, archive, isGone), limit);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 300_000 });
    const undo =
      '[...document.querySelectorAll(".toast button")].find((one) => one.textContent === "Undo").click(); document.querySelector(".conversations").scrollTo(0, 0)';
    const archived = 'document.querySelector(".conversations-count").textContent.includes("archived")';
    await page.evaluate(
      `new Promise((resolve) => { const look = () => ${archived} ? resolve() : requestAnimationFrame(look); look(); })`,
    );
    printTime('bring them back', await react(page, undo, `!${archived}`), limit);
    const frames = await scroll(page);
    console.log(`  scrolling 20,000 px: ${frames}`);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('HeapProfiler.collectGarbage');
    const bytes = z.number().parse(await page.evaluate('performance.memory.usedJSHeapSize'));
    console.log(`  JavaScript heap of the page: ${(bytes / 1e6).toFixed(1)} MB`);
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/** Opens the menu of a filter and chooses one of its values. */
function choose(label: string, index: number): string {
  return `(() => {
    const button = [...document.querySelectorAll(".filter-button")].find((one) => one.textContent.startsWith(${JSON.stringify(label === 'Grouping' ? 'By ' : label)}));
    button.click();
    requestAnimationFrame(() => document.querySelectorAll(".filter-menu input")[${index}].click());
  })()`;
}

/** Does something in the page, and returns the time until the first frame in which a condition holds, in milliseconds. */
async function react(page: Page, act: string, holds: string): Promise<number> {
  const time = await page.evaluate(`new Promise((resolve, reject) => {
    const begun = performance.now();
    ${act};
    const look = () => {
      if (${holds}) resolve(performance.now() - begun);
      else if (performance.now() - begun > 60000) reject(new Error('it does not happen'));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
  return z.number().parse(time);
}

/** Scrolls by 100 px a frame; returns the median and the 95th percentile of the time between frames. */
async function scroll(page: Page): Promise<string> {
  const gaps = await page.evaluate(`new Promise((resolve) => {
    const scroller = document.querySelector('.conversations');
    const gaps = [];
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      scroller.scrollTop += 100;
      if (gaps.length < 200) requestAnimationFrame(step);
      else resolve(gaps.sort((one, other) => one - other));
    };
    requestAnimationFrame(step);
  })`);
  const sorted = z.array(z.number()).parse(gaps);
  return `median ${sorted[100]?.toFixed(1)} ms, 95th percentile ${sorted[190]?.toFixed(1)} ms between frames`;
}
