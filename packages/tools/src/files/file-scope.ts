import type { z } from 'zod';
import { describeProblems } from '@loom/blocks';
import type { ToolContext, ToolOutcome } from '@loom/kernel';
import { ConfinedFolder } from '../folder/confined-folder.ts';
import { PathError } from '../folder/path-error.ts';
import { ToolMistake } from './file-call.ts';
import type { FileCall, FileScope } from './file-call.ts';
import type { PermissionDecision } from './permission.ts';

/** Opens the folder of the conversation that a call belongs to. */
export async function openScope({ context, parts }: FileCall): Promise<FileScope> {
  const { directory } = context;
  if (directory === undefined) throw new ToolMistake(noFolder);
  return { folder: await ConfinedFolder.open(directory), context, memory: parts.memory };
}

const noFolder =
  'This conversation has no folder, so there are no files to work with. Ask the person to choose a folder for it.';

/** Reads the parameters of a call. */
export function readParams<Params>(schema: z.ZodType<Params>, { invocation }: FileCall): Params {
  const read = schema.safeParse(invocation.parameters);
  if (read.success) return read.data;
  throw new ToolMistake(`The arguments of ${invocation.name} are wrong: ${describeProblems(read.error)}`);
}

/** Returns the words for the model if a call is wrong; other errors are defects, and thrown on. */
export function mistakeIn(error: unknown): string {
  if (error instanceof ToolMistake || error instanceof PathError) return error.message;
  throw error;
}

/** Returns a result that says what is wrong. */
export function mistaken(text: string): ToolOutcome {
  return { content: [{ type: 'text', text }], is_error: true };
}

/** Asks for permission to use some paths: the strictest answer counts. */
export async function askPermission(
  { invocation, context, parts }: FileCall,
  effect: 'reads' | 'changes',
  paths: readonly string[],
): Promise<PermissionDecision> {
  const { directory = '', approvalMode: mode = 'ask', allowed = [] } = context;
  let strictest: PermissionDecision = { permission: 'run' };
  const rules: PermissionDecision['rules'] = [];
  for (const path of paths) {
    const decision = await parts.decide({ tool: toolName(invocation.name), effect, path, directory, mode, allowed });
    if (decision.permission === 'deny') return decision;
    if (decision.permission !== 'ask') {
      // Of several paths that run because of rules, one rule stands for all.
      if (strictest.permission === 'run' && decision.rule !== undefined) strictest = decision;
      continue;
    }
    rules.push(...(decision.rules ?? []));
    strictest = { ...decision, ...strictestReason(strictest, decision) };
  }
  return rules.length === 0 ? strictest : { ...strictest, rules };
}

function strictestReason(first: PermissionDecision, second: PermissionDecision): { reason?: string } {
  const reasons = [first.reason, second.reason].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? {} : { reason: [...new Set(reasons)].join(' ') };
}

function toolName(name: string): string {
  return name;
}

/** Returns a text as it is stored; `undefined` if the bytes are not UTF-8 text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the largest file that tools read or change, in bytes. */
export const largestFile = 50 * 1024 * 1024;

/** Returns the context's signal as an error where the turn was stopped. */
export function refuseStopped({ signal }: ToolContext): void {
  if (signal.aborted) throw new ToolMistake('The turn was stopped. Nothing was changed.');
}
