// The page in Chromium: opening a conversation of 10,000 blocks, streaming into it, typing meanwhile, and a streamed answer of 50 KB beside streamdown
// (https://github.com/vercel/streamdown) in the same run. Prints how much JavaScript comes before the first paint.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { openLoom } from '@loom/loom';
import { chromium } from 'playwright-core';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { build } from 'vite';
import { z } from 'zod';
import { median, printHeader, printRatio, printTime } from './measure.ts';
import { SampleText } from './sample-text.ts';
import { findChromium } from '../scripts/system-packages.ts';

const greeting = z.object({ url: z.string(), token: z.string() });
const root = join(import.meta.dirname, '..');
const blocks = Number(process.argv[2] ?? 10_000);
const mostKilobytes = 200;

printHeader('web');
const folder = mkdtempSync(join(tmpdir(), 'loom-bench-web-'));
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  await measureStreaming(browser);
  await measurePage(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** A text of 50 KB in pieces of 50 characters, drawn after each by Loom's component and by streamdown's. */
async function measureStreaming(browser: Browser): Promise<void> {
  const output = join(folder, 'streaming');
  await build({
    root: join(root, 'packages/web/e2e/testing/streaming'),
    configFile: false,
    logLevel: 'error',
    build: { outDir: output, emptyOutDir: true, target: 'es2023' },
  });
  const { url, close } = await serveFolder(output);
  const text = markdownOf(50_000);
  const page = await browser.newPage();
  await page.goto(url);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const times: Record<string, number[]> = { loom: [], streamdown: [] };
  for (let round = 0; round < 3; round += 1) {
    for (const who of ['loom', 'streamdown']) {
      await page.evaluate(`show(${JSON.stringify(who)})`);
      const before = await scriptTime(cdp);
      // In tasks of the page itself, with a pause after each: deferred parts are drawn, too.
      await page.evaluate(`new Promise((resolve) => {
        const text = ${JSON.stringify(text)};
        let at = 0;
        const step = () => {
          at += 50;
          feed(text.slice(0, at));
          if (at < text.length) setTimeout(step);
          else setTimeout(resolve, 200);
        };
        setTimeout(step);
      })`);
      times[who]?.push((await scriptTime(cdp)) - before);
    }
  }
  printRatio(
    'a streamed answer of 50 KB, script ÷ streamdown',
    median(times['loom'] ?? []),
    median(times['streamdown'] ?? []),
    0.25,
  );
  await page.close();
  close();
}

async function measurePage(browser: Browser): Promise<void> {
  const dataDir = join(folder, 'data');
  const conversation = await fill(dataDir);
  const server = await serve(dataDir);
  try {
    const call = async (name: string, params: unknown): Promise<unknown> => {
      const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/api/v1/${name}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(params),
      });
      return z.object({ value: z.unknown() }).parse(await answer.json()).value;
    };
    const code = await fetch(`${server.url}/auth/code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { value } = z.object({ value: z.object({ code: z.string() }) }).parse(await code.json());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/#code=${value.code}`);
    await page.locator('#composer').waitFor();
    await measureWeight(browser, page, server.url);
    const address = `${server.url}/r/${conversation.root}`;
    const openings: number[] = [];
    for (let round = 0; round < 5; round += 1) openings.push(await timeOfTail(page, address, conversation.lastWords));
    printTime(
      `opening ${blocks.toLocaleString('en-US')} blocks, from the navigation to the painted tail`,
      median(openings),
      1000,
    );
    console.log('    (goal: 300 ms)');
    await measureDeltas(browser, page, call, conversation);
    await page.close();
  } finally {
    server.child.kill('SIGTERM');
    await once(server.child, 'exit');
  }
}

/** Returns the time from the start of the navigation until the last words are in the document and a frame was painted. */
async function timeOfTail(page: Page, address: string, words: string): Promise<number> {
  await page.goto('about:blank');
  await page.addInitScript({
    content: `window.whenTail = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('[role=feed]')?.textContent.includes(${JSON.stringify(words)})) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        else requestAnimationFrame(look);
      };
      look();
    });`,
  });
  await page.goto(address, { waitUntil: 'commit' });
  return z.number().parse(await page.evaluate('window.whenTail'));
}

/** Script per streamed delta, and how long a key takes until the next frame, while a model writes below 10,000 blocks. */
async function measureDeltas(
  browser: Browser,
  page: Page,
  call: (name: string, params: unknown) => Promise<unknown>,
  { root, tip }: { root: string; tip: string },
): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const atRest = await scriptTime(cdp);
  const started = z
    .object({ turns: z.array(z.string()) })
    .parse(await call('turn.start', { node: tip, provider: 'demo', model: 'slow' }));
  await page.locator('.mark-running').first().waitFor();
  // The drawing done once for a message that begins: its rows, the tree, the list of conversations. Its words come after that.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  console.log(`  script while an answer begins, in 1.5 s: ${((await scriptTime(cdp)) - atRest).toFixed(0)} ms`);
  await page.evaluate(`window.deltas = 0; new MutationObserver((changes) => { window.deltas += 1; })
    .observe(document.querySelector('[role=feed]'), { subtree: true, childList: true, characterData: true });`);
  const before = await scriptTime(cdp);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const script = (await scriptTime(cdp)) - before;
  const deltas = z.number().parse(await page.evaluate('window.deltas'));
  printTime(`script per change that was drawn, of ${deltas}`, script / Math.max(1, deltas), 1);
  const latency = await keyToFrame(page);
  await call('turn.abort', { root, turn: started.turns[0] });
  printTime('a key until the frame after it, p95 while a model writes', latency, 16);
  // Frames come every 16.7 ms whatever a page does, so an idle page has its own figure.
  const bare = await browser.newPage();
  await bare.goto('data:text/html,<textarea id=composer></textarea>');
  printRatio('the same ÷ an empty page with a text area', latency, await keyToFrame(bare));
  await bare.close();
}

