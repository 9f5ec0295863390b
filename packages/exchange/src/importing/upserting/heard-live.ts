import type { NodeState, RootState } from '@loom/kernel';
import { liveChildren } from '@loom/kernel';
import { exportedAs, exportsIn, nameNode } from '@loom/kernel/logs';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { NodeNames } from './node-names.ts';
import type { PreparedNode, UpsertValue } from './upsert.ts';

// Loom listens to an agent while it runs, and imports its session afterwards: the session says again what Loom has heard.

/** Returns true if Loom has spoken in a conversation of the source, or has written it for that program. */
function isShared(state: RootState, source: string): boolean {
  return exportsIn(state.config).some((known) => known.source === source);
}

/**
 * Passes over what a program said to its model alone beside messages that Loom wrote or heard: what comes below it goes below those. `undefined` if
 * the message is not such a one.
 */
export function passOver(
  state: RootState,
  node: PreparedNode,
  source: string,
): Decision<RootOp, UpsertValue> | undefined {
  if (node.aside !== true || !isShared(state, source)) return undefined;
  const names = NodeNames.of(state, source);
  const above = node.parent === undefined ? undefined : names.keptName(node.parent);
  const parent = above === undefined ? undefined : names.find(above);
  if (above !== undefined && (parent === undefined || exportedAs(parent, source) === undefined)) return undefined;
  names.passOver(node.id, above);
  return { ok: true, ops: [], value: { node: parent?.id ?? '', isNew: false, blocks: 0 } };
}

/**
 * Names a message that Loom has heard, or sent, whose name did not reach it before it was stopped: the result of the same call, or the same words at
 * the same place. `undefined` if there is none.
 */
export function nameHeard(
  state: RootState,
  node: PreparedNode,
  source: string,
): Decision<RootOp, UpsertValue> | undefined {
  if (!isShared(state, source)) return undefined;
  const names = NodeNames.of(state, source);
  const heard = node.role === 'tool' ? names.findUnnamedResult(node.tool_call_id ?? '') : promptOf(state, node, source);
  if (heard === undefined) return undefined;
  names.noteName(heard, node.id);
  const keys = node.blocks.map(({ key }) => key);
  const ops = [nameNode(heard, source, { id: node.id, keys })];
  return { ok: true, ops, value: { node: heard.id, isNew: false, blocks: 0 }, time: state.updated };
}

/** Returns the message of a person with the same words at the same place, unless it has a name in the source. */
function promptOf(state: RootState, node: PreparedNode, source: string): NodeState | undefined {
  if (node.role !== 'user') return undefined;
  const names = NodeNames.of(state, source);
  const above = node.parent === undefined ? undefined : names.keptName(node.parent);
  const parent = above === undefined ? state.id : names.find(above)?.id;
  if (parent === undefined) return undefined;
  const words = wordsOf(node.blocks.map(({ block }) => block));
  return liveChildren(state, parent).find(
    (child) =>
      child.role === 'user' &&
      child.origin === undefined &&
      exportedAs(child, source) === undefined &&
      wordsOf(child.blocks) === words,
  );
}

function wordsOf(blocks: NodeState['blocks']): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
