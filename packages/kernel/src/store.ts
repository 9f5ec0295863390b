import type { BlobPort, BlobWriter, ByteRange, Spool, SpoolPort } from './blob-port.ts';

export type { BlobWriter, ByteRange, FinishedBlob, Spool } from './blob-port.ts';
export { blobsMentioned } from './blob-references.ts';
export { checkLimit, pageOfHeads } from './head-pages.ts';

/** Changes of a log as a store keeps them, mostly one: their place and their encoded form, which carries its own checksum. */
export interface LogRecord {
  /** The seq of its last change. */
  seq: number;
  /** The output of a `ChangeCodec`. A store keeps it byte for byte and never looks inside. */
  text: string;
}

/** A record that is to be appended. */
export interface NewRecord extends LogRecord {
  /** The seq of its first change, if it holds several. */
  first?: number;
}

/** One record to take the place of several that follow each other. */
export interface FoldRequest {
  epoch: string;
  /** The seqs of the first and the last change that it holds. */
  first: number;
  record: LogRecord;
}

/** The head of a log, for lists. A store keeps it as it was put, and never looks inside. */
export interface LogHead {
  /** The time by which lists are ordered: milliseconds since 1970. */
  time: number;
  text: string;
}

/** A log in a list. It has no head if its last writer has left none, or if that is lost: then it is made from the records. */
export interface ListedLog {
  log: string;
  head?: LogHead;
}

/** A page of a list of logs. */
export interface HeadsRequest {
  /**
   * The order: by the time of their heads, newest first, and then those without; or by name. Names are in the order of their
   * code points, and decide between equal times.
   */
  order: 'newest' | 'name';
  limit: number;
  /** The last log of the page before, and the time that it was listed with. */
  after?: { log: string; time?: number };
}

/** The records to append, and the end of the log as the writer believes it to be. */
export interface AppendRequest {
  /** The epoch that the writer read, or `undefined` if it found no such log and is about to begin it. */
  epoch: string | undefined;
  /** The seq of the last record that the writer knows; 0 for a log that it begins. */
  expectedSeq: number;
  /** Gap-free from `expectedSeq + 1` on. At least one. */
  records: readonly NewRecord[];
  /**
   * Takes the place of the log's head, in the same append; `same` leaves the one that is there. Without it the log has none
   * afterwards, since the append may have changed what it says.
   */
  head?: LogHead | 'same';
  /**
   * The number that a reader of these records has to know, if not every Loom does. The store marks the log with it in the same append, so
   * that an older Loom refuses it instead of taking it for damaged.
   */
  format?: number;
}

/** Either everything was appended and is durable, or nothing was, and this is what the writer did not know. */
export type AppendResult = { ok: true; epoch: string } | { ok: false; conflict: { epoch: string; tail: LogRecord[] } };

/** New records for a log, with the end of it that the writer knows. */
export interface LogRewrite {
  log: string;
  epoch: string;
  /** The last seq of the log; appends of another writer since then are not overwritten. */
  lastSeq: number;
  /** In order, ending where the log ends. */
  records: readonly LogRecord[];
  /** The number that its readers have to know, as in an append. */
  format?: number;
}

/** A log as it is read: records after a seq. */
export interface LogContents {
  epoch: string;
  records: LogRecord[];
}

/** Part of something that is derived from a log. A store hands it out as it was put, or not at all. */
export interface ProjectionPart {
  key: string;
  text: string;
}

/** Data derived from a log as far as `seq`, which may be deleted at any moment. */
export interface Projection {
  /** The epoch of the log that it was derived from. */
  epoch: string;
  /** The last change that it contains. */
  seq: number;
  /** Sorted by key, by UTF-16 code units. */
  parts: ProjectionPart[];
}

/** A request to make a projection, or to extend it. */
export interface ProjectionRequest {
  epoch: string;
  /** The last change that it contains from now on; may be equal to `base`. */
  seq: number;
  /** The seq of the projection that this builds on; `undefined` replaces the existing one, whole. */
  base: number | undefined;
  put: readonly ProjectionPart[];
  /** Keys of parts that are obsolete. Those that are not there do not matter. */
  drop: readonly string[];
}

/** The abilities of a store. A flag that is false makes the tests of that ability skip visibly. */
export interface StoreCapabilities {
  /** An acknowledged append survives the end of the process. */
  durable: boolean;
  /** Several kernels may write to it at the same time. */
  shared: boolean;
  /** Announcements reach only the handles of one process, though other processes may use the store as well. */
  announcesInProcess?: boolean;
  /** Appends are accepted and forgotten: changes have the time of the last one that is kept. */
  forgets?: boolean;
}

