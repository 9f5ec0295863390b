import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import { refuse } from '../../refusal.ts';
import { limitQuestionAt } from '../../state/limit-questions.ts';
import type { RootState } from '../../state/root-state.ts';
import { refuseMisfit } from './approval-params.ts';
import type { ApprovalParams } from './approval-params.ts';

/**
 * Logs a person's decision about a turn that has reached a spending limit. It is bound to the amounts that the person saw. What follows an
 * approval is another turn, started in the same change.
 */
export function decideLimit(state: RootState, params: ApprovalParams): Decision<RootOp, { turn: string }> {
  const question = limitQuestionAt(state, params.node);
  if (question === undefined) return refuse({ reason: 'already-decided', node: params.node });
  if (question.arguments !== params.arguments) return refuse({ reason: 'call-changed', node: params.node });
  const misfit = refuseMisfit(params, question.ask);
  if (misfit !== undefined) return misfit;
  const { id: turn } = question.turn;
  const { node, decision, arguments: exact, text } = params;
  const said = text === undefined ? {} : { text };
  return {
    ok: true,
    ops: [{ type: 'approval', turn, node, decision, arguments: exact, ...said }],
    value: { turn },
  };
}
