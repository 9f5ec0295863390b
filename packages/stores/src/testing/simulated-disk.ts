/** A file: its contents as programs see them, the part that survives a power cut, and the ranges the next sync has to write. */
export class SimulatedFile {
  /** The time of the last write or touch. */
  modified = 0;
  cached = new Uint8Array();
  durable = new Uint8Array();
  #dirty: { from: number; to: number }[] = [];

  write(bytes: Uint8Array, position: number): void {
    this.cached = resize(this.cached, Math.max(this.cached.length, position + bytes.length));
    this.cached.set(bytes, position);
    this.#dirty.push({ from: position, to: position + bytes.length });
  }

  truncate(length: number): void {
    this.cached = resize(this.cached, length);
    this.#dirty = this.#dirty.filter(({ from }) => from < length);
    for (const range of this.#dirty) range.to = Math.min(range.to, length);
  }

  sync(): void {
    this.durable = resize(this.durable, this.cached.length);
    for (const { from, to } of this.#dirty) this.durable.set(this.cached.subarray(from, to), from);
    this.#dirty = [];
  }

  /** Fails a sync as Linux does: the pages are taken for clean, though they were not written, and no later sync writes them. */
  failSync(): void {
    this.#dirty = [];
  }

  /** Cuts the power: each sector that was not synced survives or does not; the length is one of the two, or somewhere between them. */
  cutPower(random: () => number): void {
    const [before, after] = [this.durable, this.cached];
    const share = Math.min(Math.max(2 * random() - 0.5, 0), 1);
    const length = before.length + Math.round(share * (after.length - before.length));
    const left = resize(before, length);
    for (let from = 0; from < length; from += sector) {
      const to = Math.min(from + sector, length, after.length);
      if (to > from && this.#isDirty(from, to) && random() < 0.5) left.set(after.subarray(from, to), from);
    }
    this.durable = left;
    this.cached = left.slice();
    this.#dirty = [];
  }

  #isDirty(from: number, to: number): boolean {
    return this.#dirty.some((range) => range.from < to && range.to > from);
  }
}

/**
 * A rename of a file whose old name is durable. File systems with a journal keep both names in one step, so that no power cut takes the file away:
 * it has the old name or the new one.
 */
export class SimulatedMove {
  readonly entry: SimulatedEntry;
  readonly #from: EntryPlace;
  readonly #to: EntryPlace;

  constructor(entry: SimulatedEntry, from: EntryPlace, to: EntryPlace) {
    this.entry = entry;
    this.#from = from;
    this.#to = to;
  }

  /** Returns true if a sync of this directory makes the move durable. */
  concerns(directory: SimulatedDirectory): boolean {
    return this.#from.directory === directory || this.#to.directory === directory;
  }

  makeDurable(): void {
    if (this.#from.directory.durable.get(this.#from.name) === this.entry) {
      this.#from.directory.durable.delete(this.#from.name);
    }
    this.#to.directory.durable.set(this.#to.name, this.entry);
  }

  takeBack(): void {
    const { directory, name } = this.#to;
    const before = directory.durable.get(name);
    if (directory.cached.get(name) === this.entry) {
      if (before === undefined) directory.cached.delete(name);
      else directory.cached.set(name, before);
    }
    if (!this.#from.directory.cached.has(this.#from.name)) {
      this.#from.directory.cached.set(this.#from.name, this.entry);
    }
  }
}

interface EntryPlace {
  directory: SimulatedDirectory;
  name: string;
}

/** A directory: its entries as programs see them, and as a power cut leaves them at least. */
export class SimulatedDirectory {
  cached = new Map<string, SimulatedEntry>();
  durable = new Map<string, SimulatedEntry>();

  sync(): void {
    this.durable = new Map(this.cached);
  }

  /** Cuts the power: each change of an entry that was not synced has happened, or not. */
  cutPower(random: () => number): void {
    for (const name of new Set([...this.cached.keys(), ...this.durable.keys()])) {
      const [before, after] = [this.durable.get(name), this.cached.get(name)];
      const left = before === after || random() < 0.5 ? after : before;
      if (left === undefined) this.cached.delete(name);
      else this.cached.set(name, left);
    }
    this.sync();
    for (const entry of this.cached.values()) entry.cutPower(random);
  }
}

export type SimulatedEntry = SimulatedFile | SimulatedDirectory;

const sector = 512;

function resize(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const resized = new Uint8Array(length);
  resized.set(bytes.subarray(0, length));
  return resized;
}
