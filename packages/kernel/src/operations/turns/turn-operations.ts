import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootOfId } from '../../forest/reading/block-place.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import type { TurnState } from '../../state/root-state.ts';
import { returnedMessage, returnedMessages } from '../../turn/abort.ts';
import { compact } from './compaction.ts';
import { startedTurns } from '../../turn/generate-params.ts';
import type { GenerateParams } from '../../turn/generate-params.ts';
import { readContent, userContent } from '../content.ts';
import { nodeId, rootId } from '../../forest/ids.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { once } from '../../once.ts';
import { answer, approvalMode, decisionScope } from '../../op.ts';
import { suffices } from '../permission.ts';
import { untilEnded } from '../../turn/holding/turn-end.ts';

const turnId = z.string().min(1).describe('The id of a turn, from turn.start.');

const answerParams = once(() =>
  z.strictObject({
    node: nodeId.describe(
      'The node to answer. turn.retry goes up to the nearest user message; turn.compact summarizes up to the node.',
    ),
    provider: z.string().describe('The id of a provider.'),
    model: z.string().min(1).describe("The name of one of that provider's models."),
    settings: plainObject.exactOptional().describe('Model settings, such as temperature. Default: none.'),
    tools: z
      .array(z.string())
      .exactOptional()
      .describe(
        'The names of the tools the model may use. Default: those of the conversation, or none with leaves_calls.',
      ),
    leaves_calls: z
      .boolean()
      .exactOptional()
      .describe(
        'The caller runs the tool calls: they stay open when the turn ends, until their results are appended with node.append. Default: false.',
      ),
    caller_tools: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('The name the model calls it by.'),
          description: z.string().describe('What the model is told about it.'),
          parameters: plainObject.describe('The JSON Schema of its parameters.'),
        }),
      )
      .exactOptional()
      .describe('Additional tools that only the caller can run. Needs leaves_calls. Default: none.'),
    n: z
      .int()
      .min(1)
      .max(100)
      .exactOptional()
      .describe('The number of answers, side by side. More than one excludes tools. Default: 1.'),
    answers: z
      .array(
        z.strictObject({
          provider: z.string().describe('The id of a provider.'),
          model: z.string().min(1).describe("The name of one of that provider's models."),
          settings: plainObject.exactOptional().describe('Model settings. Default: none.'),
        }),
      )
      .max(100)
      .exactOptional()
      .describe('Additional answers from other models. Default: none.'),
    max_rounds: z
      .int()
      .min(1)
      .exactOptional()
      .describe('How many times the model may be called. Default: max_rounds of its settings, or 200.'),
    beyond_limits: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the turn may go beyond a spending limit that was reached, and spend as much again. Only an owner may say so. Default: false.',
      ),
  }),
);

function asGenerateParams({
  max_rounds: maxRounds,
  leaves_calls: leavesCalls,
  caller_tools: callerTools,
  beyond_limits: beyondLimits,
  ...params
}: z.infer<ReturnType<typeof answerParams>>): GenerateParams {
  return {
    ...params,
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(leavesCalls === undefined ? {} : { leavesCalls }),
    ...(callerTools === undefined ? {} : { callerTools }),
    ...(beyondLimits === undefined ? {} : { beyondLimits }),
  };
}

/** Money is the owner's: a writer's turn ends where a limit is reached. */
function refuseBeyond(
  { role }: Caller,
  operation: string,
  { beyond_limits: isBeyond = false }: { beyond_limits?: boolean },
) {
  if (!isBeyond || suffices(role, 'owner')) return undefined;
  return refuse({ reason: 'not-permitted', needs: 'owner', operation });
}

const startTurn = defineOperation({
  name: 'turn.start',
  summary:
    'Starts a turn: a model answers a node, or continues an answer from its end if it supports that. Returns as soon as the turn has started; turn.wait reports when it ends.',
  params: () => answerParams(),
  result: () => startedTurns,
  refusals: ['node-not-found', 'turn-live', 'unknown-provider', 'takes-no-prefix'],
  effect: 'runs',
  run: async (engine, caller, params) =>
    refuseBeyond(caller, 'turn.start', params) ??
    engine.turns.generate(caller, rootOfId(params.node), asGenerateParams(params)),
});

const retryTurn = defineOperation({
  name: 'turn.retry',
  summary:
    'Has a model answer the nearest user message at or above a node again. Existing answers stay beside the new one.',
  params: () => answerParams(),
  result: () => startedTurns,
  refusals: ['node-not-found', 'turn-live', 'unknown-provider', 'nothing-to-answer'],
  effect: 'runs',
  run: async (engine, caller, params) =>
    refuseBeyond(caller, 'turn.retry', params) ??
    engine.turns.retry(caller, rootOfId(params.node), asGenerateParams(params)),
});

