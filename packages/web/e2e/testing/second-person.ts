import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { LoomClient } from '@loom/client';
import type { OpenedPage } from './open-page.ts';

/** Another person in a browser of their own. */
export interface SecondPerson {
  page: Page;
  client: LoomClient;
}

/** Opens the page of another person at the same server. */
export async function openSecondPerson(opened: OpenedPage, agent: string): Promise<SecondPerson> {
  const { ask, served, context } = opened;
  const { token } = made.parse(await ask('token.create', { agent, type: 'person', role: 'owner' }));
  const client = served.clientOf(token);
  const browser = context.browser();
  if (browser === null) throw new Error('this context has no browser');
  const other = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    baseURL: served.url,
  });
  served.guests.push(() => other.close());
  const page = await other.newPage();
  await page.goto(`/#code=${await client.issueCode()}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return { page, client };
}

const made = z.object({ token: z.string() });
