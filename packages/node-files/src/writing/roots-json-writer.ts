import { join } from 'node:path';
import { isPlainObject, stableDeepEqual } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Clock } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { failedWith, isDenied, writeDurably } from '@loom/stores/disk';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { rootFileName, rootPaths, rootsFileName, temporaryEnd } from '../file-names.ts';
import { toJsonBytes } from './file-replacement.ts';
import type { FilesReport } from '../files-report.ts';
import { newerFormat } from '../newer-format.ts';
import type { NodeFilesPort } from '../node-files-port.ts';
import type { Quarantine } from '../intake/quarantine.ts';
import type { RootJson } from './root-json-content.ts';

export interface RootsJsonWriterOptions {
  directory: string;
  forest: Forest;
  store: Store;
  clock: Clock;
  files: NodeFilesPort;
  quarantine: Quarantine;
  report: (report: FilesReport) => void;
}

/** The list of all roots: derived from each root's own file, and rewritten whenever it has changed. */
export class RootsJsonWriter {
  readonly #options: RootsJsonWriterOptions;
  readonly #path: string;
  /** The entries of roots that were in use. */
  readonly #described = new Map<string, PlainObject>();
  #hasToldOfNewer = false;

  constructor(options: RootsJsonWriterOptions) {
    this.#options = options;
    this.#path = join(options.directory, rootsFileName);
  }

  /** Notes a root. Returns true if the list has to be written. */
  describe(json: RootJson): boolean {
    const entry = entryOf(json);
    if (stableDeepEqual(this.#described.get(json.id), entry)) return false;
    this.#described.set(json.id, entry);
    return true;
  }

  /** Updates the list, and returns the roots about which nothing could be found. */
  async update(): Promise<string[]> {
    const { files, forest } = this.#options;
    const roots = await forest.roots();
    const present = await this.#readPresent();
    if (present?.newer !== undefined) return this.#leave(present.newer);
    // A list that another program wrote is trusted only if nothing better exists.
    const ledger = await this.#openLedger();
    const known = ledger?.get(rootsFileName);
    const isOwn = present !== undefined && (present.sum === known?.sum || present.sum === known?.links);
    const unknown: string[] = [];
    const entries: PlainObject[] = [];
    for (const root of roots) {
      const listed = present?.entries.get(root);
      const entry = this.#described.get(root) ?? (isOwn ? listed : undefined) ?? (await this.#readRoot(root)) ?? listed;
      if (entry === undefined) unknown.push(root);
      else entries.push(entry);
    }
    if (present === undefined && entries.length === 0) return unknown;
    if (present !== undefined && stableDeepEqual(present.value, entries)) {
      await this.#keepSum(ledger, present.sum, '');
      return unknown;
    }
    const isLost = present !== undefined && !isOwn && (known !== undefined || !present.isKnown(roots));
    if (isLost) await this.#putAside(present.bytes);
    const bytes = toJsonBytes(entries);
    // Noted first: whichever of the two a crash leaves, it is known as Loom's own.
    await this.#keepSum(ledger, sumOf(bytes), isOwn ? present.sum : '');
    await writeDurably(files, { path: this.#path, temporary: `${this.#path}${temporaryEnd}`, bytes });
    return unknown;
  }

  async #openLedger(): Promise<FileLedger | undefined> {
    const { store } = this.#options;
    // After the last change the read returns nothing but the log's epoch.
    const contents = await store.read(forestLog, lastSeq);
    if (contents === undefined) return undefined;
    const ledger = await FileLedger.load(store, forestLog);
    ledger.belongTo(contents.epoch);
    return ledger;
  }

  /** Stores the checksum of the list, and that of the replaced one in the field for links, which a list does not have. */
  async #keepSum(ledger: FileLedger | undefined, sum: string, replaced: string): Promise<void> {
    if (ledger === undefined || ledger.get(rootsFileName)?.sum === sum) return;
    ledger.put(rootsFileName, { sum, size: 0, mtime: 0, seq: 0, links: replaced });
    await ledger.save(0, { whole: true });
  }

  async #readPresent(): Promise<PresentList | undefined> {
    const { files } = this.#options;
    const stamp = await files.stamp(this.#path);
    return stamp?.kind === 'file' ? readList(await files.read(this.#path)) : undefined;
  }

  async #readRoot(root: string): Promise<PlainObject | undefined> {
    const { files, directory } = this.#options;
    const paths = rootPaths(directory, root);
    if (paths === undefined) return undefined;
    const path = join(paths.folder, rootFileName);
    try {
      if ((await files.stamp(path))?.kind !== 'file') return undefined;
      const value: unknown = JSON.parse(new TextDecoder().decode(await files.read(path)));
      const isReadable = isPlainObject(value) && newerFormat(value['format']) === undefined;
      return isReadable && value['id'] === root ? entryOf(value) : undefined;
    } catch (error) {
      // Problems with it show when the root is checked.
      if (error instanceof SyntaxError || failedWith(error, 'ENOENT') || isDenied(error)) return undefined;
      throw error;
    }
  }

  /** Leaves a list of a newer Loom untouched. */
  #leave(format: number): string[] {
    if (!this.#hasToldOfNewer) this.#options.report({ type: 'newer', root: undefined, file: rootsFileName, format });
    this.#hasToldOfNewer = true;
    return [];
  }

  async #putAside(bytes: Uint8Array): Promise<void> {
    const { quarantine, report, clock } = this.#options;
    const message = 'it is a list that Loom makes from the files root.json, and was changed; edit those';
    const what = { root: 'all', file: rootsFileName, reason: 'not-editable' as const, message, time: clock.now() };
    report({ type: 'quarantined', root: 'all', quarantined: await quarantine.keep(bytes, what) });
  }
}

const forestLog = 'forest';
const lastSeq = 2 ** 32 - 1;

interface PresentList {
  bytes: Uint8Array;
  sum: string;
  value: unknown;
  /** Its format, if that is newer than this Loom's. */
  newer: number | undefined;
  entries: Map<string, PlainObject>;
  /** Returns true if it lists only existing roots. */
  isKnown: (roots: readonly string[]) => boolean;
}

function readList(bytes: Uint8Array): PresentList {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const entries = new Map<string, PlainObject>();
  for (const item of items) {
    if (isPlainObject(item) && typeof item['id'] === 'string') entries.set(item['id'], item);
  }
  const isList = Array.isArray(value) && entries.size === items.length;
  return {
    bytes,
    sum: sumOf(bytes),
    value,
    newer: newerFormat(isPlainObject(value) ? value['format'] : undefined),
    entries,
    isKnown: (roots) => isList && new Set(entries.keys()).isSubsetOf(new Set(roots)),
  };
}

/** An entry in the form of the older generations. */
function entryOf(root: RootJson | PlainObject): PlainObject {
  const { id, created_at, config, child_ids, title, deleted } = root;
  return {
    id,
    createdAt: created_at,
    config,
    child_ids,
    ...(title === undefined ? {} : { title }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}
