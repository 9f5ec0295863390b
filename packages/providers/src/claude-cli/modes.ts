import type { PlainObject } from '@loom/blocks';
import type { ApprovalMode } from '@loom/kernel';

/** A permission mode of Claude Code, with the settings that it needs beside it. */
interface ClaudeMode {
  readonly name: string;
  readonly settings?: PlainObject;
}

/** Loom's modes in the terms of Claude Code. Its own sandbox runs commands without asking; where it has none, it asks. */
export const claudeModes: Readonly<Record<ApprovalMode, ClaudeMode>> = {
  plan: { name: 'plan' },
  ask: { name: 'default' },
  edit: { name: 'acceptEdits' },
  sandbox: {
    name: 'acceptEdits',
    settings: { sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false } },
  },
};

/** The modes that the approval of a plan may lead to. Its sandbox is a setting that a running program does not take. */
export const modesAfterPlan: [ApprovalMode, ...ApprovalMode[]] = ['ask', 'edit'];

/** Returns Loom's mode for a permission mode that the program can be switched to; `undefined` for those that ask nothing at all. */
export function modeNamed(name: string): ApprovalMode | undefined {
  return (['plan', 'ask', 'edit'] as const).find((mode) => claudeModes[mode].name === name);
}

/**
 * Returns Loom's mode of a program that was started in one mode, and says that it is in another: a person may have approved a plan, and the model
 * may have begun one. `undefined` if Loom has no such mode: the program is not used again.
 */
export function modeNow(started: ApprovalMode, name: string | undefined): ApprovalMode | undefined {
  if (name === undefined || name === claudeModes[started].name) return started;
  return started === 'sandbox' ? undefined : modeNamed(name);
}
