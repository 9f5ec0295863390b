import type { ApprovalMode, PermissionRule, ToolEffect } from '@loom/kernel';
import { coversCall, mayCoverCall } from './rule-match.ts';
import type { CallFacts } from './rule-match.ts';
import type { StoredRule } from './stored-rule.ts';

/** A question about permission. */
export interface PermissionRequest extends CallFacts {
  readonly effect: ToolEffect;
  readonly mode: ApprovalMode;
  /** The rules of the configuration, in their order. */
  readonly rules: readonly StoredRule[];
  /** The rules that an owner has allowed for the conversation. */
  readonly allowed: readonly PermissionRule[];
  /** For a call that runs a program: true if it is confined. */
  readonly isSandboxed?: boolean;
  /** The reason that its harm could not be undone: only a rule without a star covers such a call. */
  readonly danger?: string | undefined;
  /** The reason that a person has to look, whatever the mode says. */
  readonly concern?: string | undefined;
  /** The rules that "always" would store; none for a call that no rule should cover. */
  readonly offer?: readonly PermissionRule[];
}

/** The answer. `rule` is the one that decided, where it was one. */
export interface PermissionDecision {
  readonly permission: 'run' | 'ask' | 'deny';
  readonly rules?: PermissionRule[];
  readonly rule?: PermissionRule;
  /** A sentence about why. */
  readonly reason: string;
}

/** Decides if a call may run: the one place where rules and modes are weighed. Pure. */
export function decidePermission(request: PermissionRequest): PermissionDecision {
  const { mode, rules, allowed, effect, isSandboxed = false } = request;
  const known = rules.map(({ rule }) => rule);
  const denying = known.find((rule) => rule.effect === 'deny' && mayCoverCall(rule, request) === 'yes');
  if (denying !== undefined) return { permission: 'deny', rule: denying, reason: 'A rule denies it.' };
  const refused = refusedByMode(mode, effect, isSandboxed);
  if (refused !== undefined) return { permission: 'deny', reason: refused };
  // Read in their order; those of the conversation were given last.
  const deciding = [...known, ...allowed].find((rule) => matches(rule, request));
  // A line that cannot be read may hold what a rule denies or asks about.
  const doubt = known.some((rule) => rule.effect !== 'allow' && mayCoverCall(rule, request) === 'perhaps');
  if (deciding?.effect === 'allow' && !doubt) return { permission: 'run', rule: deciding, reason: 'A rule allows it.' };
  if (deciding?.effect === 'ask') return { permission: 'ask', rule: deciding, reason: 'A rule asks about it.' };
  const free = doubt ? undefined : freeByMode(request);
  if (free !== undefined) return { permission: 'run', reason: free };
  return asking(request, doubt);
}

function matches(rule: PermissionRule, request: PermissionRequest): boolean {
  if (rule.effect === 'deny') return false;
  if (rule.effect === 'ask') return mayCoverCall(rule, request) === 'yes';
  const isExact = rule.command !== undefined && !rule.command.trim().endsWith('*');
  return coversCall(rule, request) && (request.danger === undefined || isExact);
}

function refusedByMode(mode: ApprovalMode, effect: ToolEffect, isSandboxed: boolean): string | undefined {
  if (mode === 'plan' && effect === 'changes') return 'The conversation is in plan mode: nothing is changed yet.';
  if (effect !== 'runs' || isSandboxed) return undefined;
  if (mode === 'plan')
    return 'The conversation is in plan mode, and there is no sandbox in which a command could change nothing.';
  if (mode === 'sandbox') return 'The conversation is in sandbox mode, and there is no sandbox on this machine.';
  return undefined;
}

/** Returns the reason that a call needs no person in this mode. */
function freeByMode({ mode, effect, isSandboxed = false, host, concern }: PermissionRequest): string | undefined {
  if (concern !== undefined) return undefined;
  if (effect === 'reads') return 'It only reads.';
  if (effect === 'changes' && (mode === 'edit' || mode === 'sandbox'))
    return `Changes in the folder need no approval in ${mode} mode.`;
  const isConfined = effect === 'runs' && isSandboxed && host === undefined;
  return mode === 'sandbox' && isConfined ? 'It runs in the sandbox.' : undefined;
}

function asking({ offer = [], danger, concern }: PermissionRequest, doubt: boolean): PermissionDecision {
  if (danger !== undefined) return { permission: 'ask', reason: `It ${danger}.` };
  if (doubt)
    return { permission: 'ask', reason: 'It is more than one plain command, and a rule may be about a part of it.' };
  const reason = concern ?? 'No rule allows it.';
  return offer.length === 0 ? { permission: 'ask', reason } : { permission: 'ask', rules: [...offer], reason };
}
