import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootOfId } from '../forest/reading/block-place.ts';
import { appendValue, editValue, forkValue, nodeValue, removeValue } from '../forest/values.ts';
import { readContent, readMessage, saidMessage, textContent } from './content.ts';
import { forestDoors } from './doors.ts';
import { blockId, nodeId, placeId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';

/** Operations that change nodes. */

const appendMessages = defineOperation({
  name: 'node.append',
  summary:
    'Adds messages below a node, each below the one before, and returns their ids. Messages that already exist there with the same content are not added again. No model is run.',
  params: () =>
    z.strictObject({
      parent: placeId.describe('The node to continue from, or the conversation itself for a first message.'),
      messages: z.array(saidMessage).min(1).describe('The messages, first to last.'),
      match: z
        .enum(['exact', 'said'])
        .exactOptional()
        .describe(
          'How to tell that a message already exists. exact: its content is the same. said: it is what a program repeats of an answer when it sends the whole conversation again; thinking, sources and errors may be missing, arguments spelled differently, adjacent texts joined, results in another order, white space at the end different. Default: exact.',
        ),
    }),
  result: () => appendValue,
  refusals: ['node-not-found', 'turn-live', 'orphan-result', 'empty-message'],
  effect: 'changes',
  role: 'appender',
  doors: forestDoors,
  run: (engine, caller, { parent, messages, ...how }) =>
    engine.forest.append(caller, rootOfId(parent), { parent, messages: messages.map(readMessage), ...how }),
});

const editNode = defineOperation({
  name: 'node.edit',
  summary:
    'Edits a message. If other messages follow it, the new message becomes a sibling of the old one. A message edited in place keeps its tool calls; a sibling gets copies of all blocks except calls, because their results stay below the old message.',
  params: () =>
    z.strictObject({
      node: nodeId,
      content: textContent,
      mode: z
        .enum(['sibling', 'in-place', 'split'])
        .exactOptional()
        .describe(
          'sibling: a new message beside the old one; in-place: change the message and keep what follows; split: share the common beginning of both texts. Default: in-place if nothing follows, otherwise sibling.',
        ),
      expected: textContent
        .exactOptional()
        .describe(
          'The current content of the message, as text or blocks. The edit is refused if the message says anything else.',
        ),
    }),
  result: () => editValue,
  refusals: ['node-not-found', 'turn-live', 'bad-status', 'empty-message', 'text-mismatch'],
  effect: 'changes',
  run: (engine, caller, { content, ...params }) =>
    engine.forest.editNode(caller, rootOfId(params.node), { ...params, content: readContent(content) }),
});

const forkNode = defineOperation({
  name: 'node.fork',
  summary: 'Starts a new branch in the middle of a message, right after a block, and keeps everything up to it.',
  params: () => z.strictObject({ block_id: blockId.describe('The last block to keep in the new branch.') }),
  result: () => forkValue,
  refusals: ['node-not-found', 'block-not-found', 'turn-live', 'bad-status', 'orphan-result', 'empty-message'],
  effect: 'changes',
  run: (engine, caller, { block_id: block }) => engine.forest.fork(caller, rootOfId(block), { block }),
});

const removeNode = defineOperation({
  name: 'node.remove',
  summary: 'Deletes a node, alone or with everything below it. It can be restored. Bookmarked nodes are protected.',
  params: () =>
    z.strictObject({
      node: nodeId,
      children: z
        .enum(['remove', 'reparent'])
        .exactOptional()
        .describe(
          'What happens to the nodes below: remove deletes them too, reparent moves them to the parent node. Default: remove.',
        ),
    }),
  result: () => removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked', 'results-need-calls'],
  effect: 'changes',
  run: (engine, caller, { node, children = 'remove' }) =>
    engine.forest.remove(caller, rootOfId(node), { node, children }),
});

const removeChildren = defineOperation({
  name: 'node.remove_children',
  summary: 'Deletes everything below a node, except what is protected by bookmarks.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.removeChildren(caller, rootOfId(node), node),
});

const removeSiblings = defineOperation({
  name: 'node.remove_siblings',
  summary: 'Deletes the siblings of a node and everything below them, except what is protected by bookmarks.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => removeValue,
  refusals: ['node-not-found', 'turn-live', 'bookmarked'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.removeSiblings(caller, rootOfId(node), node),
});

const restoreNode = defineOperation({
  name: 'node.restore',
  summary: 'Restores a deleted node, along with everything deleted with it.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => nodeValue,
  refusals: ['node-deleted'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.restore(caller, rootOfId(node), node),
});

const moveNode = defineOperation({
  name: 'node.move',
  summary:
    'Moves a node, with everything below it, to another parent. If that is in another conversation, the node is copied there and then deleted here.',
  params: () =>
    z.strictObject({
      node: nodeId,
      parent: placeId.describe('The new parent: a node or a conversation.'),
    }),
  result: () =>
    nodeValue.extend({
      removed: z.boolean().describe('False if it was copied but became protected before it could be deleted.'),
    }),
  refusals: ['node-not-found', 'turn-live', 'bookmarked', 'results-need-calls'],
  effect: 'changes',
  run: (engine, caller, { node, parent }) =>
    engine.forest.moveToRoot(caller, { root: rootOfId(node), node }, { root: rootOfId(parent), parent }),
});

const mergeNode = defineOperation({
  name: 'node.merge',
  summary: 'Merges a node with its parent into one message.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => nodeValue,
  refusals: ['node-not-found', 'turn-live', 'bad-status', 'bookmarked', 'cannot-merge'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.merge(caller, rootOfId(node), node),
});

const markNode = defineOperation({
  name: 'node.mark',
  summary:
    'Sets the title, tags or custom data of a node, or what is hidden from models from there on. Omitted fields stay as they are; null removes a value.',
  params: () =>
    z.strictObject({
      node: nodeId,
      title: z.string().nullable().exactOptional().describe('The new title.'),
      tags: z.array(z.string()).nullable().exactOptional().describe('Tags to find it by.'),
      exclude: z
        .array(blockId)
        .nullable()
        .exactOptional()
        .describe('Blocks at or above the node to hide from models from here on.'),
      context_start: z.boolean().nullable().exactOptional().describe('Models are shown nothing above the node.'),
      custom_data: plainObject.nullable().exactOptional().describe('Any data the caller wants to store with the node.'),
    }),
  result: () => nodeValue,
  refusals: ['node-not-found'],
  effect: 'changes',
  run: (engine, caller, { node, ...marks }) => engine.forest.markNode(caller, rootOfId(node), { node, ...marks }),
});

const bookmarkNode = defineOperation({
  name: 'node.bookmark',
  summary: 'Bookmarks a node, which protects it and the nodes above it from deletion; null removes the bookmark.',
  params: () =>
    z.strictObject({
      node: nodeId,
      title: z.string().nullable().describe('The title of the bookmark; may be empty.'),
    }),
  result: () => nodeValue,
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
