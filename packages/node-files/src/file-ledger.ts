import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ProjectionPart, Store } from '@loom/kernel/store';
import { decodeMerged, encodeMerged } from './intake/merged-file.ts';
import type { MergedFile } from './intake/merged-file.ts';
import { sealText, unsealText } from './sealed-text.ts';

/** What a file was when Loom last wrote it, or looked at it and found it right. */
export interface FileEntry {
  /** Of the bytes; empty if there shall be no such file before the next change that concerns it. */
  sum: string;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** The seq that the file was written from: for a node, the change that last altered it. */
  seq: number;
  /** Over parent and children of a node. */
  links: string;
}

/** What a file is about to become: noted before it is written, for the process that finds it after a crash. */
export type IntendedFile = Pick<FileEntry, 'sum' | 'seq' | 'links'>;

/** What is noted of a file that is left to a newer Loom: no file is ever that, so each time it is looked at again. */
export const leftToNewer: FileEntry = { sum: 'newer', size: -1, mtime: -1, seq: 0, links: '' };

/** The checksum of a file. */
export function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 24);
}

/**
 * What the files of one root were when they were last written. Kept as a projection of the root's log: without it everything is
 * found again by comparing the files with the log.
 */
export class FileLedger {
  readonly #store: Store;
  readonly #root: string;
  /** Entries by page and name. A page is what is read and written at a time. */
  readonly #pages = new Map<string, Map<string, FileEntry>>();
  /** All of them once more: at every start each is asked for, and to find its page takes longer than to find it here. */
  readonly #entries = new Map<string, FileEntry>();
  /** What was to be written last, by name. */
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

  /** The change as far as which it is known that every file was written; `undefined` if nothing is known. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Whether the store has all that it holds. */
  get isSaved(): boolean {
    return this.#unsaved.size === 0;
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

  /** What a file was to become when files were last written, whether or not it has. */
  intended(name: string): IntendedFile | undefined {
    return this.#intended.get(name);
  }

  /** Keeps what is about to be written: a process that is killed before it can say what it has written has said it by this. */
  async intend(files: ReadonlyMap<string, IntendedFile>): Promise<void> {
    this.#intended = files;
    this.#unsaved.add(intendedKey);
    await this.save(this.#seq ?? 0);
  }

  /** What a file said when edits in it were last taken in: an editor that goes on from there may not have seen what Loom wrote. */
  merged(name: string): MergedFile | undefined {
    return this.#merged.get(name);
  }

  /** Whether an edit was taken in of the file as it was written from a change: then it is Loom's own no more, also if it is as it was. */
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

  /** The log may have begun anew since: then seqs mean something else, and nothing is known. Answers whether that is so. */
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
   * Keeps what has changed. `seq`: the last change of which all files are written. What is added to a projection may be lost in a
   * power cut; for whom that is not enough, `whole` writes all of it, which is durable when it returns.
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
/** Of so many files an editor may have an older version open. */
const mostMerged = 50;

const projectionName = 'files';

/** A page has about so many entries: fewer would make reading dear, more would make writing. */
const pageSize = 64;

function pageOf(name: string): string {
  const number = numberedName.exec(name)?.[1];
  return number === undefined ? `other-${crc32(name) % pageSize}` : `node-${Math.floor(Number(number) / pageSize)}`;
}

const numberedName = /node-(\d+)\.json$/u;

/** There is one for every node, so that names of fields would be most of it. */
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

/** What bears the seal was written by this very code, and is not looked into further. */
function isEntries(value: unknown): value is EntryFields[] {
  return Array.isArray(value);
}
