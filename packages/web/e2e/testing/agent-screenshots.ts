// Takes the pictures of docs/guides/agent.md: a scripted model mends a small project, and a person approves. `npm run screenshots`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { anthropicWire, startEmulator } from '@loom/providers/testing';
import { ServedLoom } from './served-loom.ts';
import { findChromium } from './find-chromium.ts';

const images = join(import.meta.dirname, '../../../../docs/images');
const directory = join(mkdtempSync(join(tmpdir(), 'loom-walk-')), 'tides');
const ends: (() => unknown)[] = [() => rmSync(join(directory, '..'), { recursive: true, force: true })];
mkdirSync(directory);
writeFileSync(join(directory, 'AGENTS.md'), 'Run `bash test.sh` after every change.\n');
writeFileSync(join(directory, 'sum.sh'), '# Adds up the heights of a day.\nsum() { echo $(($1 + $2 - 1)); }\n');
writeFileSync(
  join(directory, 'test.sh'),
  '. ./sum.sh\n[ "$(sum 2 3)" = 5 ] && echo "1 passed" || { echo "1 failed"; exit 1; }\n',
);

const edit = { path: 'sum.sh', edits: [{ old_text: '$1 + $2 - 1', new_text: '$1 + $2' }] };
const steps = [
  [call('read', { path: 'sum.sh' }, 1), call('read', { path: 'test.sh' }, 2)],
  [{ say: 'The sum is one too low. I’ll take the `- 1` out.' }, call('edit', edit, 3)],
  [call('shell', { command: 'bash test.sh' }, 4)],
  [{ say: 'Done. `sum` subtracted one from every result; the test passes now.' }],
];
const emulator = await startEmulator(anthropicWire, ({ rounds }) => ({ said: steps[Math.min(rounds, 3)] ?? [] }));
ends.push(() => emulator.close());
const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `${emulator.url}/v1` };
const served = await ServedLoom.start({ after: (hook) => void ends.push(hook) }, { env });
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
ends.push(() => browser.close());
try {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 720 },
    reducedMotion: 'reduce',
    baseURL: served.url,
  });
  await walk(await context.newPage());
} finally {
  for (const end of ends.reverse()) await end();
}

function call(name: string, parameters: object, number: number) {
  return { call: name, arguments: JSON.stringify(parameters), id: `call_${number}` };
}

async function walk(page: Page): Promise<void> {
  const allow = page.locator('button[aria-disabled=false]', { hasText: 'Allow once' });
  await page.goto(`/#code=${await served.client.issueCode()}`);
  await page.getByRole('button', { name: 'Folder: No folder' }).click();
  await page.getByRole('combobox', { name: 'Filter, or type a path' }).fill(directory);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Folder: tides' }).waitFor();
  await page.locator('#composer').fill('The test fails. Mend it.');
  await page.keyboard.press('Enter');
  await allow.waitFor();
  await take(page, 'agent-diff');
  await allow.click();
  await page.getByRole('group', { name: 'Run this command?' }).waitFor();
  await allow.waitFor();
  await page.locator('button[aria-disabled=false]', { hasText: 'Always allow…' }).click();
  await take(page, 'agent-command');
  await page.locator('button[aria-disabled=false]', { hasText: 'Allow and remember' }).click();
  await page.getByText('1 file changed').first().waitFor();
  await take(page, 'agent-done');
  await page.getByRole('button', { name: 'Review changes' }).first().click();
  await page.getByRole('region', { name: 'sum.sh' }).waitFor();
  await take(page, 'agent-review');
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(1200);
  await page.screenshot({ path: join(images, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}
