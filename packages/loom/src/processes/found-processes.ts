import { readdirSync, readFileSync } from 'node:fs';

/**
 * Finds the processes with a mark in the environment that they were started with: everything a marked process has started, also in another
 * group or session, unless it was given another environment or belongs to another user. Finds none if the system has no /proc. `since`: the
 * first that had the mark, if it was started so recently that process ids have not wrapped around since.
 */
export function markedProcesses(mark: string, since?: number): number[] {
  const all = processes();
  const candidates = since === undefined || lastProcess() < since ? all : all.filter((pid) => pid >= since);
  return candidates.filter((pid) => read(pid, 'environ').includes(mark));
}

/** Returns the id that the system gave out last; if it is lower than an earlier one, ids have wrapped around. */
function lastProcess(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
}

/** Returns true if a process group has members that still run. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
  // Dead processes that are not yet collected count as members too, and stay so if nothing collects them.
  const all = processes();
  return all.length === 0 || all.some((pid) => isLiveMember(pid, group));
}

function isLiveMember(pid: number, group: number): boolean {
  const text = read(pid, 'stat').toString('latin1');
  // Behind the name, which may hold anything: state, parent, group.
  const [state, , ofGroup] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ofGroup === String(group) && state !== 'Z' && state !== 'X';
}

/** Lists the ids of all processes. These files are on no disk, so reading them blocks nothing; asynchronous reads would take much longer. */
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
