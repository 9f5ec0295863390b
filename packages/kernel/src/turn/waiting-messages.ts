import type { Decision } from '../log/log-shape.ts';
import type { RootOp } from '../op.ts';
import type { RootState } from '../state/root-state.ts';
import { nodesOfTurn } from './turn-decisions.ts';

/** Puts the messages that waited for a turn's end below it; the last one of them, or `null` if there are none. */
export function decideTakeWaiting(state: RootState, turn: string): Decision<RootOp, string | null> {
  const ended = state.turns.get(turn);
  const waiting = [...state.waiting.values()].filter((message) => message.turn === turn);
  if (ended === undefined || waiting.length === 0) return { ok: true, ops: [], value: null };
  let parent = nodesOfTurn(state, ended).at(-1)?.id ?? ended.node;
  const ops = waiting.flatMap(({ id: message, blocks }): RootOp[] => {
    const id = state.newNodeId();
    const node = { id, parent, role: 'user' as const, blocks, source: { type: 'user' as const } };
    parent = id;
    return [
      { type: 'node-added', node },
      { type: 'message-taken', id: message },
    ];
  });
  return { ok: true, ops, value: parent };
}
