import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootOfId } from '../block-tools/block-place.ts';
import type { LoomEngine } from '../engine.ts';
import { refuse } from '../refusal.ts';
import type { Outcome } from '../refusal.ts';
import type { TurnState } from '../state/root-state.ts';
import { returnedMessage, returnedMessages } from '../turn/abort.ts';
import { compact } from '../turn/room/compaction.ts';
import { startedTurns } from '../turn/generate-params.ts';
import type { GenerateParams } from '../turn/generate-params.ts';
import { readContent, userContent } from './content.ts';
import { nodeId, rootId } from './ids.ts';
import { defineOperation } from './operation.ts';
import { pageOf, pageParams, takePage } from './page.ts';

const turnId = z.string().min(1).describe('The id of a turn, as turn.start returns it.');

const answerParams = z.strictObject({
  node: nodeId.describe('The node to answer, or to answer again what leads to it.'),
  provider: z.string().describe('The id of a provider.'),
  model: z.string().min(1).describe('The name of a model of that provider.'),
  settings: plainObject.exactOptional().describe('Settings of the model, such as temperature. Default: none.'),
  tools: z
    .array(z.string())
    .exactOptional()
    .describe('The names of the tools that it may use. Default: those of the conversation.'),
  n: z
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe('How many answers, side by side; with several there are no tools. Default: 1.'),
  answers: z
    .array(
      z.strictObject({
        provider: z.string().describe('The id of a provider.'),
        model: z.string().min(1).describe('The name of a model of that provider.'),
        settings: plainObject.exactOptional().describe('Settings of the model. Default: none.'),
      }),
    )
    .max(100)
    .exactOptional()
    .describe('More answers beside those, by other models. Default: none.'),
  max_rounds: z
    .int()
    .min(1)
    .exactOptional()
    .describe('How many times the model may be called. Default: what its settings say as max_rounds, else 200.'),
});

function asGenerateParams({ max_rounds: maxRounds, ...params }: z.infer<typeof answerParams>): GenerateParams {
  return { ...params, ...(maxRounds === undefined ? {} : { maxRounds }) };
}

const startTurn = defineOperation({
  name: 'turn.start',
  summary:
    'Lets a model answer a node, or go on with an answer from its end, where the model can. Answers as soon as the turn has begun; turn.wait says when it is over.',
  params: answerParams,
  result: startedTurns,
  refusals: ['node-not-found', 'turn-live', 'unknown-provider', 'takes-no-prefix'],
  effect: 'runs',
  run: (engine, caller, params) => engine.turns.generate(caller, rootOfId(params.node), asGenerateParams(params)),
});

const retryTurn = defineOperation({
  name: 'turn.retry',
  summary:
    'Lets a model answer the nearest message of a user at or above a node once more; answers that are there stay beside the new one.',
  params: answerParams,
  result: startedTurns,
  refusals: ['node-not-found', 'turn-live', 'unknown-provider', 'nothing-to-answer'],
  effect: 'runs',
  run: (engine, caller, params) => engine.turns.retry(caller, rootOfId(params.node), asGenerateParams(params)),
});