const compactTurn = defineOperation({
  name: 'turn.compact',
  summary:
    'Has a model summarize the branch up to a node; below it, models are shown only the summary. Returns once that is done. Nothing is lost.',
  params: () =>
    answerParams().omit({ n: true, answers: true, leaves_calls: true, caller_tools: true, beyond_limits: true }),
  result: () =>
    z.strictObject({
      node: z.string().describe('The node that asks for the summary. Models are shown the conversation from here on.'),
      summary: z.string().describe('The node with the summary.'),
      ended: z
        .enum(['done', 'aborted', 'error', 'interrupted', 'max-rounds', 'no-room', 'limit', 'stopped'])
        .describe('How it ended. Unless this is done, models are still shown everything.'),
    }),
  refusals: ['node-not-found', 'turn-live', 'unknown-provider'],
  effect: 'runs',
  run: (engine, caller, params) => {
    const root = rootOfId(params.node);
    const job = { kind: 'turn.compact', agent: caller.agent, root, words: `${params.model} sums up` };
    return engine.jobs.run(job, ({ signal }) => compact(engine, caller, root, asGenerateParams(params), signal));
  },
});

const abortTurn = defineOperation({
  name: 'turn.abort',
  summary: 'Stops a turn. What it has written stays; messages queued for it are returned.',
  params: () => z.strictObject({ root: rootId, turn: turnId }),
  result: () => returnedMessages,
  refusals: ['turn-not-found', 'turn-ended'],
  effect: 'runs',
  run: (engine, caller, { root, turn }) => engine.turns.abort(caller, root, turn),
});

const steerTurn = defineOperation({
  name: 'turn.steer',
  summary: 'Steers a running turn: the model sees the message after the current round.',
  params: () => z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: () => z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.turns.steer(caller, root, turn, readContent(content)),
});

const queueMessage = defineOperation({
  name: 'turn.queue',
  summary: 'Queues a message until a turn ends; then it starts the next turn.',
  params: () => z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: () => z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.turns.queue(caller, root, turn, readContent(content)),
});

const withdrawMessage = defineOperation({
  name: 'turn.withdraw',
  summary: 'Withdraws a message that is waiting for a turn and returns it.',
  params: () =>
    z.strictObject({
      root: rootId,
      message: z.string().min(1).describe('The id of the message, from the feed of the conversation.'),
    }),
  result: () => returnedMessage,
  refusals: ['message-taken'],
  effect: 'runs',
  run: (engine, caller, { root, message }) => engine.turns.withdraw(caller, root, message),
});

const reorderMessage = defineOperation({
  name: 'turn.reorder',
  summary: 'Moves a queued message before another one in the same queue, or to the end.',
  params: () =>
    z.strictObject({
      root: rootId,
      message: z.string().min(1).describe('The id of the message, from the feed of the conversation.'),
      before: z
        .string()
        .min(1)
        .nullable()
        .describe('The id of the message to put it before; null moves it to the end.'),
    }),
  result: () => z.null(),
  refusals: ['message-taken'],
  effect: 'runs',
  run: (engine, caller, { root, message, before }) => engine.turns.reorder(caller, root, message, before),
});

const decideCall = defineOperation({
  name: 'turn.decide',
  summary:
    'Approves or denies a tool call that waits for a person, or answers its question. Only a person may do this, and only an owner may approve. A turn that has ended at a spending limit goes on as another turn, whose id is returned.',
  params: () =>
    z.strictObject({
      node: nodeId.describe('The node of the waiting call.'),
      decision: z.enum(['approved', 'denied', 'answered']).describe('The decision.'),
      arguments: z
        .string()
        .describe('The exact arguments that the person saw. The decision is refused if the call has other arguments.'),
      text: z.string().exactOptional().describe('The reason for a denial, or the answer to the question.'),
      scope: decisionScope
        .exactOptional()
        .describe('How far the decision reaches: beyond once, it covers what the rules that were shown cover.'),
      answers: z
        .array(answer)
        .min(1)
        .exactOptional()
        .describe('The answers to the questions, one for each, in their order.'),
      arguments_changed: z
        .string()
        .exactOptional()
        .describe('Other arguments for an approved call, as a JSON object: it runs with these instead.'),
      mode: approvalMode
        .exactOptional()
        .describe(
          'For a call whose approval ends plan mode: the mode of the conversation from then on, one of those in its ask. Default: the first of them.',
        ),
    }),
  result: () => z.strictObject({ turn: z.string() }),
  refusals: ['call-not-found', 'turn-ended', 'already-decided', 'not-waiting', 'call-changed', 'lease-lost'],
  effect: 'runs',
  run: async (engine, { agent, id, type, role }, params) => {
    // A caller that may write here may answer a question or say no; only the owner may let a call act.
    if (params.decision === 'approved' && !suffices(role, 'owner')) {
      return refuse({ reason: 'not-permitted', needs: 'owner', operation: 'turn.decide' });
    }
    const request = { agent, id, type: type === 'person' ? ('person' as const) : ('other' as const) };
    return engine.turns.decide(request, rootOfId(params.node), params);
  },
});

