import { z } from 'zod';
import { refuseMissingNode } from '../forest/obstacles.ts';
import { rootOfId } from '../block-tools/block-place.ts';
import { readMessage, saidMessage } from './content.ts';
import { nodeId, placeId } from './ids.ts';
import { defineOperation } from './operation.ts';
import { nodeAnswer, nodeResult, nodeValue } from './results.ts';

const appendMessages = defineOperation({
  name: 'node.append',
  summary:
    'Says something: adds messages below a node, one below the other. What is there already with the same content is not added again.',
  params: z.strictObject({
    parent: placeId.describe('The node to go on from, or the conversation itself for a first message.'),
    messages: z.array(saidMessage).min(1).describe('What is said, first to last.'),
  }),
  result: z.strictObject({
    nodes: z.array(z.string()).describe('The nodes that hold the messages, first to last.'),
    created: z.array(z.string()).describe('Those of them that are new.'),
  }),
  refusals: ['node-not-found', 'turn-live', 'orphan-result', 'empty-message'],
  effect: 'changes',
  run: (engine, caller, { parent, messages }) =>
    engine.forest.append(caller, rootOfId(parent), { parent, messages: messages.map(readMessage) }),
});

const getNode = defineOperation({
  name: 'node.get',
  summary: 'A node with its message. One that was deleted is there too, and says so.',
  params: z.strictObject({ node: nodeId }),
  result: nodeResult,
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, { node }) => {
    const { value } = await engine.forest.log(rootOfId(node)).read((state) => nodeAnswer(state, node));
    return value === undefined ? refuseMissingNode(node) : { ok: true, value };
  },
});

const mergeNode = defineOperation({
  name: 'node.merge',
  summary: 'Joins a node with the one above it into one message.',
  params: z.strictObject({ node: nodeId }),
  result: nodeValue,
  refusals: ['node-not-found', 'turn-live', 'bad-status', 'bookmarked', 'cannot-merge'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.merge(caller, rootOfId(node), node),
});

export const nodeOperations = [appendMessages, getNode, mergeNode] as const;
