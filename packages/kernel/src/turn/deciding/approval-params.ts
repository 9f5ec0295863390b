import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import { answer, approvalMode, decisionScope } from '../../op.ts';
import type { Answer, Ask, Question } from '../../op.ts';
import { readJson } from '../../read-json.ts';
import { refuseValue } from '../../refusal.ts';
import type { Approval } from '../../provider.ts';
import type { Refused } from '../../refusal.ts';
import type { ApprovalState } from '../../state/root-state.ts';

/** A person's decision about a call, bound to the arguments that the person saw. */
export const approvalParams = z.strictObject({
  node: z.string(),
  decision: z.enum(['approved', 'denied', 'answered']),
  arguments: z.string(),
  text: z.string().exactOptional(),
  scope: decisionScope.exactOptional(),
  answers: z.array(answer).min(1).exactOptional(),
  arguments_changed: z.string().exactOptional(),
  mode: approvalMode.exactOptional(),
});
export type ApprovalParams = z.infer<typeof approvalParams>;

/**
 * Refuses a decision that does not fit the question to the person: an answer is not an approval, and "always" needs the
 * rules that were shown.
 */
export function refuseMisfit(params: ApprovalParams, ask: Ask | undefined): Refused | undefined {
  const { decision, scope = 'once', answers, arguments_changed: changed, mode } = params;
  if (decision === 'answered' && ask?.kind !== 'question') {
    return refuseValue(['decision'], 'must be approved or denied: this call asks for permission, not for an answer');
  }
  if (scope !== 'once' && (decision === 'answered' || ask?.rules === undefined)) {
    return refuseValue(['scope'], 'must be once: no rules were shown that could be stored');
  }
  if (answers !== undefined) {
    if (decision !== 'answered') return refuseValue(['answers'], 'belong to the decision answered');
    const misfit = refuseAnswers(answers, ask?.questions ?? []);
    if (misfit !== undefined) return misfit;
  }
  if (mode !== undefined && (decision !== 'approved' || ask?.modes?.includes(mode) !== true)) {
    return refuseValue(['mode'], 'must be one that the call offers, and belongs to the decision approved');
  }
  if (changed === undefined) return undefined;
  if (decision !== 'approved') return refuseValue(['arguments_changed'], 'belong to the decision approved');
  return isPlainObject(readJson(changed)) ? undefined : refuseValue(['arguments_changed'], 'must be a JSON object');
}

function refuseAnswers(answers: readonly Answer[], questions: readonly Question[]): Refused | undefined {
  if (answers.length !== questions.length) {
    return refuseValue(['answers'], `must be one for each question, of which there are ${questions.length}`);
  }
  for (const [index, { chosen = [], text }] of answers.entries()) {
    const { choices = [], several } = questions[index] ?? {};
    const unknown = chosen.find((label) => !choices.some((choice) => choice.label === label));
    if (unknown !== undefined) return refuseValue(['answers', index, 'chosen'], `${unknown} is not among the choices`);
    if (chosen.length > 1 && several !== true) {
      return refuseValue(['answers', index, 'chosen'], 'must be one choice: the question takes no more');
    }
    if (chosen.length === 0 && text === undefined) {
      return refuseValue(['answers', index], 'must have a choice or a text');
    }
  }
  return undefined;
}

/** Returns a decision in the form that a provider gets. */
export function toldApproval({
  arguments: _exact,
  at: _at,
  by = '',
  arguments_changed: changed,
  ...said
}: ApprovalState): Approval {
  const parameters = changed === undefined ? undefined : readJson(changed);
  return { ...said, by, ...(isPlainObject(parameters) ? { parameters } : {}) };
}
