import { isPlainObject } from '@loom/blocks';
import { isVisible, liveChildren, pathTo } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { endsOf, missingAbove } from '../import-note.ts';
import { NodeNames } from './node-names.ts';

// A program may keep one conversation in several files, each of which begins below a line of another one.

/** So many lines are remembered behind one message. */
const mostEnds = 8;

/** What comes below an answer or one of its results comes behind the last of these. */
export function endOfPassage(state: RootState, node: NodeState): NodeState {
  let end = node;
  for (;;) {
    const next = liveChildren(state, end.id).find(({ role }) => role === 'tool');
    if (next === undefined) return end;
    end = next;
  }
}

/** Remembers that a line which is no message stands behind a message. */
export function decideEnd(
  state: RootState,
  { node: known, line }: { node: NodeState; line: string },
  source: string,
): Decision<RootOp, { node: string }> {
  const { id: node, note } = known;
  const ends = endsOf(known);
  if (ends.includes(line)) return { ok: true, ops: [], value: { node } };
  NodeNames.of(state, source).noteLines(node, [line]);
  const set = { note: { ...note, ends: [...ends, line].slice(-mostEnds) } };
  return { ok: true, ops: [{ type: 'node-changed', node, set }], value: { node }, time: state.updated };
}

/**
 * Hangs the first message that began a conversation anew below what is above it in its source, if that has come meanwhile and people have not moved the message.
 * One at a time: the next may come below it.
 */
export function decideAttach(state: RootState, source: string): Decision<RootOp, { attached: boolean }> {
  for (const node of liveChildren(state, state.id)) {
    const line = node.origin?.source === source ? missingAbove(node) : undefined;
    const above = line === undefined ? undefined : NodeNames.of(state, source).findLine(line);
    // Below what was deleted it would go out of sight.
    if (above === undefined || !isVisible(state, above.id) || pathTo(state, above.id).includes(node)) continue;
    const { above: _above, ...note } = isPlainObject(node.note) ? node.note : {};
    const ops: RootOp[] = [
      { type: 'node-moved', node: node.id, parent: endOfPassage(state, above).id },
      { type: 'node-changed', node: node.id, set: { note } },
    ];
    return { ok: true, ops, value: { attached: true }, time: state.updated };
  }
  return { ok: true, ops: [], value: { attached: false } };
}
