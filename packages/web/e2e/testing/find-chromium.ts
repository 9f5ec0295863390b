import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The names that a browser may have on PATH. The one without windows comes first: it draws the same pages, and a run of the browser tests takes half
 * the processor time with it.
 */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of the browser to test with: the one that `LOOM_CHROMIUM` names, else the first on PATH. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return process.env['LOOM_CHROMIUM'] ?? found;
}
