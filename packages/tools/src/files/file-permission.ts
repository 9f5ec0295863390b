import { stableDeepEqual } from '@loom/blocks';
import type { PermissionRule } from '@loom/kernel';
import { isRepositoryPath, isSecretPath } from '../folder/secret-paths.ts';
import type { PermissionDecision, PermissionRequest } from './permission.ts';

/**
 * Decides about files without a policy: reads run, but for secrets; changes ask a person, but for those of mode `edit` below the folder;
 * mode `plan` denies changes. What is written into the repository's own folder may be run later, so it always asks.
 */
export function decideFilePermission(request: PermissionRequest): PermissionDecision {
  const { tool, effect, path, directory, mode, allowed } = request;
  const rule: PermissionRule = { tool, path, directory, effect: 'allow' };
  const isSecret = isSecretPath(path);
  const isAllowed = allowed.some((known) => stableDeepEqual(known, rule));
  if (effect === 'reads') {
    if (!isSecret || isAllowed) return { permission: 'run' };
    return {
      permission: 'ask',
      rules: [rule],
      reason: `${path} may hold passwords or keys; the model would see them.`,
    };
  }
  if (mode === 'plan') {
    return { permission: 'deny', reason: 'This conversation is in plan mode: files can be read, but not changed.' };
  }
  if (isRepositoryPath(path)) {
    return {
      permission: 'ask',
      reason: `${path} belongs to the repository itself; what is written there may be run later.`,
    };
  }
  if (isAllowed || ((mode === 'edit' || mode === 'sandbox') && !isSecret)) return { permission: 'run' };
  return { permission: 'ask', rules: [rule] };
}
