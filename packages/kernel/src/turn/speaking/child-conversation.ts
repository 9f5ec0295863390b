import { z } from 'zod';
import type { PlainObject } from '@loom/blocks';
import { buildContext } from '../../context/context.ts';
import type { Forest, RootLog } from '../../forest/forest.ts';
import { pathTo } from '../../state/tree/tree.ts';
import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import type { RootState } from '../../state/root-state.ts';
import type { Hash } from '../../ports.ts';
import { MessageWriter } from './message-writer.ts';
import { decideEnd } from '../turn-decisions.ts';
import type { EndReason } from '../turn-decisions.ts';
import type { TurnLeases } from '../holding/turn-leases.ts';
import { TurnStopped, TurnWriter } from '../turn-writer.ts';
import type { TurnScope } from '../turn-writer.ts';

/** The words of an agent that was sent out by another one: a separate conversation, with a separate turn. */
export interface ChildConversation {
  root: string;
  message: MessageWriter;
  /** Waits where more is said than the store can take. */
  keepUp(): Promise<void>;
  /** Throws when the store fails: its turn is then left for another process to close. */
  end(reason: EndReason): Promise<void>;
}

/** Begins the conversation of an agent for a call; `node` is that of the call's result. */
export type OpenChild = (asked: { node: string; prompt: string }) => Promise<ChildConversation>;

/** The parts needed to begin one. */
export interface ChildScope {
  forest: Forest;
  leases: TurnLeases;
  hash: Hash;
  /** The turn of the agent that sends the other one out. */
  parent: TurnScope;
  provider: string;
  model: string;
  directory?: string;
}

/** Begins a conversation that says where it comes from, with the words that the agent was sent out with. */
export async function openChild(
  scope: ChildScope,
  { node, prompt }: { node: string; prompt: string },
): Promise<ChildConversation> {
  const { forest, leases, parent, provider, model } = scope;
  const { ids, agent, patience } = parent;
  const config: PlainObject = { origin: { source: 'loom', id: node } };
  if (scope.directory !== undefined) config['directory'] = scope.directory;
  const request = { agent, id: ids.next() };
  const created = await patience.retry(() => forest.createRoot(request, config));
  if (!created.ok) throw new Error(`the conversation of a call cannot be made: ${created.refusal.reason}`);
  const { root } = created.value;
  const log = forest.log(root);
  const turn = `turn-${ids.next()}`;
  await patience.retry(() => leases.take(root, turn));
  const place = await beginTurn(scope, log, root, turn, prompt);
  const writer = new TurnWriter({ ...parent, root, log, turn });
  const source = { type: 'model' as const, provider, model_name: model, parameters: {} };
  const head = { provider, model, tools: [] };
  const { chain } = buildContext(pathTo(await writer.state(), place), head, scope.hash);
  const message = new MessageWriter(writer, { place, source, provider, chain });
  const stopRenewing = leases.keep(root, turn, async () => {});
  return {
    root,
    message,
    keepUp: () => writer.keepUp(),
    async end(reason) {
      stopRenewing();
      try {
        await writer.release().catch(unlessStopped);
        // A second try finds the turn ended, which is as well.
        const ending = { agent, id: ids.next(), turn };
        await patience.retry(() => log.append(ending, z.null(), (state) => decideEnd(state, turn, reason)));
      } finally {
        await leases.release(root, turn);
      }
    },
  };
}

/** Writes the prompt that the agent was sent out with, and starts its turn. */
async function beginTurn(
  { parent, provider, model }: ChildScope,
  log: RootLog,
  root: string,
  turn: string,
  prompt: string,
): Promise<string> {
  const { agent, holder, ids, patience } = parent;
  const request = { agent, id: ids.next(), turn };
  const begin = (state: RootState): Decision<RootOp, string> => {
    const id = state.newNodeId();
    const text = { type: 'text' as const, text: prompt, block_id: state.newBlockId(agent), status: 'done' as const };
    const seed = { id, parent: root, role: 'user' as const, blocks: [text], source: { type: 'user' as const } };
    const plan = { provider, model, settings: {}, tools: [], told: [], max_rounds: 1, holder };
    const started: RootOp = { type: 'turn-started', turn, node: id, ...plan, answer: state.newNodeId() };
    return { ok: true, ops: [{ type: 'node-added', node: seed }, started], value: id };
  };
  const outcome = await patience.retry(() => log.append(request, z.string(), begin, 0));
  if (!outcome.ok) throw new Error(`the conversation of a call cannot begin: ${outcome.refusal.reason}`);
  return outcome.value;
}

/** A conversation that was stopped by a person is over already. */
function unlessStopped(error: unknown): void {
  if (!(error instanceof TurnStopped)) throw error;
}
