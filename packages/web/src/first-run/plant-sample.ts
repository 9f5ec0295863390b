import type { Loom } from '../app/loom.ts';
import { sampleForest, sampleTitle } from './sample-forest.ts';
import type { SampleMessage } from './sample-forest.ts';

/** Makes the sample conversation, by the same operations as everything else. Returns the message to show it at. */
export async function plantSample(loom: Loom): Promise<{ root: string; node: string }> {
  const { root } = await loom.ask('root.create', {});
  await loom.ask('root.mark', { root, title: sampleTitle });
  let shown = root;
  const plant = async (parent: string, { role, text, below = [], bookmark }: SampleMessage): Promise<void> => {
    const { nodes } = await loom.ask('node.append', { parent, messages: [{ role, content: text }] });
    const node = nodes[0] ?? parent;
    if (bookmark !== undefined) {
      await loom.ask('node.bookmark', { node, title: bookmark });
      shown = node;
    }
    for (const next of below) await plant(node, next);
  };
  await plant(root, sampleForest);
  return { root, node: shown };
}
