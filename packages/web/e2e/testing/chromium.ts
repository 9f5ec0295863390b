import { after } from 'node:test';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

const executable = findChromium();

/** The reason there is no browser to test with; false if there is one. `npm test` installs one where it can. */
export const noBrowser: string | false =
  executable === undefined ? 'no Chromium: install it, or set LOOM_CHROMIUM to its path' : false;

let browser: Promise<Browser> | undefined;

/** One browser for all tests of a process; it ends with them. */
export function openBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error('a test without a browser must be skipped');
  browser ??= chromium.launch({ executablePath: executable, args: quiet, timeout: 300_000 });
  return browser;
}

after(async () => {
  const opened = await browser;
  await opened?.close();
});

/** Features of Chromium that tests go without. Names that a version does not know do nothing. */
const disabledFeatures = [
  // A document that a test has altered counts as one of another network, which may not reach this machine.
  'LocalNetworkAccessChecks',
  'LocalNetworkAccessChecksWebSockets',
  // Each window draws its address bar with pages, in processes that no test looks at: two thirds of the work of opening a window.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Neither does a test look at the process that Chromium keeps ready for the next page.
  'SpareRendererForSitePerProcess',
];

/** Flags that keep everything on this machine, and let root run it. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${disabledFeatures.join(',')}`,
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
