// The editor of texts in Chromium: typing into 100 KB while 50 changes a second stream in, beside typing into an empty CodeMirror page of the same run;
// opening 1 MB; and the memory of a page in which both go on, for one minute, or ten with `--long`. `--part typing|opening|memory` measures one of them.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { build } from 'vite';
import { z } from 'zod';
import { median, printHeader, printRatio, printTime } from './measure.ts';
import { SampleText } from './sample-text.ts';

const { values: options } = parseArgs({ options: { long: { type: 'boolean' }, part: { type: 'string' } } });
const repository = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'loom-bench-editor-'));
/** The changes of another writer in a second. */
const changesPerSecond = 50;
const rounds = 5;
const keysOfRound = 80;

/** Replaces words of a text at an even pace, all over it, so that it keeps its length. */
class OtherWriter {
  readonly #block: string;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #open = new Set<Promise<unknown>>();
  #began = 0;
  #milliseconds = 0;
  sent = 0;

  constructor(block: string) {
    this.#block = block;
  }

  start(): void {
    this.#began = performance.now();
    this.#timer = setInterval(() => {
      // Two parts of the text that the caret is not in, and one just above it.
      const offset = [4_000, 30_000, 49_000][this.sent % 3] ?? 0;
      this.sent += 1;
      const insert = `${String(this.sent).padStart(9, '0')} `;
      const params = { block_id: this.#block, offset, delete_count: insert.length, insert };
      const request = call('block.splice', params).finally(() => this.#open.delete(request));
      this.#open.add(request);
    }, 1000 / changesPerSecond);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#milliseconds += performance.now() - this.#began;
  }

  /** Changes per second. */
  rate(): number {
    return (1000 * this.sent) / this.#milliseconds;
  }
}

/** Resolves `window.whenOpened` with the time from the next click until an editor that can be typed into was painted. */
const watchOpening = `window.whenOpened = new Promise((resolve) => {
  addEventListener('click', ({ timeStamp }) => {
    const look = () => {
      const content = document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-content[contenteditable=true]');
      const isWritable = content?.textContent && content.getAttribute('aria-readonly') !== 'true';
      requestAnimationFrame(isWritable ? () => setTimeout(() => resolve(performance.now() - timeStamp)) : look);
    };
    look();
  }, { capture: true, once: true });
}); undefined`;

printHeader('editor');
const browser = await chromium.launch({
  executablePath: process.env['LOOM_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const server = await serve(join(folder, 'data'));
try {
  const page = await signIn(browser);
  if (options.part === undefined || options.part === 'typing') await measureTyping(page);
  if (options.part === undefined || options.part === 'opening') await measureOpening(page);
  if (options.part === undefined || options.part === 'memory') await measureMemory(page);
} finally {
  await browser.close();
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** In turns with the empty page, so that both have the same share of a busy machine. */
async function measureTyping(page: Page): Promise<void> {
  const bare = await openBarePage(browser);
  const { address, block } = await draftOf(100_000);
  await openText(page, address);
  await watchKeys(page);
  await watchKeys(bare);
  const stream = new OtherWriter(block);
  const times = { loom: new Array<number>(), bare: new Array<number>() };
  for (let round = 0; round < rounds; round += 1) {
    await bare.bringToFront();
    times.bare.push(...(await typeKeys(bare)));
    await page.bringToFront();
    stream.start();
    times.loom.push(...(await typeKeys(page)));
    await stream.stop();
  }
  await bare.context().close();
  const rate = Math.round(stream.rate());
  printRatio(
    `a key until the frame after it, p95: 100 KB with ${rate} changes a second ÷ an empty CodeMirror page`,
    at95(times.loom),
    at95(times.bare),
    1.3,
  );
  printRatio('    the same, median', median(times.loom), median(times.bare));
}

async function measureOpening(page: Page): Promise<void> {
  const { root, address } = await draftOf(1_000_000);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The conversation is there, and the parts of the editor are loaded.
    await openText(page, address);
    await page.getByRole('button', { name: /^Back to the conversation/u }).click();
    await page.getByRole('button', { name: /^Drafts/u }).click();
    const item = page.getByRole('menuitem').first();
    await item.waitFor();
    await page.evaluate(watchOpening);
    await item.click();
    times.push(z.number().parse(await page.evaluate('window.whenOpened')));
    await page.getByRole('button', { name: 'Close the draft' }).click();
  }
  printTime('1 MB, from the click until it is drawn and can be typed into', median(times), 300);
  await page.goto(`/r/${encodeURIComponent(root)}`);
}

/** Types and receives changes for a while; compares the memory of the last third with that of the one before, so that caches are full. */
async function measureMemory(page: Page): Promise<void> {
  const minutes = options.long === true ? 10 : 1;
  const { address, block } = await draftOf(100_000);
  await openText(page, address);
  await watchKeys(page);
  const cdp = await page.context().newCDPSession(page);
  const stream = new OtherWriter(block);
  stream.start();
  const samples: number[] = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    for (let key = 0; key < 40; key += 1) {
      await page.keyboard.press('a');
      await page.keyboard.press('Backspace');
    }
    await page.evaluate('window.keyTimes = []');
    samples.push(await heapOf(cdp));
  }
  await stream.stop();
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))];
  const changes = stream.sent + samples.length * 80;
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  const perChange = (last - middle) / (changes / 3);
  console.log(
    `  memory over ${minutes} min, ${changes.toLocaleString('en-US')} changes: ${megabytes(samples[0] ?? 0)} MB at first, ` +
      `${megabytes(middle)} MB in the second third, ${megabytes(last)} MB in the last: ${perChange.toFixed(0)} bytes a change`,
  );
}

