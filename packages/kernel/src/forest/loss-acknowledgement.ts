import type { Decision } from '../log/log-shape.ts';
import type { ForestOp } from '../op.ts';
import type { Loss } from '../losses.ts';
import type { ForestState } from '../state/forest-state.ts';

/** Notes that a person knows of losses; those that are noted already are not noted twice. */
export function decideAcknowledgement(
  { acknowledged }: ForestState,
  losses: ReadonlyMap<string, Loss>,
): Decision<ForestOp, number> {
  const news = [...losses].filter(([log, loss]) => !acknowledged.has(log, loss));
  const ops = news.map(([log, { seq, epoch }]): ForestOp => {
    const noted = { type: 'loss-acknowledged' as const, log, seq };
    return epoch === undefined ? noted : { ...noted, epoch };
  });
  return { ok: true, ops, value: losses.size };
}
