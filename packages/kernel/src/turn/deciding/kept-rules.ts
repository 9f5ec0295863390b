import { surroundingsOf } from '../../root-settings.ts';
import type { PermissionRule } from '../../op.ts';
import type { RuleKeeper } from '../../ports.ts';
import { refuseValue } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import { callOf, decideApproval, isRunByProvider } from '../turn-decisions.ts';
import type { ApprovalParams } from './approval-params.ts';

/**
 * Stores the rules of a decision that reaches beyond its conversation, exactly as they were shown; in the conversation's folder, they get
 * that folder. Done before the decision is logged: a rule without its decision changes little, a decision without its rule would promise too
 * much. The rules of agents that run their tools are kept by the agents.
 */
export async function keepRules(
  keeper: RuleKeeper | undefined,
  state: RootState,
  params: ApprovalParams,
  by: string,
): Promise<Refused | undefined> {
  const { decision, scope = 'once' } = params;
  if (decision !== 'approved' || (scope !== 'folder' && scope !== 'anywhere')) return undefined;
  const node = state.nodes.get(params.node);
  if (node === undefined || isRunByProvider(callOf(state, node))) return undefined;
  // A decision that will be refused stores nothing.
  const tried = decideApproval(state, params, 'anyone');
  if (!tried.ok) return undefined;
  if (keeper === undefined)
    return refuseValue(['scope'], 'must be once or conversation: no configuration keeps rules here');
  const { directory } = surroundingsOf(state.config);
  if (scope === 'folder' && directory === undefined) {
    return refuseValue(['scope'], 'must not be folder: the conversation has none');
  }
  for (const rule of node.ask?.rules ?? []) await keeper.add(within(rule, scope, directory), by);
  return undefined;
}

function within(rule: PermissionRule, scope: 'folder' | 'anywhere', directory: string | undefined): PermissionRule {
  return scope === 'folder' && rule.directory === undefined && directory !== undefined ? { ...rule, directory } : rule;
}
