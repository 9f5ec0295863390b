import { basename, dirname } from 'node:path/posix';
import type { FilesPort, OpenFile } from '../disk/files-port.ts';
import type { SimulatedEntry } from './simulated-disk.ts';
import { SimulatedDirectory, SimulatedFile, SimulatedMove } from './simulated-disk.ts';

/** The failure of one call; `short` writes a part of the bytes and says so. */
export const simulatedFaults = ['EIO', 'ENOSPC', 'EMFILE', 'EACCES', 'short'] as const;
export type SimulatedFault = (typeof simulatedFaults)[number];

/** The planned events and their calls, counted from 1 over the life of the disk. */
export interface SimulationPlan {
  crashAt?: number;
  fail?: { at: number; fault: SimulatedFault };
}

/**
 * A disk that loses writes that were not synced. Each `boot` is a process: it goes on until the planned crash, after which all of its calls
 * fail. The next one finds everything the last one left, or, after `cutPower`, the durable part and some of the rest.
 */
export class SimulatedFiles {
  readonly #root = new SimulatedDirectory();
  readonly #random: () => number;
  readonly #plan: SimulationPlan;
  /** Renames that are not durable yet. */
  #moves: SimulatedMove[] = [];
  /** The number of calls made. */
  calls = 0;
  /** True once the planned crash has happened. */
  crashed = false;
  /** True if the disk has no room left. */
  full = false;

  constructor(random: () => number, plan: SimulationPlan = {}) {
    this.#random = random;
    this.#plan = plan;
  }

  boot(): FilesPort {
    this.crashed = false;
    const life = { over: false };
    const call = async <T>(work: () => T, kind: CallKind = 'other', part?: () => T): Promise<T> => {
      // A call takes a while, in which others can be made.
      await Promise.resolve();
      if (life.over) throw systemError('ECRASHED');
      this.calls += 1;
      if (this.calls === this.#plan.crashAt) {
        life.over = true;
        this.crashed = true;
        if (this.#random() < 0.5) (part ?? work)();
        throw systemError('ECRASHED');
      }
      if (this.full && (kind === 'write' || kind === 'make')) throw systemError('ENOSPC');
      const { fail } = this.#plan;
      if (this.calls !== fail?.at) return work();
      if (fail.fault === 'short') return (part ?? work)();
      // A failed write has written a part, and it is unknown whether a failed rename has happened.
      if (kind === 'write') part?.();
      if (kind === 'rename' && this.#random() < 0.5) work();
      throw systemError(fail.fault);
    };
    const placeOf = (path: string) => ({ directory: this.#directory(dirname(path)), name: basename(path) });
    return {
      list: (path) => call(() => [...this.#directory(path).cached.keys()]),
      makeDirectory: (path) =>
        call(() => {
          const above = this.#directory(dirname(path));
          if (above.cached.has(basename(path))) throw systemError('EEXIST');
          above.cached.set(basename(path), new SimulatedDirectory());
        }, 'make'),
      removeDirectory: (path) =>
        call(() => {
          if (this.#directory(path).cached.size > 0) throw systemError('ENOTEMPTY');
          this.#directory(dirname(path)).cached.delete(basename(path));
        }),
      syncDirectory: (path) => call(() => this.#syncDirectory(this.#directory(path))),
      read: (path, from = 0, to = Infinity) => call(() => this.#file(path).cached.slice(from, to)),
      rename: (from, to) =>
        call(() => {
          const entry = this.#file(from);
          const [old, now] = [placeOf(from), placeOf(to)];
          old.directory.cached.delete(old.name);
          now.directory.cached.set(now.name, entry);
          const isMoved = this.#moves.some((move) => move.entry === entry);
          if (isMoved || old.directory.durable.get(old.name) === entry) {
            this.#moves.push(new SimulatedMove(entry, old, now));
          }
        }, 'rename'),
      remove: (path) =>
        call(() => {
          this.#file(path);
          this.#directory(dirname(path)).cached.delete(basename(path));
        }),
      facts: (path) =>
        call(() => {
          const { cached, modified } = this.#file(path);
          return { size: cached.length, modified };
        }),
      touch: (path, time) => call(() => void (this.#file(path).modified = time)),
      open: (path, how) => call(() => this.#open(path, how, call), how === 'create' ? 'make' : 'other'),
    };
  }

  /** Cuts the power: any part of the unsynced writes is gone. */
  cutPower(): void {
    // Of the renames of a file, the first ones have happened.
    for (const moves of Map.groupBy(this.#moves, ({ entry }) => entry).values()) {
      const happened = Math.floor(this.#random() * (moves.length + 1));
      for (const move of moves.slice(0, happened)) move.makeDurable();
      for (const move of moves.slice(happened).reverse()) move.takeBack();
    }
    this.#moves = [];
    this.#root.cutPower(this.#random);
  }

  #syncDirectory(directory: SimulatedDirectory): void {
    for (const move of this.#moves) if (move.concerns(directory)) move.makeDurable();
    this.#moves = this.#moves.filter((move) => !move.concerns(directory));
    directory.sync();
  }

  #open(path: string, how: 'create' | 'change', call: Call): OpenFile {
    const file = how === 'change' ? this.#file(path) : this.#create(path);
    return {
      write: (bytes, position) => {
        const count = Math.ceil(bytes.length / 2);
        const write = (length: number) => (): number => {
          file.write(bytes.subarray(0, length), position);
          return length;
        };
        return call(write(bytes.length), 'write', write(count));
      },
      truncate: (length) => call(() => file.truncate(length)),
      sync: async () => {
        try {
          await call(() => file.sync());
        } catch (error) {
          if (!this.crashed) file.failSync();
          throw error;
        }
      },
      close: () => call(() => undefined),
    };
  }

  #create(path: string): SimulatedFile {
    const above = this.#directory(dirname(path));
    if (above.cached.has(basename(path))) throw systemError('EEXIST');
    const file = new SimulatedFile();
    above.cached.set(basename(path), file);
    return file;
  }

  #file(path: string): SimulatedFile {
    const entry = this.#entry(path);
    if (entry instanceof SimulatedFile) return entry;
    throw systemError('EISDIR');
  }

  #directory(path: string): SimulatedDirectory {
    const entry = this.#entry(path);
    if (entry instanceof SimulatedDirectory) return entry;
    throw systemError('ENOTDIR');
  }

  #entry(path: string): SimulatedEntry {
    if (path === '/') return this.#root;
    const entry = this.#directory(dirname(path)).cached.get(basename(path));
    if (entry === undefined) throw systemError('ENOENT');
    return entry;
  }
}

type CallKind = 'write' | 'make' | 'rename' | 'other';
type Call = <T>(work: () => T, kind?: CallKind, part?: () => T) => Promise<T>;

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}, simulated`), { code });
}