/** The blobs to remove. */
export interface BlobSweep {
  /** The minimum time since they were last put, in milliseconds by the store's clock. */
  unusedFor: number;
  /** Returns whether a blob is needed; asked before it is taken away and once more before that is final. */
  isCited: (id: string) => Promise<boolean>;
}

/** The blobs that were removed. */
export interface SweptBlobs {
  blobs: number;
  bytes: number;
}

/** A lease as a list shows it. */
export interface ListedLease {
  key: string;
  holder: string;
  /**
   * The time for which it still holds by the store's clock, in milliseconds; 0 if it has run out, and was not given back.
   */
  left: number;
}

/**
 * Keeps logs and the data derived from them. All that is written to a log is appended, but for a purge. Every method rejects
 * with a `StoreError` when the world is broken; after a failed append its outcome is unknown, and the writer must read the
 * log again.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  /** The names of all logs, sorted. */
  logs(): Promise<string[]>;
  /** A page of the list of all logs; fewer than the limit are the last ones. */
  heads(request: HeadsRequest): Promise<ListedLog[]>;
  /**
   * The records after a seq (0: all) up to the one that holds `throughSeq`, or all of them, in order; `undefined` if there is no
   * such log. The first may begin before the seq, if it holds several changes.
   */
  read(log: string, afterSeq: number, throughSeq?: number): Promise<LogContents | undefined>;
  /**
   * Appends if the log's epoch and last seq are what the writer believes, else returns the records that it has not seen;
   * with another epoch `tail` holds the whole log. A log that does not exist is begun with a new random epoch.
   */
  append(log: string, request: AppendRequest): Promise<AppendResult>;
  /**
   * Keeps records as one from now on. Returns false, and does nothing, if the log has another epoch by now, or if the
   * changes are not exactly those of some of its records.
   */
  fold(log: string, request: FoldRequest): Promise<boolean>;
  /**
   * Puts other records in the place of all those of some logs, under new epochs, and forgets their heads and the data
   * derived from them. Each log is rewritten as a whole or not at all. Once this resolves no file holds anything of the old
   * records. Returns false, and does nothing, if one of the logs has another epoch or another end by now.
   */
  rewrite(rewrites: readonly LogRewrite[]): Promise<boolean>;
  /**
   * A projection of a log, with only those of its parts whose keys begin with the prefix. `undefined` if there is none, if it is
   * damaged, or if the log is another one than it was derived from.
   */
  readProjection(log: string, name: string, prefix?: string): Promise<Projection | undefined>;
  /**
   * Makes or extends a projection, as a whole or not at all. Returns false, and does nothing, if there is no such log, if it
   * has another epoch or ends before `seq`, or if the projection is not at `base`.
   */
  writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean>;
  /**
   * Calls back after any writer's append to the log has become durable, with the seq of its last change where that is known.
   * May call too often. Returns how to stop.
   */
  listen(log: string, wake: (seq?: number) => void): () => void;
  /** Calls back after any writer's append to any log, with the name of the log where that is known. May call too often. Returns how to stop. */
  listenAll(wake: (log?: string) => void): () => void;
  /**
   * Sends a message to all listeners of a channel that can be reached at this moment. Nothing is kept, so it suits only
   * messages that are repeated soon, like presence.
   */
  announce(channel: string, message: string): void;
  /** Calls back with each message on a channel through any handle, this one included. Returns a function that stops it. */
  hear(channel: string, listener: (message: string) => void): () => void;
  /**
   * Takes or renews a lease until `now + milliseconds` by the store's clock; false while another holder has it. A lease is
   * advice about which process works: correctness rests on `append`.
   */
  lease(key: string, holder: string, milliseconds: number): Promise<boolean>;
  /** Gives a lease back, if the holder has it. */
  release(key: string, holder: string): Promise<void>;
  /** The leases whose keys begin with a prefix and that were not given back, also those that have run out; sorted by key. */
  leases(prefix: string): Promise<ListedLease[]>;
  /**
   * Keeps a value for the first caller that takes it, until `now + milliseconds` by the store's clock. Replaces one of the
   * same key.
   */
  putOnce(key: string, value: string, milliseconds: number): Promise<void>;
  /** Takes away the value under a key and hands it to this caller alone; `undefined` if it is not there, or its time is over. */
  takeOnce(key: string): Promise<string | undefined>;
  /**
   * A number that no client of this store was ever given before, 2 or more: 1 stands for the seed of every text. From then on
   * all are above `above`.
   */
  nextClientId(above?: number): Promise<number>;
  /** Keeps bytes under `sha256:<hex>` and resolves with that id once they are durable. */
  putBlob(bytes: Uint8Array): Promise<string>;
  /** The bytes of a blob, or a range of them; `undefined` if there is no such blob. */
  getBlob(id: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** The length of a blob; `undefined` if there is no such blob. */
  blobSize(id: string): Promise<number | undefined>;
  /** Begins a blob that comes in pieces. One that is not finished when the store is closed or the process ends leaves nothing. */
  createBlob(): Promise<BlobWriter>;
  /**
   * Removes the blobs that were last put longer ago than a time and that are not cited. Those stay that are put again meanwhile, or named by a record
   * that is appended through this handle.
   */
  sweepBlobs(request: BlobSweep): Promise<SweptBlobs>;
  /** Begins a spool, or goes on with the one of this name; it has one writer at a time, and the last to open it is the one. */
  openSpool(name: string): Promise<Spool>;
  /** The names of the spools that are there, sorted: those being written, and those that earlier processes have left. */
  spools(): Promise<string[]>;
  /** Ends everything that is open; nothing may be called afterwards. Idempotent. */
  close(): Promise<void>;
}

