import type { Loom } from '../app/loom.ts';
import type { AuthoredVersion } from './authored-text.ts';

/** The number of changes of author to read, the last ones. */
const most = 40;

/** Reads a block as each of its authors has left it, the oldest first. Consecutive changes of one agent are one version. */
export async function readVersions({ ask }: Loom, block: string): Promise<AuthoredVersion[]> {
  const history = await ask('block.history', { block_id: block });
  const texts = history.filter(({ what, inserted, deleted }) => !what.includes('status') || inserted + deleted > 0);
  const left = texts.filter(({ agent }, index) => texts[index + 1]?.agent !== agent).slice(-most);
  return Promise.all(
    left.map(async ({ agent, version }, index) => {
      const isNewest = index === left.length - 1;
      const asked = isNewest ? {} : { version };
      const { content } = await ask('block.read', { block_id: block, line_numbers: false, ...asked });
      return { agent, text: content };
    }),
  );
}
