import assert from 'node:assert/strict';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Fails with axe's findings on the screen, light and dark. `LOOM_PICTURES` names a folder for pictures of what was judged. */
export async function judge(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // By the debugger, since the policy of the page lets no foreign script in.
    await page.evaluate(axe.source);
    const found: unknown = await page.evaluate(
      `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    );
    assert.deepEqual(found, [], `${where}, ${colorScheme}`);
    const folder = process.env['LOOM_PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${where}-${colorScheme}.png`) });
  }
}
