// Takes the pictures of docs/images: `npm run screenshots`. They show the demo model, on a fresh folder, in Chromium.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { ServedLoom } from './served-loom.ts';
import { findChromium } from './find-chromium.ts';

const images = join(import.meta.dirname, '../../../../docs/images');
mkdirSync(images, { recursive: true });

const ends: (() => Promise<void>)[] = [];
const served = await ServedLoom.start({ after: (hook) => void ends.push(hook) });
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const { address, tree } = await talk(browser);
  for (const colorScheme of ['light', 'dark'] as const) {
    const dark = colorScheme === 'dark' ? '-dark' : '';
    const page = await open(browser, { colorScheme });
    await show(page, address, `main${dark}`);
    await show(page, tree.replace('/tree/', '/r/'), `branch${dark}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').first().fill('branch');
    await take(page, `search${dark}`);
    await show(page, '/settings', `settings${dark}`);
    await show(page, '/needs-you', `needs-you${dark}`);
    await show(page, tree, `tree${dark}`);
    await page.context().close();
  }
  const narrow = await open(browser, { colorScheme: 'light', width: 360, height: 740 });
  await show(narrow, address, 'main-360');
} finally {
  await browser.close();
  for (const end of ends) await end();
}

/** Holds two short conversations: the addresses of the one that waits for its reader, and of the tree of the other one. */
async function talk(browser: Browser): Promise<{ address: string; tree: string }> {
  const page = await open(browser, { colorScheme: 'light' });
  const say = async (text: string): Promise<void> => {
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill(text);
    await field.press('Enter');
  };
  const ask = async (text: string): Promise<void> => {
    const before = await messages();
    await say(text);
    await answered(before);
  };
  await ask('how do branches work?');
  await page.waitForURL(/\/r\//u);
  const tree = new URL(page.url()).pathname.replace('/r/', '/tree/');
  for (const text of ['think about it', 'markdown']) await ask(text);
  await say('/fork');
  // The last message comes into the field, and the caret behind it.
  await page.getByText('Your last message again').waitFor();
  await page.waitForTimeout(500);
  await ask('tell me a story');
  await ask('/retry');
  await page.goto('/');
  await say('give me the tour');
  await page.waitForURL(/\/r\//u);
  await page.getByRole('button', { name: 'Allow once' }).first().waitFor();
  const address = new URL(page.url()).pathname;
  await page.context().close();
  return { address, tree };
}

/** Returns the number of messages; `undefined` while a model writes. */
async function messages(): Promise<number | undefined> {
  const listed = await served.client.call('root.list', {});
  if (!listed.ok) throw new Error(listed.refusal.reason);
  const { items } = listed.value;
  return items.some(({ running }) => running.length > 0) ? undefined : items.reduce((sum, { nodes }) => sum + nodes, 0);
}

/** Waits until more messages are there than before, and none is being written. */
async function answered(before = 0): Promise<void> {
  for (;;) {
    const now = await messages();
    if (now !== undefined && now > before) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Looks {
  colorScheme: 'light' | 'dark';
  width?: number;
  height?: number;
}

async function open(browser: Browser, { colorScheme, width = 1440, height = 900 }: Looks): Promise<Page> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    baseURL: served.url,
  });
  const page = await context.newPage();
  await page.goto(`/#code=${await served.client.issueCode()}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return page;
}

async function show(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path);
  await take(page, name);
}

async function take(page: Page, name: string): Promise<void> {
  // Until everything that the page still waits for has come.
  await page.locator('.shape, [aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.getByText('Looking for models').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(images, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}
