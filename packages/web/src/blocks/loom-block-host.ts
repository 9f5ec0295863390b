import type { Loom } from '../app/loom.ts';
import { chosenModel } from '../composer/chosen-model.ts';
import { regenerate } from '../conversation/actions.ts';
import { isAgent } from '../models/model-words.ts';
import { OpenConversation } from '../conversation/open-conversation.ts';
import type { BlockHost, CommandActions } from './block-host.ts';
import { ContentRow } from './ContentRow.tsx';
import { Folds } from './folding/folds.ts';
import { EditorPreference } from './paths/editor-preference.ts';

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
  let home: Promise<string | undefined> | undefined;
  const askRole = (): Promise<string> => {
    role ??= loom.client.role().catch((error: unknown) => {
      role = undefined;
      throw error;
    });
    return role;
  };
  return {
    agent: loom.agent,
    folder: () => loom.conversation.getSnapshot()?.folder,
    async home() {
      // Others may not look around on this computer.
      if ((await askRole()) !== 'owner') return undefined;
      home ??= loom.ask('folder.list', {}).then(
        ({ path }) => path,
        () => {
          home = undefined;
          return undefined;
        },
      );
      return home;
    },
    folds: new Folds(),
    answers: new Map(),
    diffView: preferences.diffView,
    editor: new EditorPreference({ ask: (name, params) => loom.ask(name, params) }),
    readBlob: loom.readBlob,
    readRange: loom.readRange,
    async decide(decision) {
      await loom.ask('turn.decide', decision);
    },
    connection: () => loom.list,
    role: askRole,
    retry(node) {
      loom.attempt(async () => {
        const open = loom.conversation.getSnapshot();
        if (open !== undefined) await regenerate(loom, open, node);
      });
    },
    resume(node, isBeyondLimits = false) {
      const beyond = isBeyondLimits ? { beyond_limits: true } : {};
      loom.attempt(async () => {
        const answering = chosenModel(loom);
        const end = isAgent(answering.provider) ? await askToGoOn(loom, node) : node;
        await loom.ask('turn.start', { node: end, ...answering, ...beyond });
      });
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
    commands: commandActions(loom),
    tellWriters: (place) => loom.workspace.dialog.set({ what: 'blame', ...place }),
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

/** Asks an agent to go on: it speaks in whole messages, and cannot be given the beginning of one. Returns the node to answer. */
async function askToGoOn(loom: Loom, node: string): Promise<string> {
  const blocks = loom.conversation.getSnapshot()?.replica.nodes.get(node)?.blocks ?? [];
  // An agent that has said nothing is asked once more as before.
  if (blocks.every(({ type }) => type === 'error')) return node;
  const messages = [{ role: 'user' as const, content: 'Go on from where you stopped.' }];
  const { nodes } = await loom.ask('node.append', { parent: node, messages });
  return nodes[0] ?? node;
}

function commandActions(loom: Loom): CommandActions {
  return {
    runAgain: (node, command) =>
      loom.attempt(async () => {
        const { node: begun } = await loom.ask('command.run_again', { node, command });
        const open = loom.conversation.getSnapshot();
        if (open !== undefined && begun.startsWith(`${open.root}/`) && (await open.until(begun))) {
          loom.go({ name: 'conversation', root: open.root, node: begun });
        }
      }),
    stop: (node) => loom.attempt(() => loom.ask('command.stop', { node })),
    moveToBackground: (node) => loom.attempt(() => loom.ask('command.move_to_background', { node })),
  };
}
