import type { PlainObject } from '@loom/blocks';
import { isVisible, liveChildren, pathTo } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import { endsOf, missingAbove } from '../import-note.ts';
import { NodeNames } from './node-names.ts';

// A program may keep one conversation in several files, each of which begins below a line of another one.

/** The number of lines remembered after one message. */
const mostEnds = 8;

/**
 * Returns the node below which a message under an answer or one of its results goes: the last of these results; a result also goes below all parts of
 * its answer.
 */
export function endOfPassage(state: RootState, node: NodeState, { role: coming }: Pick<NodeState, 'role'>): NodeState {
  let end = node;
  for (;;) {
    const below = liveChildren(state, end.id);
    // Without results in between, the same answer continues.
    const isAsking = coming === 'tool' && end.blocks.some(({ type }) => type === 'tool-use');
    const next =
      below.find(({ role }) => role === 'tool') ??
      (isAsking ? below.find(({ role }) => role === 'assistant') : undefined);
    if (next === undefined) return end;
    end = next;
  }
}

/** Remembers that a line that is not a message stands after a message. */
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
 * Moves the first message that had become a top below its parent in the source, if that has come meanwhile and users have not moved the message. One
 * at a time: the next may go below it.
 */
export function decideAttach(state: RootState, source: string): Decision<RootOp, { attached: boolean }> {
  for (const node of liveChildren(state, state.id)) {
    const line = node.origin?.source === source ? missingAbove(node) : undefined;
    const names = NodeNames.of(state, source);
    // The whole that a part belongs to is known even if the line above the part is not a message.
    const above = line === undefined ? undefined : (names.findLine(line) ?? names.wholeOf(node));
    // Below a deleted message it would be hidden.
    if (above === undefined || !isVisible(state, above.id) || pathTo(state, above.id).includes(node)) continue;
    const answered = firstAnswered(state, above, node);
    const parent = answered?.parent ?? endOfPassage(state, above, node).id;
    // The children of a message go below all parts of it.
    const below = answered === undefined && names.isPart(node) ? liveChildren(state, parent) : [];
    const following = answered === undefined ? below.filter(({ origin }) => origin?.source === source) : [answered];
    const ops: RootOp[] = [
      { type: 'node-moved', node: node.id, parent },
      { type: 'node-changed', node: node.id, set: { note: noteOfAttached(node.note) } },
    ];
    for (const next of following)
      ops.push({ type: 'node-moved', node: next.id, parent: endOfPassage(state, node, next).id });
    return { ok: true, ops, value: { attached: true }, time: state.updated };
  }
  return { ok: true, ops: [], value: { attached: false } };
}

/** Returns the note of a message that hangs below its parent in the source. */
export function noteOfAttached(note: PlainObject | undefined): PlainObject {
  const { above: _above, ...rest } = note ?? {};
  return rest;
}

/** Returns the first result below an answer that belongs to a call of another part of the answer. That part has to come before it. */
function firstAnswered(state: RootState, answer: NodeState, part: NodeState): NodeState | undefined {
  const calls = new Set(part.blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : [])));
  let next: NodeState | undefined = answer;
  do next = liveChildren(state, next.id).find(({ role }) => role === 'tool');
  while (next !== undefined && !calls.has(next.tool_call_id ?? ''));
  return next;
}
