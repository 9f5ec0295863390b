import type { z } from 'zod';
import { formatProblems, problemsOf } from '@loom/blocks';
import type { PreparedCall, ToolInvocation, ToolOutcome } from '@loom/kernel';

/** Returns the result of a call that is not carried out; its text says what to do instead. */
export function refuseCall(text: string): ToolOutcome {
  return { content: [{ type: 'text', text }], is_error: true };
}

/** Returns the preparation of a call that must not run; the model reads the reason. */
export function denyCall(reason: string): PreparedCall {
  return { permission: 'deny', preview: [{ type: 'text', text: reason }] };
}

export type ReadParameters<Parameters> = { ok: true; parameters: Parameters } | { ok: false; problem: string };

/** Reads the parameters of a call; the problem says in a sentence what is wrong with them. */
export function readParameters<Schema extends z.ZodType>(
  schema: Schema,
  { name, parameters }: ToolInvocation,
): ReadParameters<z.output<Schema>> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return { ok: true, parameters: parsed.data };
  return { ok: false, problem: `${name} cannot be called like this: ${formatProblems(problemsOf(parsed.error))}` };
}