const compactTurn = defineOperation({
  name: 'turn.compact',
  summary:
    'Lets a model sum up what leads to a node, and shows models only the summary below it. Answers when that is over; nothing is lost.',
  params: answerParams.omit({ n: true, answers: true }),
  result: z.strictObject({
    node: z.string().describe('The request for the summary, which models are shown the conversation from.'),
    summary: z.string().describe('The answer to it.'),
    ended: z
      .enum(['done', 'aborted', 'error', 'interrupted', 'max-rounds', 'no-room', 'stopped'])
      .describe('How it ended; unless it is done, models are shown everything as before.'),
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
  summary: 'Stops a turn. What it has said stays; messages that waited for it are given back.',
  params: z.strictObject({ root: rootId, turn: turnId }),
  result: returnedMessages,
  refusals: ['turn-not-found', 'turn-ended'],
  effect: 'runs',
  run: (engine, caller, { root, turn }) => engine.turns.abort(caller, root, turn),
});

const steerTurn = defineOperation({
  name: 'turn.steer',
  summary: 'Says something to a turn that is running: it is heard after the current round.',
  params: z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.turns.steer(caller, root, turn, readContent(content)),
});

const queueMessage = defineOperation({
  name: 'turn.queue',
  summary: 'Keeps a message until a turn is over; then it starts the next one.',
  params: z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.turns.queue(caller, root, turn, readContent(content)),
});

const withdrawMessage = defineOperation({
  name: 'turn.withdraw',
  summary: 'Gives back a message that waits for a turn; it is not said any more.',
  params: z.strictObject({
    root: rootId,
    message: z.string().min(1).describe('The id of the message, as the feed of the conversation tells it.'),
  }),
  result: returnedMessage,
  refusals: ['message-taken'],
  effect: 'runs',
  run: (engine, caller, { root, message }) => engine.turns.withdraw(caller, root, message),
});

const reorderMessage = defineOperation({
  name: 'turn.reorder',
  summary: 'Lets a message that is queued for a turn be said before another one of the same queue, or last.',
  params: z.strictObject({
    root: rootId,
    message: z.string().min(1).describe('The id of the message, as the feed of the conversation tells it.'),
    before: z.string().min(1).nullable().describe('The id of the one that it is to be said before; null: last.'),
  }),
  result: z.null(),
  refusals: ['message-taken'],
  effect: 'runs',
  run: (engine, caller, { root, message, before }) => engine.turns.reorder(caller, root, message, before),
});

const decideCall = defineOperation({
  name: 'turn.decide',
  summary: 'Approves or denies a call of a tool that waits for a person, or answers its question. Only a person may.',
  params: z.strictObject({
    node: nodeId.describe('The node of the call, whose tool is waiting.'),
    decision: z.enum(['approved', 'denied', 'answered']).describe('What the person says.'),
    arguments: z.string().describe('The exact arguments that the person saw: others are not decided on.'),
    text: z.string().exactOptional().describe('Why it was denied, or the answer to its question.'),
  }),
  result: z.strictObject({ turn: z.string() }),
  refusals: ['call-not-found', 'turn-ended', 'already-decided', 'not-waiting', 'call-changed', 'lease-lost'],
  effect: 'runs',
  run: (engine, { agent, id, type }, params) => {
    const request = { agent, id, type: type === 'person' ? ('person' as const) : ('other' as const) };
    return engine.turns.decide(request, rootOfId(params.node), params);
  },
});

const ended = z
  .enum(['done', 'aborted', 'error', 'interrupted', 'max-rounds', 'no-room'])
  .describe('How it ended: done is its own end.');

const waitForTurn = defineOperation({
  name: 'turn.wait',
  summary: 'Answers when a turn is over, with how it ended.',
  params: z.strictObject({ root: rootId, turn: turnId }),
  result: z.strictObject({
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
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = log.subscribe((item) => {
    if (item.type === 'resync') resolve();
    else if (item.type === 'change' && item.events.some((event) => event.type === 'turn-ended' && event.turn === turn))
      resolve();
  });
  const { resting } = engine;
  const leave = (): void => resolve();
  resting.addEventListener('abort', leave);
  try {
    const { value: known } = await log.read((state) => state.turns.get(turn));
    if (known === undefined) return refuse({ reason: 'turn-not-found', turn });
    // A turn of this process may stop without an end; it is closed when the conversation is opened again.
    void engine.turns.wait(turn).then((reason) => (reason === undefined ? undefined : resolve()), resolve);
    if (known.ended === undefined && !resting.aborted) await promise;
    // What ends now is not waited for, and the store may be closed already.
    const end = resting.aborted
      ? log.loaded?.turns.get(turn)?.ended
      : (await log.read((state) => state.turns.get(turn)?.ended)).value;
    return { ok: true, value: end === undefined ? {} : { ended: ended.parse(end.reason) } };
  } finally {
    resting.removeEventListener('abort', leave);
    stop();
  }
}

const turnResult = z.strictObject({
  id: z.string(),
  node: z.string().describe('The node that it answers.'),
  provider: z.string(),
  model: z.string(),
  settings: plainObject,
  tools: z.array(z.string()).readonly(),
  max_rounds: z.int(),
  batch: z.string().exactOptional().describe('The same for turns that were started together.'),
  ended: ended.exactOptional().describe('How it ended; absent while it runs.'),
});

const listTurns = defineOperation({
  name: 'turn.list',
  summary: 'Lists the turns of a conversation, the first one first. Those that ended long ago are not known any more.',
  params: z.strictObject({
    root: rootId,
    live: z.boolean().exactOptional().describe('Only those that are running. Default: false.'),
    ...pageParams,
  }),
  result: pageOf(turnResult),
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

function turnAnswer(turn: TurnState): z.infer<typeof turnResult> {
  const { id, node, provider, model, settings, tools, maxRounds, batch, ended: end } = turn;
  return {
    id,
    node,
    provider,
    model,
    settings,
    tools,
    max_rounds: maxRounds,
    ...(batch === undefined ? {} : { batch }),
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
