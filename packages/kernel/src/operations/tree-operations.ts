import { z } from 'zod';
import { messageBlock } from '@loom/blocks';
import { rootOfId } from '../forest/reading/block-place.ts';
import { diffBranches } from '../forest/reading/branch-diff.ts';
import { recentLeaves, siblingsOf, subtree, topology } from '../state/tree/queries.ts';
import { isVisible, liveChildren, pathTo } from '../state/tree/tree.ts';
import { undoValue } from '../forest/values.ts';
import type { RootState } from '../state/root-state.ts';
import { forestDoors } from './doors.ts';
import { nodeId, placeId, rootId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import { pageBehind, pageOf, pageParams } from './page.ts';
import { readPlace } from './read-root.ts';
import { nodeAnswer, nodeResult } from './results.ts';

/** Operations that show nodes and their tree. */

const nodes = z.strictObject({ nodes: z.array(nodeResult()) });
const depth = z
  .int()
  .nonnegative()
  .exactOptional()
  .describe('The number of levels to show below it; 0 shows only the node itself. Default: all.');

function answerAll(state: RootState, found: readonly { id: string }[]): z.infer<typeof nodes> {
  return { nodes: found.flatMap(({ id }) => nodeAnswer(state, id) ?? []) };
}

const getNode = defineOperation({
  name: 'node.get',
  summary: 'Reads a node: one message with its blocks. Deleted nodes can be read too and are marked as deleted.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => nodeResult(),
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { node }) => readPlace(engine, node, (state) => nodeAnswer(state, node)),
});

const getPath = defineOperation({
  name: 'node.path',
  summary: 'Reads a branch: the messages from the first one down to a node, inclusive.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => nodes,
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { node }) =>
    readPlace(engine, node, (state) => (state.nodes.has(node) ? answerAll(state, pathTo(state, node)) : undefined)),
});

const getChildren = defineOperation({
  name: 'node.children',
  summary:
    'Reads the nodes directly below a node, or the first messages of a conversation. More than one means branches.',
  params: () => z.strictObject({ node: placeId.describe('A node or a conversation.') }),
  result: () => nodes,
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { node }) =>
    readPlace(engine, node, (state) =>
      isVisible(state, node) ? answerAll(state, liveChildren(state, node)) : undefined,
    ),
});

const getSiblings = defineOperation({
  name: 'node.siblings',
  summary: 'Reads a node and its siblings: the branches that start at its parent.',
  params: () => z.strictObject({ node: nodeId }),
  result: () => nodes,
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { node }) =>
    readPlace(engine, node, (state) =>
      state.nodes.has(node) && isVisible(state, node) ? answerAll(state, siblingsOf(state, node)) : undefined,
    ),
});

const getTopology = defineOperation({
  name: 'tree.topology',
  summary:
    'Shows the shape of a conversation, or of the part below a node: ids, parents and roles, without the content of the messages.',
  params: () => z.strictObject({ top: placeId.describe('A conversation or a node.'), depth }),
  result: () =>
    z.strictObject({
      nodes: z.array(
        z.strictObject({ id: z.string(), parent: z.string(), role: z.enum(['user', 'assistant', 'tool']) }),
      ),
    }),
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { top, depth: levels }) =>
    readPlace(engine, top, (state) => (isVisible(state, top) ? { nodes: topology(state, top, levels) } : undefined)),
});

const getSubtree = defineOperation({
  name: 'tree.subtree',
  summary: 'Reads a conversation, or a node and everything below it: parents before children, a page at a time.',
  params: () => z.strictObject({ top: placeId.describe('A conversation or a node.'), depth, ...pageParams }),
  result: () => pageOf(nodeResult()),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: (engine, _caller, { top, depth: levels, ...page }) =>
    readPlace(engine, top, (state) => {
      if (!isVisible(state, top)) return undefined;
      const { items, ...rest } = pageBehind(subtree(state, top, levels), ({ id }) => id, page);
      return { items: answerAll(state, items).nodes, ...rest };
    }),
});

const placed = z.strictObject({ node: z.string(), block: messageBlock });

const diffTree = defineOperation({
  name: 'tree.diff',
  summary: 'Compares two branches of a conversation, block by block, from where they diverge.',
  params: () =>
    z.strictObject({
      left: nodeId.describe('The last node of one branch.'),
      right: nodeId.describe('The last node of the other branch, in the same conversation.'),
    }),
  result: () =>
    z.strictObject({
      ancestor: z.string().describe('The last node that both branches share, or the conversation.'),
      left: z.array(z.string()),
      right: z.array(z.string()),
      blocks: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.enum(['same', 'changed']), left: placed, right: placed }),
          z.strictObject({ type: z.literal('only-left'), left: placed }),
          z.strictObject({ type: z.literal('only-right'), right: placed }),
        ]),
      ),
    }),
  refusals: ['node-not-found'],
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { left, right }) =>
    // A node of another conversation does not belong to this one.
    readPlace(engine, rootOfId(left) === rootOfId(right) ? left : right, (state) =>
      state.nodes.has(left) && state.nodes.has(right) ? diffBranches(state, left, right) : undefined,
    ),
});

const getRecentLeaves = defineOperation({
  name: 'tree.recent_leaves',
  summary:
    'Finds the most recently active branches of a conversation and returns the last node of each, newest first. Read one with node.path; continue it with node.append.',
  params: () =>
    z.strictObject({
      root: rootId,
      limit: z.int().min(1).max(1000).exactOptional().describe('At most this many. Default: 10.'),
    }),
  result: () => nodes,
  effect: 'reads',
  doors: forestDoors,
  run: (engine, _caller, { root, limit = 10 }) =>
    readPlace(engine, root, (state) => answerAll(state, recentLeaves(state, limit))),
});

const undoTree = defineOperation({
  name: 'tree.undo',
  summary: "Undoes a change to a conversation, by default the caller's last one. Later changes by others stay.",
  params: () =>
    z.strictObject({
      root: rootId,
      change: z.int().positive().exactOptional().describe("The seq of the change. Default: the caller's last change."),
    }),
  result: () => undoValue,
  refusals: ['nothing-to-undo', 'changed-since', 'turn-live', 'bookmarked', 'node-not-found'],
  effect: 'changes',
  run: (engine, caller, { root, change }) => engine.forest.undo(caller, root, change),
});

const redoTree = defineOperation({
  name: 'tree.redo',
  summary: 'Redoes what the caller last undid with tree.undo.',
  params: () => z.strictObject({ root: rootId }),
  result: () => undoValue,
  refusals: ['nothing-to-undo', 'changed-since', 'turn-live', 'bookmarked', 'node-not-found'],
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.redo(caller, root),
});

export const treeOperations = [
  getNode,
  getPath,
  getChildren,
  getSiblings,
  getTopology,
  getSubtree,
  diffTree,
  getRecentLeaves,
  undoTree,
  redoTree,
] as const;
