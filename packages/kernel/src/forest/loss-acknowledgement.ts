import type { Decision } from '../log/log-shape.ts';
import type { ForestOp } from '../op.ts';
import type { ForestState } from '../state/forest-state.ts';

/** Notes that a person knows of losses; those that are noted already are not noted twice. */
export function decideAcknowledgement(
  { acknowledged }: ForestState,
  losses: ReadonlyMap<string, { seq: number }>,
): Decision<ForestOp, number> {
  const ops = Array.from(losses, ([log, { seq }]) => ({ type: 'loss-acknowledged' as const, log, seq }));
  return { ok: true, ops: ops.filter(({ log, seq }) => (acknowledged.get(log) ?? 0) < seq), value: losses.size };
}
