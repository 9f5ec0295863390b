import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine: its parent, its command line, and the processor time it has used, with that of its ended children. */
export interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
  /** In seconds. */
  work: number;
}

/**
 * Finds processes that wait for what never comes: neither they nor what they started did any work for a long time. A busy machine slows
 * work, but does not stop it, so this tells a slow test from a hanging one where a limit of time cannot.
 */
export class Standstill {
  readonly #patience: number;
  /** The work that each process was last seen to have done, and when. */
  readonly #seen = new Map<number, { work: number; at: number }>();

  /** Takes the time without work after which a process counts as hanging, in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Returns those of the children of a process that hang, each with its descendants, farthest first. */
  find(parent: number, processes: readonly RunningProcess[], now: number): { child: RunningProcess; pids: number[] }[] {
    const children = Map.groupBy(processes, (process) => process.parent);
    const treeOf = (process: RunningProcess): RunningProcess[] => [
      ...(children.get(process.pid) ?? []).flatMap(treeOf),
      process,
    ];
    return (children.get(parent) ?? []).flatMap((child) => {
      const tree = treeOf(child);
      const work = tree.reduce((sum, process) => sum + process.work, 0);
      const before = this.#seen.get(child.pid);
      // A descendant that ended apart from its parent takes its work along, so less is a change, too.
      if (before === undefined || Math.abs(work - before.work) >= leastWork) {
        this.#seen.set(child.pid, { work, at: now });
        return [];
      }
      return now - before.at < this.#patience ? [] : [{ child, pids: tree.map(({ pid }) => pid) }];
    });
  }
}

/** The work below which a process counts as waiting, in seconds: timers and garbage collection of a waiting process take less. */
const leastWork = 0.5;

/** Reads the processes of this machine, where the system lists them in /proc; elsewhere there are none. */
export function readProcesses(): RunningProcess[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/u.test(name)).flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold anything; the fields behind it are numbers.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [own = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = fields.slice(11, 15).map(Number);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return {
      pid,
      parent: Number(fields[1]),
      command,
      work: (own + system + ofChildren + systemOfChildren) / ticksPerSecond,
    };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** The unit in which Linux tells processor times, the same on all machines that Node runs on. */
const ticksPerSecond = 100;
