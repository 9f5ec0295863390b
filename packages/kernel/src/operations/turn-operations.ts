import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootOfId } from '../block-tools/block-place.ts';
import { readContent, userContent } from './content.ts';
import { nodeId, rootId } from './ids.ts';
import type { GenerateParams } from '../turn/generate-params.ts';
import { defineOperation } from './operation.ts';

const turnId = z.string().min(1).describe('The id of a turn, as turn.start returns it.');

const turnParams = z.strictObject({
  node: nodeId.describe('The node to answer.'),
  provider: z.string().describe('The id of a provider.'),
  model: z.string().min(1).describe('The name of a model of that provider.'),
  settings: plainObject.exactOptional().describe('Settings of the model, such as temperature.'),
  tools: z.array(z.string()).exactOptional().describe('The names of the tools that it may use. Default: none.'),
  n: z
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe('How many answers, side by side. With several there are no tools.'),
  max_rounds: z.int().positive().exactOptional().describe('How many times the model may be called. Default: 20.'),
});

function asGenerateParams({ max_rounds: maxRounds, ...params }: z.infer<typeof turnParams>): GenerateParams {
  return { ...params, ...(maxRounds === undefined ? {} : { maxRounds }) };
}

const turnsResult = z.strictObject({
  turns: z.array(z.string()),
  nodes: z.array(z.string()).describe('The nodes that the answers begin with.'),
});

const startTurn = defineOperation({
  name: 'turn.start',
  summary: 'Lets a model answer a node. Answers as soon as the turn has begun; turn.wait says when it is over.',
  params: turnParams,
  result: turnsResult,
  refusals: ['node-not-found', 'turn-live', 'unknown-provider'],
  effect: 'runs',
  run: (engine, caller, params) => engine.generate(caller, rootOfId(params.node), asGenerateParams(params)),
});

const retryTurn = defineOperation({
  name: 'turn.retry',
  summary:
    'Lets a model answer the nearest message of a user at or above a node; answers that are there stay beside the new one.',
  params: turnParams,
  result: turnsResult,
  refusals: ['node-not-found', 'nothing-to-answer', 'turn-live', 'unknown-provider'],
  effect: 'runs',
  run: (engine, caller, params) => engine.retry(caller, rootOfId(params.node), asGenerateParams(params)),
});

const steerTurn = defineOperation({
  name: 'turn.steer',
  summary: 'Says something to a turn that is running: it is heard after the current round.',
  params: z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.steer(caller, root, turn, readContent(content)),
});

const queueMessage = defineOperation({
  name: 'turn.queue',
  summary: 'Keeps a message until a turn is over; then it starts the next one.',
  params: z.strictObject({ root: rootId, turn: turnId, content: userContent }),
  result: z.null(),
  refusals: ['turn-not-found', 'turn-ended', 'empty-message'],
  effect: 'runs',
  run: (engine, caller, { root, turn, content }) => engine.queue(caller, root, turn, readContent(content)),
});

export const turnOperations = [startTurn, retryTurn, steerTurn, queueMessage] as const;
