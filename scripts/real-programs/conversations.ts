import type { Message } from '@loom/blocks';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';

/** A conversation that the demo provider has answered in, twice, and in which a tool was called. */
export async function demoConversation(dataDir: string): Promise<{ root: string; node: string; texts: string[] }> {
  await using loom = await openLoom({ dataDir });
  const { root } = await asked(loom.call('root.create', {}));
  let parent = root;
  for (const words of ['echo Hello from Loom!', 'echo And once more: "quotes", ünïcödé and 🧵.']) {
    const { nodes } = await asked(loom.call('node.append', { parent, messages: [{ role: 'user', content: words }] }));
    const feed = await asked(loom.feed(root));
    await asked(loom.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'echo' }));
    for await (const item of feed) {
      if (item.type === 'change' && item.events.some(({ type }) => type === 'turn-ended')) break;
    }
    parent = await lastLeaf(loom, root);
  }
  const { nodes } = await asked(loom.call('node.append', { parent, messages: worked }));
  const node = nodes.at(-1) ?? parent;
  const { texts } = await pathOf(loom, root, node);
  return { root, node, texts };
}

/** A round of tools, as other models of Loom have them: with ids that no vendor gives, and a call that failed. */
const worked: Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Read both files.' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I read them.' },
      { type: 'tool-use', id: 'call:1', name: 'demo.read', parameters: { path: 'a.txt' } },
      { type: 'tool-use', id: 'call:2', name: 'demo.read', parameters: { path: 'b.txt' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call:1', content: [{ type: 'text', text: 'alpha, beta' }] },
  { role: 'tool', tool_call_id: 'call:2', is_error: true, content: [{ type: 'text', text: 'There is no b.txt.' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'One says alpha and beta, the other is not there.' }] },
];

/** The branch of a conversation in which something happened last. */
export async function branchOf(dataDir: string, root: string): Promise<{ ids: string[]; texts: string[] }> {
  await using loom = await openLoom({ dataDir });
  return await pathOf(loom, root, await lastLeaf(loom, root));
}

async function lastLeaf(loom: Loom, root: string): Promise<string> {
  return (await asked(loom.open(root))).recentLeaves(1)[0]?.id ?? root;
}

async function pathOf(loom: Loom, root: string, node: string): Promise<{ ids: string[]; texts: string[] }> {
  const path = (await asked(loom.open(root))).pathTo(node);
  const blocks = path.flatMap((each) => each.blocks);
  return {
    ids: path.map(({ id }) => id),
    texts: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  };
}

export async function asked<T>(
  outcome: Promise<{ ok: true; value: T } | { ok: false; refusal: { reason: string } }>,
): Promise<T> {
  const answer = await outcome;
  if (answer.ok) return answer.value;
  throw new Error(`Loom refused: ${answer.refusal.reason}`);
}
