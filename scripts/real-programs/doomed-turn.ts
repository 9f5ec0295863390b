// Starts a turn of Codex whose model stops in mid-word, and says so. `codex-live.ts` kills it in the middle.
import { openLoom } from '@loom/loom';
import { codexFor } from './codex-setup.ts';
import { asked } from './conversations.ts';

const [dataDir = '', path = '', home = '', work = ''] = process.argv.slice(2);
const { codex } = codexFor(path, home, work);
const loom = await openLoom({ dataDir, providers: [codex] });
const config = { directory: work, approval_mode: 'sandbox' as const };
const { root } = await asked(loom.call('root.create', { config }));
const messages = [{ role: 'user' as const, content: 'speak for ever' }];
const { nodes } = await asked(loom.call('node.append', { parent: root, messages }));
await asked(loom.call('turn.start', { node: nodes[0] ?? '', provider: 'codex', model: 'default' }));
for (;;) {
  const state = await asked(loom.open(root));
  const blocks = [...state.nodes.values()].flatMap((node) => node.blocks);
  if (blocks.some((block) => block.type === 'text' && block.text.startsWith('Half'))) break;
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log('running');
