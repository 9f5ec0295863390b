import type { PermissionRule, PreparedCall, ToolContext } from '@loom/kernel';
import { decidePermission } from './decide-permission.ts';
import type { PermissionDecision, PermissionRequest } from './decide-permission.ts';
import type { RulePort } from './stored-rule.ts';

/** The part of a request that a tool knows. */
export type ToolRequest = Omit<PermissionRequest, 'rules' | 'allowed' | 'mode' | 'directory'>;

type Surroundings = Pick<ToolContext, 'directory' | 'approvalMode' | 'allowed'>;

/** Decides about the calls of tools. */
export interface Permissions {
  decide(request: ToolRequest, context: Surroundings): Promise<PermissionDecision>;
}

/** Decides by the rules of the configuration and by the mode of the conversation. */
export function createPermissions(rules: Pick<RulePort, 'list'>): Permissions {
  return {
    async decide(request, { directory, approvalMode: mode = 'ask', allowed = [] }) {
      return decidePermission({ ...request, directory, mode, allowed, rules: await rules.list() });
    },
  };
}

/** Returns a decision as a tool's preparation. Where a person is asked, the preview ends with the reason, unless it is the usual one. */
export function preparedBy(
  { permission, reason, rules, rule }: PermissionDecision,
  preview: NonNullable<PreparedCall['preview']>,
): PreparedCall {
  const because = rule === undefined ? {} : { rule };
  if (permission === 'run') return { permission, ...because };
  if (permission === 'ask') return { permission, preview, ...because, ...(rules === undefined ? {} : { rules }) };
  const named = rule === undefined ? '' : ` ${ruleText(rule)}`;
  return { permission, preview: [{ type: 'text', text: `${reason}${named}` }], ...because };
}

/** Names a rule for a model, which cannot change it. */
function ruleText({ tool, command, path, host }: PermissionRule): string {
  const what = command ?? path ?? host;
  return `The rule is about ${what === undefined ? tool : `${tool}: ${what}`}. Do it in another way, or ask the person.`;
}
