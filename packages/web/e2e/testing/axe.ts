import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A way to look at a page. `rules`: only these. */
export type Look = {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly rules?: readonly string[];
};

/** Returns axe's violations on a page in one of its looks, a line each. */
export async function violations(page: Page, { colorScheme, width, rules }: Look): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
  // By the debugger, since the policy of the page lets no foreign script in.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const only = rules === undefined ? {} : { runOnly: rules };
  const found: unknown =
    await page.evaluate(`axe.run(document, { resultTypes: ['violations'], ...${JSON.stringify(only)} })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`);
  assert.ok(Array.isArray(found));
  return found.map((fault) => `${colorScheme}, ${width} px: ${String(fault)}`);
}

/** Returns the violations on a page in light and dark, wide and narrow. */
export async function violationsInAllLooks(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) found.push(...(await violations(page, { colorScheme, width })));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}
