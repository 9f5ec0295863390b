import type { AuthoredVersion } from './authored-text.ts';
import { readHistory, readText } from './history/history-reading.ts';
import type { Ask } from './history/history-reading.ts';

/** The number of changes of author to read, the last ones. */
const most = 40;

/** Reads a block as each of its authors has left it, the oldest first. Consecutive changes of one agent are one version. */
export async function readVersions(ask: Ask, block: string): Promise<AuthoredVersion[]> {
  const history = await readHistory(ask, block);
  const texts = history.filter(({ what, inserted, deleted }) => !what.includes('status') || inserted + deleted > 0);
  const left = texts.filter(({ agent }, index) => texts[index + 1]?.agent !== agent).slice(-most);
  return Promise.all(
    left.map(async ({ agent, version }, index) => {
      const isNewest = index === left.length - 1;
      return { agent, text: await readText(ask, block, isNewest ? undefined : version) };
    }),
  );
}