/** Presses keys; returns the milliseconds until the frame after each is over, at p95. */
async function keyToFrame(page: Page): Promise<number> {
  await page.evaluate(`window.keyTimes = []; document.querySelector('#composer').addEventListener('keydown', () => {
    const began = performance.now(); requestAnimationFrame(() => { const channel = new MessageChannel();
    channel.port1.onmessage = () => window.keyTimes.push(performance.now() - began); channel.port2.postMessage(0); }); });`);
  await page.locator('#composer').focus();
  for (let key = 0; key < 60; key += 1) {
    await page.keyboard.press('a');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const latencies = z.array(z.number()).parse(await page.evaluate('window.keyTimes'));
  latencies.sort((one, other) => one - other);
  return latencies[Math.floor(latencies.length * 0.95)] ?? Number.NaN;
}

/** The scripts that a browser without a cache loads before it paints for the first time. */
async function measureWeight(browser: Browser, signedIn: Page, url: string): Promise<void> {
  const storage = await signedIn.context().storageState();
  const context = await browser.newContext({ storageState: storage });
  const page = await context.newPage();
  const scripts: Promise<{ at: number; bytes: number }>[] = [];
  const began = performance.now();
  page.on('response', (response) => {
    if (!response.url().endsWith('.js')) return;
    const at = performance.now() - began;
    scripts.push(response.body().then((body) => ({ at, bytes: gzipSync(body).byteLength })));
  });
  await page.goto(url);
  await page.locator('#composer').waitFor();
  const painted = z
    .number()
    .parse(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
  const sizes = await Promise.all(scripts);
  const bytes = sizes.filter(({ at }) => at <= painted + 100).reduce((sum, { bytes: size }) => sum + size, 0);
  const verdict = bytes / 1000 <= mostKilobytes ? 'within' : 'ABOVE';
  console.log(
    `  JavaScript before the first paint: ${(bytes / 1000).toFixed(0)} KB gzip (${verdict} the limit of ${mostKilobytes} KB)`,
  );
  await context.close();
}

async function fill(dataDir: string): Promise<{ root: string; tip: string; lastWords: string }> {
  await using loom = await openLoom({ dataDir, storeKind: 'sqlite' });
  const created = await loom.call('root.create', {});
  if (!created.ok) throw new Error(created.refusal.reason);
  const { root } = created.value;
  const text = new SampleText(7);
  let tip: string = root;
  const lastWords = 'These are the last words.';
  for (let at = 0; at < blocks; at += 500) {
    const messages = Array.from({ length: Math.min(500, blocks - at) }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: at + index === blocks - 1 ? lastWords : text.block(400),
    }));
    const added = await loom.call('node.append', { parent: tip, messages });
    if (!added.ok) throw new Error(added.refusal.reason);
    tip = added.value.nodes.at(-1) ?? tip;
  }
  return { root, tip, lastWords };
}

interface Serving {
  child: ChildProcess;
  url: string;
  token: string;
}

async function serve(dataDir: string): Promise<Serving> {
  const child = spawn(join(root, 'loom'), ['serve', '--json', '--data-dir', dataDir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { child, ...greeting.parse(JSON.parse(line)) };
}

async function serveFolder(folder: string): Promise<{ url: string; close: () => void }> {
  const { readFile } = await import('node:fs/promises');
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html';
    readFile(join(folder, path)).then(
      (body) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}

/** Milliseconds that scripts of the page have taken so far. */
async function scriptTime(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000;
}

/** Markdown with everything that answers have: paragraphs, lists, tables, code. */
function markdownOf(length: number): string {
  const text = new SampleText(11);
  const plain = (size: number): string =>
    text
      .block(size)
      .replaceAll(/[`*_#|<>[\]]/gu, '')
      .replaceAll('\n', ' ');
  const parts: string[] = [];
  for (let at = 0; parts.join('').length < length; at += 1) {
    parts.push(`## Part ${at}\n\n${plain(600)}\n\n- ${plain(80)}\n- **${plain(20).trim()}** and \`code\`\n\n`);
    parts.push(`\`\`\`ts\n${text.block(400)}\n\`\`\`\n\n| a | b |\n| --- | --- |\n| ${plain(20)} | ${plain(20)} |\n\n`);
  }
  return parts.join('').slice(0, length);
}
