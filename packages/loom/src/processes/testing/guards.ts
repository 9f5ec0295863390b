import { readdirSync, readFileSync } from 'node:fs';

/** Returns the parent and the command line of a process; nothing for one that is gone, collected or not. */
export function factsOf(pid: number): { parent: number; command: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return state === 'Z' ? undefined : { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

export function isRunning(pid: number): boolean {
  return factsOf(pid) !== undefined;
}

/** Returns the guards of a process. */
export function guardsOf(parent: number): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  return all.filter((pid) => {
    const facts = factsOf(pid);
    return facts?.parent === parent && facts.command.includes('\0loom-guard\0');
  });
}

/** Kills a process with its guards: it is held, so that it cannot replace them. */
export function killWithGuard(pid: number, guards: readonly number[]): void {
  process.kill(pid, 'SIGSTOP');
  for (const guard of guards) process.kill(guard, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
}
