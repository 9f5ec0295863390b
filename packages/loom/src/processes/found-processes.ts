import { readdirSync, readFileSync } from 'node:fs';

/**
 * The processes with a mark in the environment that they were started with: whatever a marked process has started, also in another group or
 * session, unless it was given another environment or belongs to another user. None where the system has no /proc. `since`: the first that
 * had the mark, if it was started so recently that process ids have not come round since.
 */
export function markedProcesses(mark: string, since?: number): number[] {
  const all = processes();
  const candidates = since === undefined || lastProcess() < since ? all : all.filter((pid) => pid >= since);
  return candidates.filter((pid) => read(pid, 'environ').includes(mark));
}

/** The id that the system gave out last; if it is lower than an earlier one, ids have begun anew. */
function lastProcess(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
}

/** Returns whether a process group has members that still run. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
  // What is dead but not yet collected counts as a member too, and where nothing collects it that lasts.
  const all = processes();
  return all.length === 0 || all.some((pid) => isLiveMember(pid, group));
}

function isLiveMember(pid: number, group: number): boolean {
  const text = read(pid, 'stat').toString('latin1');
  // Behind the name, which may hold anything: state, parent, group.
  const [state, , ofGroup] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ofGroup === String(group) && state !== 'Z' && state !== 'X';
}

/** These files are on no disk, so nothing waits for reading them; asking for them one after the other would take much longer. */
function processes(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function read(pid: number, file: 'environ' | 'stat'): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    // It is gone, or belongs to another user.
    return Buffer.alloc(0);
  }
}
