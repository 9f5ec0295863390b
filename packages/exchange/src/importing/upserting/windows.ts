import { isPlainObject } from '@loom/blocks';
import { liveChildren, pathTo } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { keysOf } from '../import-note.ts';

// A program may keep one conversation in several files, each of which begins below a line of another one.

/** So many lines are remembered behind one message. */
const mostEnds = 8;

/** The message that a line of the source belongs to, or stands behind. Every message is looked at: few files need this. */
export function nodeOfLine(state: RootState, line: string, source: string): NodeState | undefined {
  for (const node of state.nodes.values())
    if (endsOf(node).includes(line) || keysOf(node, source).has(line)) return node;
  return undefined;
}

/** What comes below an answer or one of its results comes behind the last of these. */
export function endOfPassage(state: RootState, node: NodeState): NodeState {
  let end = node;
  for (;;) {
    const next = liveChildren(state, end.id).find(({ role }) => role === 'tool');
    if (next === undefined) return end;
    end = next;
  }
}

/** What is above a message in its source, and was not there when it came. */
export function missingAbove({ note }: NodeState): string | undefined {
  const above = note?.['above'];
  return typeof above === 'string' ? above : undefined;
}

/** Remembers that a line which is no message stands behind a message. */
export function decideEnd(
  state: RootState,
  { node: known, line }: { node: NodeState; line: string },
): Decision<RootOp, { node: string }> {
  const { id: node, note } = known;
  const ends = endsOf(known);
  if (ends.includes(line)) return { ok: true, ops: [], value: { node } };
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
    const above = line === undefined ? undefined : nodeOfLine(state, line, source);
    if (above === undefined || pathTo(state, above.id).includes(node)) continue;
    const { above: _above, ...note } = isPlainObject(node.note) ? node.note : {};
    const ops: RootOp[] = [
      { type: 'node-moved', node: node.id, parent: endOfPassage(state, above).id },
      { type: 'node-changed', node: node.id, set: { note } },
    ];
    return { ok: true, ops, value: { attached: true }, time: state.updated };
  }
  return { ok: true, ops: [], value: { attached: false } };
}

function endsOf({ note }: NodeState): string[] {
  const ends = note?.['ends'];
  return Array.isArray(ends) ? ends.filter((line) => typeof line === 'string') : [];
}
