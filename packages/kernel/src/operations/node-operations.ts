import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootOfId } from '../block-tools/block-place.ts';
import { appendValue, editValue, forkValue, nodeValue, removeValue } from '../forest/values.ts';
import { readContent, readMessage, saidMessage, textContent } from './content.ts';
import { forestDoors } from './doors.ts';
import { blockId, nodeId, placeId } from './ids.ts';
import { defineOperation } from './operation.ts';

/** What changes nodes. */

const appendMessages = defineOperation({
  name: 'node.append',
  summary:
    'Says something: adds messages below a node, one below the other, and returns their ids. What is there already with the same content is not added again. No model answers because of it.',
  params: z.strictObject({
    parent: placeId.describe('The node to go on from, or the conversation itself for a first message.'),
    messages: z.array(saidMessage).min(1).describe('What is said, first to last.'),
  }),
  result: appendValue,
  refusals: ['node-not-found', 'turn-live', 'orphan-result', 'empty-message'],
  effect: 'changes',
  role: 'appender',
  doors: forestDoors,
  run: (engine, caller, { parent, messages }) =>
    engine.forest.append(caller, rootOfId(parent), { parent, messages: messages.map(readMessage) }),
});

const editNode = defineOperation({
  name: 'node.edit',
  summary:
    'Gives a message another text. Where something follows it the new message stands beside the old one. Edited in place a message keeps its calls; one beside it has copies of all other blocks but no calls, because their results stay below the old one.',
  params: z.strictObject({
    node: nodeId,
    content: textContent,
    mode: z
      .enum(['sibling', 'in-place', 'split'])
      .exactOptional()
      .describe(
        'sibling: beside the old one; in-place: under what follows; split: sharing what both texts begin with. Default: in-place where nothing follows, else sibling.',
      ),
    expected: textContent
      .exactOptional()
      .describe('What the message says now, as a text or as blocks. The edit is refused if it says anything else.'),
  }),
  result: editValue,
  refusals: ['node-not-found', 'turn-live', 'bad-status', 'empty-message', 'text-mismatch'],
  effect: 'changes',
  run: (engine, caller, { content, ...params }) =>
    engine.forest.editNode(caller, rootOfId(params.node), { ...params, content: readContent(content) }),
});

const forkNode = defineOperation({
  name: 'node.fork',
  summary: 'Begins another branch in the middle of a message: right after a block, with everything up to it.',
  params: z.strictObject({ block_id: blockId.describe('The last block that the branch shares.') }),
  result: forkValue,
  refusals: ['node-not-found', 'block-not-found', 'turn-live', 'bad-status', 'orphan-result', 'empty-message'],
  effect: 'changes',
  run: (engine, caller, { block_id: block }) => engine.forest.fork(caller, rootOfId(block), { block }),
});

const removeNode = defineOperation({
  name: 'node.remove',
  summary: 'Deletes a node, with everything below it or alone. It can be restored; bookmarks protect it.',
  params: z.strictObject({
    node: nodeId,
    children: z
      .enum(['remove', 'reparent'])
      .exactOptional()
      .describe('What becomes of what is below: remove it too, or reparent it to the node above. Default: remove.'),
  }),
  result: removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked', 'results-need-calls'],
  effect: 'changes',
  run: (engine, caller, { node, children = 'remove' }) =>
    engine.forest.remove(caller, rootOfId(node), { node, children }),
});

const removeChildren = defineOperation({
  name: 'node.remove_children',
  summary: 'Deletes everything below a node, except what bookmarks protect.',
  params: z.strictObject({ node: nodeId }),
  result: removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.removeChildren(caller, rootOfId(node), node),
});

const removeSiblings = defineOperation({
  name: 'node.remove_siblings',
  summary: 'Deletes the nodes beside a node, with everything below them, except what bookmarks protect.',
  params: z.strictObject({ node: nodeId }),
  result: removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.removeSiblings(caller, rootOfId(node), node),
});

const restoreNode = defineOperation({
  name: 'node.restore',
  summary: 'Brings a deleted node back, with what was deleted together with it.',
  params: z.strictObject({ node: nodeId }),
  result: nodeValue,
  refusals: ['node-deleted'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.restore(caller, rootOfId(node), node),
});

const moveNode = defineOperation({
  name: 'node.move',
  summary:
    'Moves a node, with everything below it, below another one. In another conversation it is copied there and then deleted here.',
  params: z.strictObject({
    node: nodeId,
    parent: placeId.describe('The node that it comes to stand below, or a conversation.'),
  }),
  result: nodeValue.extend({
    removed: z.boolean().describe('False if it was copied, but became protected before it could be deleted.'),
  }),
  refusals: ['node-not-found', 'turn-live', 'bookmarked', 'results-need-calls'],
  effect: 'changes',
  run: (engine, caller, { node, parent }) =>
    engine.forest.moveToRoot(caller, { root: rootOfId(node), node }, { root: rootOfId(parent), parent }),
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

const markNode = defineOperation({
  name: 'node.mark',
  summary:
    'Gives a node a title, tags or data of its own, or says what models are not shown from there on. What is left out stays; null takes it away.',
  params: z.strictObject({
    node: nodeId,
    title: z.string().nullable().exactOptional().describe('What to call it.'),
    tags: z.array(z.string()).nullable().exactOptional().describe('Words to find it by.'),
    exclude: z
      .array(blockId)
      .nullable()
      .exactOptional()
      .describe('Blocks at or above the node that models are not shown from here on.'),
    context_start: z.boolean().nullable().exactOptional().describe('Models are not shown what is above the node.'),
    custom_data: plainObject.nullable().exactOptional().describe('Whatever a caller wants to keep with it.'),
  }),
  result: nodeValue,
  refusals: ['node-not-found'],
  effect: 'changes',
  run: (engine, caller, { node, ...marks }) => engine.forest.markNode(caller, rootOfId(node), { node, ...marks }),
});

const bookmarkNode = defineOperation({
  name: 'node.bookmark',
  summary: 'Gives a node a bookmark, which protects it and what leads to it from being deleted; null takes it away.',
  params: z.strictObject({ node: nodeId, title: z.string().nullable().describe('What to call it; may be empty.') }),
  result: nodeValue,
  refusals: ['node-not-found'],
  effect: 'changes',
  run: (engine, caller, { node, title }) => engine.forest.bookmark(caller, rootOfId(node), { node, title }),
});

export const nodeOperations = [
  appendMessages,
  editNode,
  forkNode,
  removeNode,
  removeChildren,
  removeSiblings,
  restoreNode,
  moveNode,
  mergeNode,
  markNode,
  bookmarkNode,
] as const;
