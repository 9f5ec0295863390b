import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ProjectionPart, Store } from '@loom/kernel/store';
import { decodeMerged, encodeMerged } from './intake/merged-file.ts';
import type { MergedFile } from './intake/merged-file.ts';
import { sealText, unsealText } from './sealed-text.ts';

/** The state of a file when Loom last wrote it, or examined it and found it right. */
export interface FileEntry {
  /** Of the bytes; empty if the file must not exist before the next change that concerns it. */
  sum: string;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** The seq that the file was written from: for a node, the change that last altered it. */
  seq: number;
  /** Over parent and children of a node. */
  links: string;
}

/** The next state of a file: noted before it is written, for the process that finds it after a crash. */
export type IntendedFile = Pick<FileEntry, 'sum' | 'seq' | 'links'>;

/** The entry of a file that is left to a newer Loom: no file ever matches it, so the file is examined each time. */
export const leftToNewer: FileEntry = { sum: 'newer', size: -1, mtime: -1, seq: 0, links: '' };

/** The checksum of a file. */
export function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 24);
}

/**
 * The states of one root's files when they were last written. Kept as a projection of the root's log: without it, all of them are found again by
 * comparing the files with the log.
 */
export class FileLedger {
  readonly #store: Store;
  readonly #root: string;
  /** Entries by page and name. A page is the unit of reading and writing. */
  readonly #pages = new Map<string, Map<string, FileEntry>>();
  /** All entries once more: every start looks up each of them, and finding its page first takes longer. */
  readonly #entries = new Map<string, FileEntry>();
  /** The last intended writes, by name. */
  #intended: ReadonlyMap<string, IntendedFile> = new Map();
  /** By name, the oldest first. */
  readonly #merged = new Map<string, MergedFile>();
  readonly #unsaved = new Set<string>();
  #epoch = '';
  #seq: number | undefined;

  private constructor(store: Store, root: string) {
    this.#store = store;
    this.#root = root;
  }

  static async load(store: Store, root: string): Promise<FileLedger> {
    const ledger = new FileLedger(store, root);
    const projection = await store.readProjection(root, projectionName);
    if (projection === undefined) return ledger;
    ledger.#epoch = projection.epoch;
    ledger.#seq = projection.seq;
    // Without its entry a file is compared with the log, so that a damaged page only costs time.
    for (const { key, text } of projection.parts) {
      const merged = key.startsWith(mergedPrefix) ? decodeMerged(text) : undefined;
      if (merged !== undefined) ledger.#merged.set(key.slice(mergedPrefix.length), merged);
      else if (key === intendedKey) ledger.#intended = decodePage(text);
      else if (!key.startsWith(mergedPrefix)) ledger.#take(key, decodePage(text));
    }
    return ledger;
  }

  /** The last change up to which every file is known to be written; `undefined` if that is unknown. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** True if everything in it is in the store. */
  get isSaved(): boolean {
    return this.#unsaved.size === 0;
  }

  /** The number of files in it. */
  get size(): number {
    return this.#entries.size;
  }

  entries(): Iterable<[name: string, entry: FileEntry]> {
    return this.#entries;
  }

  get(name: string): FileEntry | undefined {
    return this.#entries.get(name);
  }

  put(name: string, entry: FileEntry): void {
    const key = pageOf(name);
    const page = this.#pages.get(key);
    if (page === undefined) this.#pages.set(key, new Map([[name, entry]]));
    else page.set(name, entry);
    this.#entries.set(name, entry);
    this.#unsaved.add(key);
  }

  /** Returns the intended state of a file from the last write, completed or not. */
  intended(name: string): IntendedFile | undefined {
    return this.#intended.get(name);
  }

