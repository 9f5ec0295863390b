import type { ResultOf } from '@loom/kernel';
import type { Loom } from '../runtime/loom.ts';

export type SandboxState = ResultOf<'sandbox.get'>;

/** Asks if commands of models are confined on this machine. */
export async function readSandbox(loom: Pick<Loom, 'call'>): Promise<SandboxState | undefined> {
  const outcome = await loom.call('sandbox.get', {});
  return outcome.ok ? outcome.value : undefined;
}

/** Says how commands of models run, and what is not covered without a sandbox. */
export function describeSandbox({ available, kind, reason }: SandboxState): string {
  if (available)
    return `Commands of models run in a sandbox (${kind ?? 'of this system'}).${reason === undefined ? '' : ` ${reason}`}`;
  return [
    `Commands of models run without a sandbox, once you approve them. ${reason ?? ''}`.trimEnd(),
    'Modes plan and sandbox run none, and what a command starts with another environment and session may go on after Loom.',
  ].join('\n');
}