async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}

/** From the time at which the browser had the key until the frame after it is over. */
async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(`window.keyTimes = []; addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => { const channel = new MessageChannel();
    channel.port1.onmessage = () => window.keyTimes.push(performance.now() - timeStamp); channel.port2.postMessage(0); });
  }, true);`);
}

async function typeKeys(page: Page): Promise<number[]> {
  await page.evaluate('window.keyTimes = []');
  for (let key = 0; key < keysOfRound; key += 1) {
    await page.keyboard.press(key % 12 === 11 ? 'Enter' : 'a');
    // Not in step with the frames, nor with the changes.
    await wait(17 + (key % 7) * 5);
  }
  // The first keys of a page in front wait for it to be drawn.
  return z
    .array(z.number())
    .parse(await page.evaluate('window.keyTimes'))
    .slice(5);
}

function at95(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}

async function draftOf(length: number): Promise<{ root: string; block: string; address: string }> {
  const { root } = z.object({ root: z.string() }).parse(await call('root.create', {}));
  await call('node.append', { parent: root, messages: [{ role: 'user', content: 'Write it with me.' }] });
  const text = markdownOf(length);
  const made = await call('draft.create', { root, title: 'Long', text });
  const { block_id: block } = z.object({ block_id: z.string() }).parse(made);
  const address = `/text/${encodeURIComponent(root)}#${encodeURIComponent(block.slice(root.length + 1))}`;
  return { root, block, address };
}

/** Lines of plain characters, so that an offset is a number of characters. */
function markdownOf(length: number): string {
  const lines = new SampleText(5)
    .block(length * 2)
    .replaceAll(/[^\n\x20-\x7e]/gu, '')
    .slice(0, length - 1)
    .split('\n');
  return `${lines.map((line, index) => (index % 60 === 0 ? `## ${line}`.slice(0, line.length) : line)).join('\n')}\n`;
}

/** Opens a text alone on the page, with the caret in its middle. */
async function openText(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByText(/^Saved/u).waitFor();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  for (let down = 0; down < 25; down += 1) await page.keyboard.press('PageDown');
  await page.keyboard.press('End');
}

async function openBarePage(browser: Browser): Promise<Page> {
  const output = join(folder, 'bare');
  await build({
    root: join(repository, 'packages/web/e2e/testing/bare-editor'),
    configFile: false,
    logLevel: 'error',
    build: { outDir: output, emptyOutDir: true, target: 'es2023' },
  });
  const files = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    readFile(join(output, path)).then(
      (body) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  files.unref();
  await new Promise<void>((resolve) => void files.listen(0, '127.0.0.1', resolve));
  const address = files.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${address.port}/`);
  await page.locator('.cm-content').waitFor();
  page.on('close', () => files.close());
  return page;
}

async function signIn(browser: Browser): Promise<Page> {
  const { code } = z.object({ value: z.object({ code: z.string() }) }).parse(await post('/auth/code', {})).value;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: server.url });
  const page = await context.newPage();
  await page.goto(`/#code=${code}`);
  await page.locator('#composer').waitFor();
  return page;
}

async function call(name: string, params: unknown): Promise<unknown> {
  return z.object({ value: z.unknown() }).parse(await post(`/api/v1/${name}`, params)).value;
}

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, server.url), { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function serve(dataDir: string): Promise<{ child: ChildProcess; url: string; token: string }> {
  const child = spawn(join(repository, 'loom'), ['serve', '--json', '--data-dir', dataDir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { child, ...z.object({ url: z.string(), token: z.string() }).parse(JSON.parse(line)) };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}
