import type { PlainObject } from '@loom/blocks';
import type { ApprovalMode, ProviderOffer } from '@loom/kernel';

/** The permissions of Codex for a mode of Loom. */
export interface CodexMode {
  /** The moments at which it asks: `untrusted` before every command that is not known to be harmless, `on-request` where the sandbox would stop it, or `never`. */
  readonly approvalPolicy: 'untrusted' | 'on-request' | 'never';
  readonly sandbox: 'read-only' | 'workspace-write';
}

/** Loom's modes in Codex's words. None of them leaves the sandbox without being asked. */
const modes: Readonly<Record<ApprovalMode, CodexMode>> = {
  plan: { approvalPolicy: 'never', sandbox: 'read-only' },
  ask: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  edit: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  sandbox: { approvalPolicy: 'never', sandbox: 'workspace-write' },
};

/** Returns the permissions for a mode; without one a person is asked. */
export function modeOf(mode: ApprovalMode | undefined): CodexMode {
  return modes[mode ?? 'ask'];
}

/** Returns the sandbox in the form in which a turn wants it. */
export function sandboxPolicy({ sandbox }: CodexMode): PlainObject {
  if (sandbox === 'read-only') return { type: 'readOnly', networkAccess: false };
  return {
    type: 'workspaceWrite',
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  };
}

export const offeredModes: NonNullable<ProviderOffer['modes']> = [
  { name: 'plan', about: 'reads, and changes nothing' },
  { name: 'ask', about: 'asks before every command that is not known to be harmless, and before every change' },
  { name: 'edit', about: 'changes files in the folder, and asks before it leaves the sandbox' },
  { name: 'sandbox', about: 'works in the sandbox without asking' },
];
