import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import type { LoomClient } from '@loom/client';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import { openBrowser } from './chromium.ts';
import { ServedLoom } from './served-loom.ts';
import type { ServedOptions } from './served-loom.ts';

export interface OpenOptions extends ServedOptions {
  /** A server that is there already. Default: the one that the tests of a process share. */
  served?: ServedLoom;
  /** Starts a separate server, which may be stopped and has nothing of other tests. */
  isAlone?: boolean;
  path?: string;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Lets the page have its worker, as browsers do. Default: no, so that every request of a test comes from the page. */
  hasWorker?: boolean;
  /** The complaints the browser may make; all others fail the test. */
  allowed?: RegExp;
  /** The policy of the document as the browser is to get it, made from the one that the server sends. */
  policy?: (sent: string) => string;
}

/** A tab of a browser whose reader is signed in, and the server behind it. */
export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  served: ServedLoom;
  client: LoomClient;
  /** Does something while the server is killed, until the page has reached it again: meanwhile the browser says that it does not reach it. */
  whileAway: (work: () => Promise<void>) => Promise<void>;
  /** Asks the server for an operation, as the owner, and fails the test if it is refused. */
  ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
}

let shared: Promise<ServedLoom> | undefined;
const ends: (() => Promise<void>)[] = [];

/** One server for the tests of a process, since it takes a while to start. */
function sharedServer(): Promise<ServedLoom> {
  shared ??= ServedLoom.start({ after: (hook) => void ends.push(hook) });
  return shared;
}

after(async () => {
  await shared;
  for (const end of ends) await end();
});

/** Opens the page in a fresh browser: nothing that browsers keep comes from other tests. Complaints of the browser fail the test. */
export async function openPage(t: TestContext, options: OpenOptions = {}): Promise<OpenedPage> {
  // The page is closed while the server still answers it, and the server ends even if the browser has complained.
  let close = async (): Promise<void> => {};
  const endings: (() => Promise<void>)[] = [];
  t.after(async () => {
    try {
      await close();
    } finally {
      for (const end of endings) await end();
    }
  });
  const after = (end: () => Promise<void>): void => void endings.push(end);
  const served =
    options.served ?? (options.isAlone === true ? await ServedLoom.start({ after }, options) : await sharedServer());
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
    serviceWorkers: options.hasWorker === true ? 'allow' : 'block',
    baseURL: served.url,
  });
  context.setDefaultTimeout(patience);
  served.guests.push(() => context.close());
  const page = await context.newPage();
  if (options.policy !== undefined) await replacePolicy(page, options.policy);
  const complaints: string[] = [];
  let isAway = false;
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() !== 'error' || (isAway && notReached.test(text))) return;
    // Chromium names a resource that failed to load only by its location.
    const { pathname } = URL.parse(message.location().url) ?? { pathname: '' };
    const complaint = text.startsWith('Failed to load resource') ? `${text}: ${pathname}` : text;
    if (!overtaken.test(complaint)) complaints.push(complaint);
  });
  close = async () => {
    if (t.error !== null && t.error !== undefined) t.diagnostic(await drawn(page));
    await context.close();
    const wrong = complaints.filter((text) => options.allowed?.test(text) !== true);
    assert.deepEqual(wrong, [], 'the browser complained');
  };
  const { client } = served;
  await page.goto(`${options.path ?? '/'}#code=${await client.issueCode()}`);
  await page.getByRole('navigation', { name: 'Conversations' }).or(page.getByRole('main')).first().waitFor();
  return {
    page,
    context,
    served,
    client,
    async whileAway(work) {
      isAway = true;
      await work();
      isAway = false;
    },
    async ask(name, params) {
      const outcome = await served.client.call(name, params);
      if (outcome.ok) return outcome.value;
      return assert.fail(`${name} was refused: ${JSON.stringify(outcome.refusal)}`);
    },
  };
}

/** Describes the page of a test that failed. */
async function drawn(page: Page): Promise<string> {
  const content = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch((error: unknown) => String(error));
  return `${page.url()}\n${content}`;
}

/** Chromium's messages about a server that is killed: a connection is refused, cut, gone before it is used, or ends without an answer. */
const notReached =
  /^(?:Failed to load resource: |WebSocket connection to '[^']*' failed: .*)(?:net::ERR_(?:CONNECTION_(?:REFUSED|RESET|CLOSED)|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)|$)/u;

/** Chromium's message when the page asks about the branch of a node that is deleted at this moment. */
const overtaken = /status of 404 .*: \/api\/v1\/(?:context\.size|tree\.turns)$/u;

const header = 'content-security-policy';

async function replacePolicy(page: Page, policy: (sent: string) => string): Promise<void> {
  const isDocument = ({ pathname }: URL): boolean => !/^\/(?:api|assets)\//u.test(pathname);
  await page.route(isDocument, async (route) => {
    // The page also asks whether the server is there, and may be closed before it knows.
    if (route.request().resourceType() !== 'document') return route.continue().catch(() => {});
    const response = await route.fetch();
    const { [header]: sent = '', ...headers } = response.headers();
    const own = policy(sent);
    return route.fulfill({ response, headers: own === '' ? headers : { ...headers, [header]: own } });
  });
}

/**
 * The longest wait for something in the page, in milliseconds: so long that only what never comes is given up, also where other programs
 * take the machine. `LOOM_PATIENCE=<seconds>` shortens it for work on a test that fails.
 */
const patience = 1000 * Number(process.env['LOOM_PATIENCE'] ?? 300);

/** Waits until something is so, asking again and again; fails with the last value. */
export async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (Date.now() > end) assert.fail(`it did not come to be so: ${JSON.stringify(value)}`);
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

/** Waits until the page has been drawn so many times: on a busy machine that takes longer, and a fixed time would be too short. */
export async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (; left > 0; left -= 1) await new Promise((resolve) => void requestAnimationFrame(resolve));
  }, count);
}
