import type { ApprovalMode, PermissionRule, ToolEffect } from '@loom/kernel';
import { isRepositoryPath, isSecretPath } from '../folder/secret-paths.ts';
import { decidePermission } from './decide-permission.ts';
import type { PermissionDecision } from './decide-permission.ts';
import type { RulePort } from './stored-rule.ts';

/** A question about a file of the conversation's folder. */
export interface FileRequest {
  tool: string;
  effect: ToolEffect;
  /** The path below the directory, with links resolved. */
  path: string;
  directory: string;
  mode: ApprovalMode;
  allowed: readonly PermissionRule[];
}

/**
 * Decides about files by rules and modes. Files that may hold keys ask in every mode; so does what belongs to the repository itself, which
 * may be run later and gets no rule.
 */
export async function decideFile(
  rules: Pick<RulePort, 'list'>,
  request: FileRequest,
): Promise<Omit<PermissionDecision, 'reason'> & { reason?: string }> {
  const { tool, path, directory, effect } = request;
  const isRepository = effect !== 'reads' && isRepositoryPath(path);
  const concern = isRepository
    ? `${path} belongs to the repository itself; what is written there may be run later.`
    : isSecretPath(path)
      ? `${path} may hold passwords or keys; the model would see them.`
      : undefined;
  // In a rule a star stands for anything.
  const offer: PermissionRule[] =
    isRepository || path.includes('*') ? [] : [{ tool, path, directory, effect: 'allow' }];
  const { reason, ...decision } = decidePermission({ ...request, rules: await rules.list(), concern, offer });
  const isTold = decision.permission === 'deny' || concern !== undefined || decision.rule !== undefined;
  return isTold ? { ...decision, reason } : decision;
}
