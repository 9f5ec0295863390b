import type { Loom } from '../../app/loom.ts';
import { lazily } from '../../ui/lazily.ts';
import type { ParsedSlash } from './slash.ts';

const loadCommands = lazily(() => import('./run-slash.ts'));

/** Runs a slash command; the code of commands is loaded with the first one. */
export async function doSlash(loom: Loom, parsed: ParsedSlash): Promise<void> {
  const { runSlash } = await loadCommands();
  await runSlash(loom, parsed);
}
