import type { RootLog } from './forest.ts';

/** The limits of what stays in memory of logs that no caller uses. */
export interface LogRoom {
  logs: number;
  /** In all of them together; a long text counts as several. */
  nodes: number;
}

/**
 * The logs of a process. Those that are not in use, have no subscriber, and were used longest ago are released, so that
 * memory depends on the logs in use, and not on the number of conversations that exist or were asked for.
 */
export class OpenLogs {
  readonly #make: (root: string) => RootLog;
  readonly #room: LogRoom;
  /** The one that was used last comes last. */
  readonly #recent = new Map<string, RootLog>();
  /** A caller may still hold a log that was released, and go on with it: there is never another one of the same root beside it. */
  readonly #released = new Map<string, WeakRef<RootLog>>();
  #mostReleased = mostReleased;
  #uses = 0;
  /** Those of which a snapshot is being made. */
  readonly #leaving = new Set<RootLog>();

  constructor(make: (root: string) => RootLog, room: LogRoom) {
    this.#make = make;
    this.#room = room;
  }

  /** The number of logs held. */
  get size(): number {
    return this.#recent.size;
  }

  get(root: string): RootLog {
    const log = this.#recent.get(root) ?? this.#released.get(root)?.deref() ?? this.#make(root);
    this.#released.delete(root);
    this.#recent.delete(root);
    this.#recent.set(root, log);
    this.#uses += 1;
    // Counting takes as long as there are logs, so it is not done for each use.
    if (this.#uses % usesBetween === 0) this.#makeRoom(log);
    return log;
  }

  /** One that is held, without using it. */
  find(root: string): RootLog | undefined {
    return this.#recent.get(root);
  }

  /** All that are held. */
  all(): RootLog[] {
    return [...this.#recent.values()];
  }

  #makeRoom(used: RootLog): void {
    let nodes = 0;
    for (const log of this.#recent.values()) nodes += nodesIn(log);
    const isBeyond = (times: number): boolean =>
      nodes > this.#room.nodes * times || this.#recent.size - this.#leaving.size > this.#room.logs * times;
    for (const [root, log] of Array.from(this.#recent)) {
      if (log === used || log.isInUse || !(isBeyond(1) || isEmpty(log))) continue;
      nodes -= nodesIn(log);
      // If snapshots cannot be made as quickly as logs are opened, memory comes first.
      if (log.isOwedSnapshot && !isBeyond(2)) void this.#leave(root, log);
      else this.#drop(root, log);
    }
    this.#forgetCollected();
  }

  #drop(root: string, log: RootLog): void {
    if (!log.releaseAtOnce()) return;
    this.#recent.delete(root);
    this.#released.set(root, new WeakRef(log));
  }

  async #leave(root: string, log: RootLog): Promise<void> {
    this.#leaving.add(log);
    // A failure to make a snapshot stops nothing else.
    await log.release().catch(() => false);
    this.#leaving.delete(log);
    this.#drop(root, log);
  }

  #forgetCollected(): void {
    if (this.#released.size < this.#mostReleased) return;
    for (const [root, log] of this.#released) if (log.deref() === undefined) this.#released.delete(root);
    // While most of them are still held, going through them again so soon would find the same.
    this.#mostReleased = Math.max(mostReleased, this.#released.size * 2);
  }
}

const usesBetween = 32;
const mostReleased = 1000;

function nodesIn(log: RootLog): number {
  return log.loaded?.index.weight ?? 0;
}

/** Ids come from outside, and most that there could be are those of no root. */
function isEmpty(log: RootLog): boolean {
  return log.loaded?.seq === 0;
}
