import type { Decision } from '../log/log-shape.ts';
import type { RootOp } from '../op.ts';
import type { RootState } from '../state/root-state.ts';
import { refuse } from '../refusal.ts';
import { nodesOfTurn } from './turn-decisions.ts';

/**
 * Puts the messages that waited for a turn's end below it; the last one of them, or `null` if there are none. Those that were sent with a
 * credential that has ended since are not said.
 */
export function decideTakeWaiting(
  state: RootState,
  turn: string,
  endedCredentials: ReadonlySet<string>,
): Decision<RootOp, string | null> {
  const ended = state.turns.get(turn);
  const waiting = [...state.waiting.values()].filter((message) => message.turn === turn);
  if (ended === undefined || waiting.length === 0) return { ok: true, ops: [], value: null };
  let parent = nodesOfTurn(state, ended).at(-1)?.id ?? ended.node;
  let last: string | null = null;
  const ops = waiting.flatMap(({ id: message, blocks, credential = '' }): RootOp[] => {
    const taken: RootOp = { type: 'message-taken', id: message };
    if (endedCredentials.has(credential)) return [taken];
    const id = state.newNodeId();
    const node = { id, parent, role: 'user' as const, blocks, source: { type: 'user' as const } };
    parent = id;
    last = id;
    return [{ type: 'node-added', node }, taken];
  });
  return { ok: true, ops, value: last };
}

/** Puts the messages that steer a turn below a node of it, one below the other. Returns whether there were any. */
export function decideTakeSteering(state: RootState, turn: string, place: string): Decision<RootOp, boolean> {
  const ops: RootOp[] = [];
  let parent = place;
  for (const message of state.waiting.values()) {
    if (message.turn !== turn || message.kind !== 'steer') continue;
    const id = state.newNodeId();
    const seed = { id, parent, role: 'user' as const, blocks: message.blocks, source: { type: 'user' as const }, turn };
    ops.push({ type: 'node-added', node: seed }, { type: 'message-taken', id: message.id });
    parent = id;
  }
  return { ok: true, ops, value: ops.length > 0 };
}

/**
 * Lets a queued message be said before another one of the same turn, or last. All that come behind the first that moved are
 * taken and kept again in one change: so none is lost and none is said twice.
 */
export function decideReorder(state: RootState, message: string, before: string | null): Decision<RootOp, null> {
  const moved = state.waiting.get(message);
  if (moved?.kind !== 'queue') return refuse({ reason: 'message-taken', id: message });
  const queued = [...state.waiting.values()].filter(({ turn, kind }) => turn === moved.turn && kind === 'queue');
  const others = queued.filter(({ id }) => id !== message);
  const place = before === null ? others.length : others.findIndex(({ id }) => id === before);
  if (place === -1) return refuse({ reason: 'message-taken', id: before ?? '' });
  const order = others.toSpliced(place, 0, moved);
  const first = order.findIndex(({ id }, index) => id !== queued[index]?.id);
  const behind = first === -1 ? [] : order.slice(first);
  const ops = behind.flatMap((waiting): RootOp[] => [{ type: 'message-taken', id: waiting.id }, waiting]);
  return { ok: true, ops, value: null };
}
