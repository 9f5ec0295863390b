import type { PermissionRule, ToolContext, ToolEffect, ToolPermission } from '@loom/kernel';

/** A question about permission: a tool, and a path of the conversation's folder that it wants to use. */
export interface PermissionRequest {
  tool: string;
  effect: ToolEffect;
  /** The path below the directory, with links resolved. */
  path: string;
  directory: string;
  mode: NonNullable<ToolContext['approvalMode']>;
  /** The rules that an owner has allowed for this conversation. */
  allowed: readonly PermissionRule[];
}

/** The answer: may it run, must a person decide, or is it denied, with the rules that "always" would store. */
export interface PermissionDecision {
  permission: Exclude<ToolPermission, 'question'>;
  rules?: PermissionRule[];
  /** The rule that decided, if one did. */
  rule?: PermissionRule;
  reason?: string;
}

/** Decides about permissions. */
export type DecidePermission = (request: PermissionRequest) => PermissionDecision | Promise<PermissionDecision>;