/** The same store, whose methods can be replaced one by one. */
export function passOn(store: Store): Store {
  return {
    capabilities: store.capabilities,
    logs: () => store.logs(),
    heads: (request) => store.heads(request),
    read: (log, afterSeq, throughSeq) => store.read(log, afterSeq, throughSeq),
    append: (log, request) => store.append(log, request),
    fold: (log, request) => store.fold(log, request),
    rewrite: (rewrites) => store.rewrite(rewrites),
    readProjection: (log, name, prefix) => store.readProjection(log, name, prefix),
    writeProjection: (log, name, request) => store.writeProjection(log, name, request),
    listen: (log, wake) => store.listen(log, wake),
    listenAll: (wake) => store.listenAll(wake),
    announce: (channel, message) => store.announce(channel, message),
    hear: (channel, listener) => store.hear(channel, listener),
    lease: (key, holder, milliseconds) => store.lease(key, holder, milliseconds),
    release: (key, holder) => store.release(key, holder),
    leases: (prefix) => store.leases(prefix),
    putOnce: (key, value, milliseconds) => store.putOnce(key, value, milliseconds),
    takeOnce: (key) => store.takeOnce(key),
    nextClientId: (above) => store.nextClientId(above),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (id, range) => store.getBlob(id, range),
    blobSize: (id) => store.blobSize(id),
    createBlob: () => store.createBlob(),
    sweepBlobs: (request) => store.sweepBlobs(request),
    openSpool: (name) => store.openSpool(name),
    spools: () => store.spools(),
    close: () => store.close(),
  };
}

/** The blobs of a store, for those that need nothing else of it. */
export function blobsOf(store: Store): BlobPort {
  return {
    get: (id, range) => store.getBlob(id, range),
    size: (id) => store.blobSize(id),
    put: (bytes) => store.putBlob(bytes),
    create: () => store.createBlob(),
  };
}

/** The spools of a store, for those that need nothing else of it. */
export function spoolsOf(store: Store): SpoolPort {
  return { open: (name) => store.openSpool(name), names: () => store.spools() };
}

/** A failure of the store: a full disk, a lost connection, a damaged file. */
export class StoreError extends Error {
  /** `store-denied`: the system does not let this process read the data. */
  readonly code: 'store-failed' | 'store-closed' | 'store-corrupt' | 'store-denied' | 'store-newer' | 'store-locked';
  /** The advice for a person. */
  readonly advice: string;

  /** The remedy that the maintenance of the data offers, so that a door can say how to ask for it. */
  readonly remedy: 'examine' | 'set-aside' | undefined;

  /** True if only one log is concerned, though the code does not say so. */
  readonly isAboutOneLog: boolean;

  constructor(
    code: StoreError['code'],
    message: string,
    advice: string,
    options: ErrorOptions & { remedy?: NonNullable<StoreError['remedy']>; isAboutOneLog?: boolean } = {},
  ) {
    const { remedy, isAboutOneLog: isOne = false, ...rest } = options;
    super(message, rest);
    this.remedy = remedy;
    this.isAboutOneLog = isOne;
    this.name = 'StoreError';
    this.code = code;
    this.advice = advice;
  }
}

/**
 * Checks that an error is about one log alone, which is damaged, may not be read or is of a newer Loom: a reader that goes through all of them
 * leaves it out.
 */
export function isAboutOneLog(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  return error.isAboutOneLog || error.code === 'store-corrupt' || error.code === 'store-denied';
}