  /** Stores the intended writes: this speaks for a process that is killed before it can record the actual ones. */
  async intend(files: ReadonlyMap<string, IntendedFile>): Promise<void> {
    this.#intended = files;
    this.#unsaved.add(intendedKey);
    await this.save(this.#seq ?? 0);
  }

  /** Returns the content of a file when edits in it were last merged: an editor that continues from there may not have seen Loom's later version. */
  merged(name: string): MergedFile | undefined {
    return this.#merged.get(name);
  }

  /** Returns true if an edit was merged from the file as written at a change: then it is no longer Loom's own, even if it is unchanged. */
  isEditedSince(name: string, { seq }: IntendedFile): boolean {
    return this.#merged.get(name)?.seq === seq;
  }

  keepMerged(name: string, merged: MergedFile): void {
    this.#merged.delete(name);
    this.#merged.set(name, merged);
    this.#unsaved.add(`${mergedPrefix}${name}`);
    const [oldest = ''] = this.#merged.keys();
    if (this.#merged.size <= mostMerged) return;
    this.#merged.delete(oldest);
    this.#unsaved.add(`${mergedPrefix}${oldest}`);
  }

  /** Assigns the ledger to a log. Returns true if the log was recreated since: then seqs mean something else, and the ledger is empty. */
  belongTo(epoch: string): boolean {
    if (this.#epoch === epoch) return false;
    this.#pages.clear();
    this.#entries.clear();
    this.#intended = new Map();
    this.#merged.clear();
    this.#unsaved.clear();
    this.#epoch = epoch;
    this.#seq = undefined;
    return true;
  }

  /**
   * Stores the changes. `seq`: the last change of which all files are written. An addition to a projection may be lost in a power cut; `whole` writes
   * all of it, which is durable when it returns.
   */
  async save(seq: number, { whole = false } = {}): Promise<void> {
    if (this.#unsaved.size === 0 && this.#seq === seq) return;
    const keys = [...this.#unsaved];
    const reached = Math.max(seq, this.#seq ?? 0);
    this.#unsaved.clear();
    try {
      const isKept =
        (!whole && this.#seq !== undefined && (await this.#write(keys, reached, this.#seq))) ||
        (await this.#write(this.#keys(), reached, undefined));
      if (isKept) this.#seq = reached;
    } catch (error) {
      for (const key of keys) this.#unsaved.add(key);
      throw error;
    }
  }

  #take(key: string, page: Map<string, FileEntry>): void {
    this.#pages.set(key, page);
    for (const [name, entry] of page) this.#entries.set(name, entry);
  }

  #keys(): string[] {
    return [intendedKey, ...this.#pages.keys(), ...Array.from(this.#merged.keys(), (name) => `${mergedPrefix}${name}`)];
  }

  #write(keys: readonly string[], seq: number, base: number | undefined): Promise<boolean> {
    const put: ProjectionPart[] = [];
    const drop: string[] = [];
    for (const key of keys) {
      const merged = this.#merged.get(key.slice(mergedPrefix.length));
      if (key === intendedKey) put.push({ key, text: encodePage(this.#intended) });
      else if (!key.startsWith(mergedPrefix)) put.push({ key, text: encodePage(this.#pages.get(key) ?? new Map()) });
      else if (merged !== undefined) put.push({ key, text: encodeMerged(merged) });
      else drop.push(key);
    }
    return this.#store.writeProjection(this.#root, projectionName, { epoch: this.#epoch, seq, base, put, drop });
  }
}

const mergedPrefix = 'merged/';
const intendedKey = 'intended';
/** The number of files of which an editor may have an older version open. */
const mostMerged = 50;

const projectionName = 'files';

/** The approximate number of entries on a page: fewer would slow down reading, more would slow down writing. */
const pageSize = 64;

function pageOf(name: string): string {
  const number = numberedName.exec(name)?.[1];
  return number === undefined ? `other-${crc32(name) % pageSize}` : `node-${Math.floor(Number(number) / pageSize)}`;
}

const numberedName = /node-(\d+)\.json$/u;

/** Every node has one, so that names of fields would be most of the text. */
type EntryFields = [name: string, sum: string, size: number, mtime: number, seq: number, links: string];

function encodePage(page: ReadonlyMap<string, IntendedFile & Partial<FileEntry>>): string {
  const entries = Array.from(page, ([name, entry]): EntryFields => {
    const { sum, size = -1, mtime = -1, seq, links } = entry;
    return [name, sum, size, mtime, seq, links];
  });
  return sealText(JSON.stringify(entries));
}

/** The entries of a page; none if it is damaged. */
function decodePage(text: string): Map<string, FileEntry> {
  const json = unsealText(text);
  const entries: unknown = json === undefined ? [] : JSON.parse(json);
  const page = new Map<string, FileEntry>();
  if (!isEntries(entries)) return page;
  for (const [name, sum, size, mtime, seq, links] of entries) page.set(name, { sum, size, mtime, seq, links });
  return page;
}

/** A text with the seal was written by this very code, and is not examined further. */
function isEntries(value: unknown): value is EntryFields[] {
  return Array.isArray(value);
}
