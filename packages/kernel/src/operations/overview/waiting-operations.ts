import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import { callOf, exactArguments } from '../../turn/turn-decisions.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import { ask } from '../../op.ts';
import type { NodeState } from '../../state/node-state.ts';
import { limitQuestions, limitTool } from '../../state/limit-questions.ts';
import type { LimitQuestion } from '../../state/limit-questions.ts';
import type { RootState, TurnState } from '../../state/root-state.ts';
import { isAboutOneLog } from '../../store.ts';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { eachRoot } from './each-root.ts';
import { aboutRoot, rootWords } from './root-words.ts';
import { once } from '../../once.ts';

const waitingCall = once(() =>
  z.strictObject({
    ...rootWords,
    node: z.string().describe('The node id to pass to turn.decide.'),
    turn: z.string(),
    provider: z.string().describe('The provider of the model that made the call.'),
    model: z.string(),
    tool: z.string().describe('The name of the tool.'),
    arguments: z.string().describe('The exact arguments, to pass to turn.decide.'),
    ask,
    directory: z.string().exactOptional().describe("The working folder of the conversation's tools."),
    since: z.string().describe('A time, as ISO 8601 in UTC.'),
  }),
);
type WaitingCall = z.infer<ReturnType<typeof waitingCall>>;

const listWaiting = defineOperation({
  name: 'turn.waiting',
  summary:
    'Lists the tool calls that wait for a person, in all conversations, ordered by node id, and the turns that have reached a spending limit (tool spending-limit).',
  params: () => z.strictObject(pageParams),
  result: () => pageOf(waitingCall()),
  effect: 'reads',
  run: async (engine, caller, page) => {
    const found: WaitingCall[] = [];
    for await (const root of eachRoot(engine, caller)) {
      if (root.needs.length > 0) found.push(...(await callsIn(engine, root)));
    }
    found.sort((one, other) => (one.node < other.node ? -1 : 1));
    return { ok: true, value: takePage(found, ({ node }) => node, page) };
  },
});

/** Returns the calls that wait in a conversation now: its head only tells which waited when it was written. */
async function callsIn(engine: LoomEngine, root: RootSummary): Promise<WaitingCall[]> {
  try {
    const opened = await engine.open(root.id);
    if (!opened.ok) return [];
    const { value: state } = opened;
    const calls = [...state.index.waitingCalls].flatMap((id) => factsOf(state, state.nodes.get(id)) ?? []);
    const limits = limitQuestions(state).map((question) => limitFacts(state, question));
    return [...calls, ...limits].map((facts) => ({ ...aboutRoot(root), ...facts }));
  } catch (error) {
    if (isAboutOneLog(error)) return [];
    throw error;
  }
}

function factsOf(state: RootState, node: NodeState | undefined) {
  const turn = state.liveTurns.has(node?.turn ?? '') ? state.turns.get(node?.turn ?? '') : undefined;
  const call = node && callOf(state, node);
  if (node?.ask === undefined || turn === undefined || call === undefined) return undefined;
  return {
    ...turnFacts(state, turn, node),
    tool: call.name,
    arguments: exactArguments(call),
    ask: node.ask,
  };
}

/** A turn that has ended at a spending limit is asked about like a call. */
function limitFacts(state: RootState, { turn, node, ask: asked, arguments: exact }: LimitQuestion) {
  return { ...turnFacts(state, turn, node), tool: limitTool, arguments: exact, ask: asked };
}

function turnFacts({ config: { directory } }: RootState, { id: turn, provider, model }: TurnState, node: NodeState) {
  const place = typeof directory === 'string' && directory !== '' ? { directory } : {};
  return { node: node.id, turn, provider, model, since: new Date(node.time).toISOString(), ...place };
}

export const waitingOperations = [listWaiting] as const;
