import { stableDeepEqual } from '@loom/blocks';
import type { PermissionRule } from '../../op.ts';
import type { RootState } from '../../state/root-state.ts';

/** Returns true if an owner has allowed all these rules for this conversation. */
export function isAllowedBefore(state: RootState, rules: readonly PermissionRule[] = []): boolean {
  return areCovered(rules, allowedRules(state));
}

/** Returns the rules that an owner has allowed for this conversation. Those with a wider reach are in the configuration. */
export function allowedRules({ approvals }: RootState): PermissionRule[] {
  return [...approvals.values()].flatMap(({ decision, scope = 'once', rules = [] }) =>
    decision === 'approved' && scope === 'conversation' ? rules : [],
  );
}

/**
 * Returns true if rules are among those that were allowed. They are compared as data: the tool says what a rule covers, and
 * names the same rules for every call that they cover.
 */
export function areCovered(rules: readonly PermissionRule[], allowed: readonly PermissionRule[]): boolean {
  const isAllowed = (rule: PermissionRule): boolean => allowed.some((known) => stableDeepEqual(known, rule));
  return rules.length > 0 && rules.every((rule) => rule.effect === 'allow' && isAllowed(rule));
}
