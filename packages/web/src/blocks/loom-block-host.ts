import type { Loom } from '../app/loom.ts';
import { chosenModel } from '../composer/chosen-model.ts';
import { regenerate } from '../conversation/actions.ts';
import { OpenConversation } from '../conversation/open-conversation.ts';
import type { BlockHost } from './block-host.ts';
import { ContentRow } from './ContentRow.tsx';
import { Folds } from './folding/folds.ts';

/** The tools that come with the demo model; they touch nothing, so that they can be run at any time. */
const demoTools = [
  'edit_file',
  'flaky',
  'plan_tasks',
  'run_command',
  'search_pages',
  'slow_tool',
  'weather',
  'write_file',
];

/** Returns the services for blocks, backed by the server. */
export function loomBlockHost(loom: Loom): BlockHost {
  const { preferences } = loom;
  let role: Promise<string> | undefined;
  return {
    agent: loom.agent,
    folder: () => loom.conversation.getSnapshot()?.folder,
    folds: new Folds(),
    answers: new Map(),
    diffView: preferences.diffView,
    readBlob: loom.readBlob,
    readRange: loom.readRange,
    async decide(decision) {
      await loom.ask('turn.decide', decision);
    },
    role() {
      role ??= loom.client.role().catch((error: unknown) => {
        role = undefined;
        throw error;
      });
      return role;
    },
    retry(node) {
      loom.attempt(async () => {
        const open = loom.conversation.getSnapshot();
        if (open !== undefined) await regenerate(loom, open, node);
      });
    },
    resume(node, isBeyondLimits = false) {
      const beyond = isBeyondLimits ? { beyond_limits: true } : {};
      loom.attempt(async () => void (await loom.ask('turn.start', { node, ...chosenModel(loom), ...beyond })));
    },
    canRunAgain: (tool) => demoTools.includes(tool),
    runAgain(tool, written) {
      loom.attempt(async () => {
        const open = loom.conversation.getSnapshot();
        if (open === undefined) return;
        // The demo model calls the tool that the message names.
        const messages = [{ role: 'user' as const, content: `call ${tool} ${written}` }];
        const { nodes } = await loom.ask('node.append', { parent: open.tip, messages });
        const node = nodes.at(-1) ?? open.root;
        await loom.ask('turn.start', { node, provider: 'demo', model: 'demo', tools: [tool] });
      });
    },
    openChild: (root) =>
      new OpenConversation({
        client: loom.client,
        root,
        node: undefined,
        isShown: preferences.isShown,
        onSignedOut: () => loom.isSignedOut.set(true),
      }),
    ChildRow: ContentRow,
  };
}