const ended = z
  .enum(['done', 'aborted', 'error', 'interrupted', 'max-rounds', 'no-room', 'limit'])
  .describe('How it ended: done means it ran to completion.');

const waitForTurn = defineOperation({
  name: 'turn.wait',
  summary: 'Waits for a turn to end and returns how it ended.',
  params: () => z.strictObject({ root: rootId, turn: turnId }),
  result: () =>
    z.strictObject({
      ended: ended.exactOptional().describe('How it ended; absent if this process stopped first.'),
    }),
  refusals: ['turn-not-found'],
  effect: 'reads',
  run: (engine, _caller, { root, turn }) => waitForEnd(engine, root, turn),
});

/** The end of a turn, whichever process runs it. */
async function waitForEnd(
  engine: LoomEngine,
  root: string,
  turn: string,
): Promise<Outcome<{ ended?: z.infer<typeof ended> }>> {
  const log = engine.forest.log(root);
  const { resting } = engine;
  const { value: known } = await log.read((state) => state.turns.get(turn));
  if (known === undefined) return refuse({ reason: 'turn-not-found', turn });
  // A turn of this process may stop without an end; it is closed when the conversation is opened again.
  const stopped = new AbortController();
  const leave = (): void => stopped.abort();
  void engine.turns.wait(turn).then((reason) => (reason === undefined ? undefined : leave()), leave);
  await untilEnded(log, turn, resting, stopped.signal);
  // A turn that ends now is not waited for, and the store may be closed already.
  const end = resting.aborted
    ? log.loaded?.turns.get(turn)?.ended
    : (await log.read((state) => state.turns.get(turn)?.ended)).value;
  return { ok: true, value: end === undefined ? {} : { ended: ended.parse(end.reason) } };
}

const turnResult = once(() =>
  z.strictObject({
    id: z.string(),
    node: z.string().describe('The node it answers.'),
    provider: z.string(),
    model: z.string(),
    settings: plainObject,
    tools: z.array(z.string()).readonly(),
    max_rounds: z.int(),
    leaves_calls: z.boolean().exactOptional().describe('Its calls are left to the caller.'),
    batch: z.string().exactOptional().describe('Shared by turns that were started together.'),
    started_by: z
      .literal('agent')
      .exactOptional()
      .describe('Its agent began it without being asked; absent if it was asked for.'),
    ended: ended.exactOptional().describe('How it ended; absent while it runs.'),
  }),
);

const listTurns = defineOperation({
  name: 'turn.list',
  summary: 'Lists the turns of a conversation, oldest first. Turns that ended long ago are no longer listed.',
  params: () =>
    z.strictObject({
      root: rootId,
      live: z.boolean().exactOptional().describe('Only running turns. Default: false.'),
      ...pageParams,
    }),
  result: () => pageOf(turnResult()),
  effect: 'reads',
  run: async (engine, _caller, { root, live = false, ...page }) => {
    const { cursor, value } = await engine.forest.log(root).read((state) => {
      const known = [...state.turns.values()].filter((turn) => !live || turn.ended === undefined);
      const sorted = known.sort((one, other) => (one.id < other.id ? -1 : 1));
      const { items, ...rest } = takePage(sorted, ({ id }) => id, page);
      return { items: items.map(turnAnswer), ...rest };
    });
    return { ok: true, value, cursor };
  },
});

function turnAnswer(turn: TurnState): z.infer<ReturnType<typeof turnResult>> {
  const { id, node, provider, model, settings, tools, maxRounds, leavesCalls, batch, startedBy, ended: end } = turn;
  return {
    id,
    node,
    provider,
    model,
    settings,
    tools,
    max_rounds: maxRounds,
    ...(leavesCalls === undefined ? {} : { leaves_calls: leavesCalls }),
    ...(batch === undefined ? {} : { batch }),
    ...(startedBy === undefined ? {} : { started_by: startedBy }),
    ...(end === undefined ? {} : { ended: ended.parse(end.reason) }),
  };
}

export const turnOperations = [
  startTurn,
  retryTurn,
  compactTurn,
  abortTurn,
  steerTurn,
  queueMessage,
  withdrawMessage,
  reorderMessage,
  decideCall,
  waitForTurn,
  listTurns,
] as const;
