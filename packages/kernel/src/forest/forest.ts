import { z } from 'zod';
import type { FeedEvent } from '../state/feed.ts';
import { forestCodec, forestLogName } from '../log/codec/forest-codec.ts';
import { decideAcknowledgement } from './loss-acknowledgement.ts';
import { ForestState } from '../state/forest-state.ts';
import { Log } from '../log/log.ts';
import type { Loss } from '../losses.ts';
import type { Decide, Decision, FeedItem } from '../log/log-shape.ts';
import { refuseMalformed, type Request } from '../request.ts';
import { Listeners } from '../listeners.ts';
import type { ForestOp, RootConfig, RootOp } from '../op.ts';
import type { ForestOptions } from './forest-options.ts';
import type { PresencePort } from '../ports.ts';
import { refuse, refuseValue, type Outcome, type Refused, type Written } from '../refusal.ts';
import { rootCodec } from '../log/codec/root-codec.ts';
import { RootState } from '../state/root-state.ts';
import { isAboutOneLog, type LogHead, type StoreError } from '../store.ts';
import { forestSnapshots } from '../snapshot/forest-snapshot.ts';
import { rootSnapshots } from '../snapshot/root-snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import { createTextEditor, type TextEditor } from './editing/text/text-editor.ts';
import { decideAppend, type AppendParams, type AppendValue } from './editing/append.ts';
import { decideCreateDraft, decideRemoveDraft } from './editing/drafts.ts';
import type { CreateDraftParams, CreateDraftValue } from './editing/drafts.ts';
import { decideEditBlock, type EditBlockParams } from './editing/text/edit-block.ts';
import { decideEditNode, type EditNodeParams, type EditNodeValue } from './editing/text/edit-node.ts';
import { decideFork, type ForkParams, type ForkValue } from './editing/copying/fork.ts';
import { decideBookmark, decideMarkNode, decideMarkRoot } from './editing/marks.ts';
import type { BookmarkParams, MarkNodeParams, MarkRootParams } from './editing/marks.ts';
import { moveBetween, type Destination } from './editing/copying/move-between.ts';
import { decideMerge } from './editing/copying/merge.ts';
import { decideMove, type MoveParams } from './editing/move.ts';
import { findPlace, type Place } from './node-id.ts';
import { resolveId, type Resolution } from './reading/resolution.ts';
import * as schemas from './params.ts';
import { decideRemove, decideRemoveChildren, decideRemoveSiblings, decideRestore } from './editing/remove.ts';
import type { RemoveParams, RemoveValue } from './editing/remove.ts';
import { lostLog } from './listed-root.ts';
import { headOfRoot, keepsHead, readHead, summarizeDamaged, summarizeRoot } from './root-head.ts';
import type { RootSummary } from './root-head.ts';
import { OlderOpenings } from './reading/older-openings.ts';
import { OpenLogs } from './open-logs.ts';
import { OtherHeads } from './reading/other-heads.ts';
import { readHeads, RootPages, type HeadedRoot, type RootsPage, type RootsRequest } from './root-pages.ts';
import { configKey, decideRemoveRoot, decideRestoreRoot, refuseDeletedRoot } from './roots.ts';
import { decideRedo, decideUndo } from './undo/undo.ts';
import * as values from './values.ts';
import type { UndoValue } from './undo/undo.ts';

export type RootLog = Log<RootState, RootOp, FeedEvent, TextEditor>;

/** A writer's decision about a root. */
export type DecideRoot<T> = Decide<RootState, RootOp, T, TextEditor>;

/** All conversations of one store. Every operation is one change of one root, done or refused as a whole; repeating a request is safe. */
export class Forest {
  /** Roots whose logs turned out to be damaged, or closed to this process, when a reader went through all of them, with the error. */
  readonly damaged = new Map<string, StoreError>();
  readonly #options: ForestOptions;
  readonly #every: number;
  readonly #usesSnapshots: boolean;
  readonly #list: Log<ForestState, ForestOp, ForestOp>;
  readonly #logs: OpenLogs;
  readonly #followers = new Set<(root: string, item: FeedItem<FeedEvent>) => void>();
  readonly #heads: Listeners<string>;
  /** None where no other process writes. */
  readonly #others: OtherHeads | undefined;
  readonly #openings = new OlderOpenings();

  constructor(options: ForestOptions) {
    this.#options = options;
    const { store, clock, nodesAtHand: nodes = 30_000, logsAtHand: logs = 200 } = options;
    const { snapshotEvery = store.capabilities.durable ? 1000 : Infinity } = options;
    this.#every = snapshotEvery;
    this.#heads = new Listeners((error) => options.listenerFailed?.(error));
    const isShared = options.exclusive !== true && store.capabilities.shared && store.capabilities.forgets !== true;
    this.#others = isShared
      ? new OtherHeads({ ...options, failed: (error) => options.listenerFailed?.(error) })
      : undefined;
    this.#logs = new OpenLogs((root) => this.#makeLog(root), { nodes, logs });
    this.#usesSnapshots = options.usesSnapshots ?? Number.isFinite(snapshotEvery);
    this.#list = new Log({
      name: forestLogName,
      store,
      clock,
      codec: forestCodec,
      createState: () => new ForestState(),
      // The list has many writers, and reading it anew takes as long as it is.
      takeBack: (list, changes) => list.takeBack(changes),
      createEditor: () => Promise.resolve(null),
      listenerFailed: options.listenerFailed,
      ...this.#snapshots(forestSnapshots),
    });
  }

  /** The log of a root. It need not exist yet; one that does not has an empty state. */
  log(root: string): RootLog {
    return this.#logs.get(root);
  }

  /** The number of logs in memory. */
  get logsInMemory(): number {
    return this.#logs.size;
  }

  #makeLog(root: string): RootLog {
    const { store, clock } = this.#options;
    return new Log({
      name: root,
      store,
      clock,
      ...(store.capabilities.forgets === true ? { timeOf: ({ updated }: RootState) => updated } : {}),
      codec: rootCodec,
      createState: () => new RootState(root, Number.isFinite(this.#every)),
      createEditor: () => createTextEditor(store),
      followers: this.#followers,
      heads: { of: headOfRoot, keeps: keepsHead, changed: (written) => this.#headChanged(root, written) },
      listenerFailed: this.#options.listenerFailed,
      ...this.#snapshots(rootSnapshots(root)),
    });
  }

  /** A new conversation; `time` is when it was begun, in milliseconds since 1970, if that was elsewhere. */
  async createRoot(request: Request, config: RootConfig = {}, time?: number): Promise<Outcome<{ root: string }>> {
    const read = schemas.readParams(schemas.configParams, { config });
    return read.ok ? this.#createRoot(request, read.value.config, undefined, time) : read;
  }

  /** The conversation with a config, made if none is there and `refuseNew` does not object. Of several at once one is made. */
  async getOrCreateRoot(
    request: Request,
    given: RootConfig = {},
    refuseNew: () => Refused | undefined = () => undefined,
  ): Promise<Outcome<{ root: string }>> {
    const read = schemas.readParams(schemas.configParams, { config: given });
    if (!read.ok) return read;
    const { config } = read.value;
    const key = configKey(config);
    const { value: found, cursor } = await this.#list.read((list) => list.rootOfKey.get(key));
    if (found !== undefined) {
      const { value: deleted } = await this.log(found).read((state) => state.deleted);
      if (!deleted) return { ok: true, value: { root: found }, cursor };
    }
    return refuseNew() ?? this.#createRoot(request, config, { key, replaces: found });
  }

  /** The ids of all roots, deleted ones too, in the order of their creation. */
  async roots(): Promise<string[]> {
    return (await this.#list.read(({ roots }) => [...roots.keys()])).value;
  }

  /** Returns true if the root exists, deleted or not. Ids come from outside, and asking opens nothing. */
  async has(root: string): Promise<boolean> {
    return (await this.#list.read(({ roots }) => roots.has(root))).value;
  }

  /** Refuses a root that does not exist, so that a caller can stop before anything is kept, read or counted for it. */
  async refuseUnknown(root: string): Promise<Refused | undefined> {
    if (this.#logs.find(root) !== undefined) return undefined;
    const named = schemas.readParams(schemas.rootParams, { root });
    if (!named.ok) return named;
    return (await this.has(root)) ? undefined : refuse({ reason: 'root-not-found', root });
  }

  /** Calls back for every root that is listed from now on, by any process. Returns how to stop. */
  subscribeToRoots(listener: (root: string) => void): () => void {
    return this.#list.subscribe((item) => {
      if (item.type === 'change')
        for (const event of item.events) if (event.type === 'root-listed') listener(event.root);
    });
  }

  /** Calls back for every change of every root whose log is or will be in use in this process. Returns how to stop. */
  subscribeToChanges(listener: (root: string, item: FeedItem<FeedEvent>) => void): () => void {
    const follow = (root: string, item: FeedItem<FeedEvent>): void => listener(root, item);
    this.#followers.add(follow);
    return () => void this.#followers.delete(follow);
  }

  #headChanged(root: string, written: LogHead | undefined): void {
    if (written !== undefined) this.#others?.tell(root, written);
    this.#heads.tell(root);
  }

  /** Calls back with each root that a list shows differently now, whichever process has written that. Returns a function that stops it. */
  subscribeToHeads(listener: (root: string) => void): () => void {
    const stops = [this.#heads.add(listener), this.subscribeToRoots(listener)];
    if (this.#others !== undefined) stops.push(this.#others.subscribe(listener));
    return () => stops.forEach((stop) => stop());
  }

  /** Tells the other processes who is in a conversation, and hears it of theirs; `undefined` where no other process writes. */
  presence(root: string): PresencePort | undefined {
    return this.#others?.presence(root);
  }

  /** Returns a root's entry in the list; `undefined` if it is not listed. `isHeardOf`: as another process has announced it, if its log is not in memory. */
  async summary(root: string, { isHeardOf = false } = {}): Promise<RootSummary | undefined> {
    const head = isHeardOf ? this.#others?.headOf(root) : undefined;
    return (await this.has(root)) ? this.#summarize(root, head) : undefined;
  }

  /** Lists the existing conversations, or those that were deleted, in the order of their creation; damaged ones among the former. */
  async listRoots({ deleted = false }: { deleted?: boolean } = {}): Promise<RootSummary[]> {
    const summaries: RootSummary[] = [];
    const heads = await readHeads(this.#options.store);
    for (const root of await this.roots()) {
      const summary = await this.#summarize(root, heads.get(root));
      if (summary.deleted === deleted) summaries.push(summary);
    }
    return summaries;
  }

  /** Lists them in pages. A conversation that changes meanwhile may be on none of them, or on two. */
  async pageRoots(request: RootsRequest): Promise<RootsPage> {
    return (await this.#pages()).read(request);
  }

  /** Goes through all of them, by name. */
  async *heads(): AsyncGenerator<HeadedRoot> {
    yield* (await this.#pages()).all((root) => (this.damaged.has(root) ? -1 : this.#logs.find(root)?.committedSeq));
  }

  async #pages(): Promise<RootPages> {
    const { value: roots } = await this.#list.read((list) => list.roots);
    return new RootPages(this.#options.store, roots, (root, head) => this.#summarize(root, head));
  }

  /** Checks that a root can be read, for lists, which need only its head. The problem, if any, stands in `damaged`. */
  async verify(root: string): Promise<void> {
    if ((await this.refuseUnknown(root)) !== undefined || this.#logs.find(root)?.loaded !== undefined) return;
    await this.#unlessDamaged(root, async () => {
      if ((await this.log(root).past.verify()) === 0) throw lostLog(root);
    });
  }

  /** Reads something of a root, for readers that go through many: `undefined` if its log cannot be read, which `damaged` notes. */
  async readUnlessDamaged<T>(root: string, read: (state: RootState) => T): Promise<T | undefined> {
    // Otherwise a root that never existed would be taken for one whose log is gone, and stay on the list of the damaged.
    if ((await this.refuseUnknown(root)) !== undefined) return undefined;
    return this.#unlessDamaged(root, () => this.#readListed(root, read));
  }

  async #unlessDamaged<T>(root: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await read();
      this.damaged.delete(root);
      return value;
    } catch (error) {
      if (!isAboutOneLog(error)) throw error;
      this.damaged.set(root, error);
      return undefined;
    }
  }

  /** The state of a root, for the same readers. Valid until the next await. */
  stateUnlessDamaged(root: string): Promise<RootState | undefined> {
    return this.readUnlessDamaged(root, (state) => state);
  }

  /** Notes that a person knows of losses, in the list of conversations. */
  acknowledgeLosses(request: Request, losses: ReadonlyMap<string, Loss>): Promise<Written<number>> {
    return this.#list.append(request, z.int(), (list) => decideAcknowledgement(list, losses));
  }

  removeRoot(request: Request, root: string): Promise<Outcome<{ root: string }>> {
    return this.change(request, root, values.rootValue, decideRemoveRoot);
  }

  restoreRoot(request: Request, root: string): Promise<Outcome<{ root: string }>> {
    return this.#change(request, root, values.rootValue, decideRestoreRoot);
  }

  markRoot(request: Request, root: string, params: MarkRootParams): Promise<Outcome<{ root: string }>> {
    return this.#ask(request, root, [schemas.markRootParams, params], values.rootValue, (state, read) =>
      decideMarkRoot(state, request.agent, read),
    );
  }

  append(request: Request, root: string, params: AppendParams): Promise<Written<AppendValue>> {
    return this.#ask(request, root, [schemas.appendParams, params], values.appendValue, (state, read) =>
      decideAppend(state, request.agent, read),
    );
  }

  /** Gives a message another text; branches if something was said after it. */
  editNode(request: Request, root: string, params: EditNodeParams): Promise<Outcome<EditNodeValue>> {
    return this.#ask(request, root, [schemas.editNodeParams, params], values.editValue, (state, read, editor) =>
      decideEditNode(state, request.agent, read, editor),
    );
  }

  /** Edits a block where it is. */
  editBlock(request: Request, root: string, params: EditBlockParams): Promise<Outcome<{ block: string }>> {
    return this.#ask(request, root, [schemas.editBlockParams, params], values.blockValue, (state, read, editor) =>
      decideEditBlock(state, request.agent, read, editor),
    );
  }

  fork(request: Request, root: string, params: ForkParams): Promise<Outcome<ForkValue>> {
    return this.#ask(request, root, [schemas.forkParams, params], values.forkValue, (state, read) =>
      decideFork(state, request.agent, read),
    );
  }

  remove(request: Request, root: string, params: RemoveParams): Promise<Outcome<RemoveValue>> {
    return this.#ask(request, root, [schemas.removeParams, params], values.removeValue, (state, read) =>
      decideRemove(state, request.agent, read),
    );
  }

  removeChildren(request: Request, root: string, node: string): Promise<Outcome<RemoveValue>> {
    return this.#ask(request, root, [schemas.nodeParams, { node }], values.removeValue, (state, read) =>
      decideRemoveChildren(state, request.agent, read),
    );
  }

  removeSiblings(request: Request, root: string, node: string): Promise<Outcome<RemoveValue>> {
    return this.#ask(request, root, [schemas.nodeParams, { node }], values.removeValue, (state, read) =>
      decideRemoveSiblings(state, request.agent, read),
    );
  }

  restore(request: Request, root: string, node: string): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.nodeParams, { node }], values.nodeValue, (state, read) =>
      decideRestore(state, request.agent, read),
    );
  }

  move(request: Request, root: string, params: MoveParams): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.moveParams, params], values.nodeValue, (state, read) =>
      decideMove(state, request.agent, read),
    );
  }

  /** Moves a subtree to another root, or within its own; see `moveBetween`. */
  moveToRoot(request: Request, from: Place, to: Destination): Promise<Outcome<{ node: string; removed: boolean }>> {
    return moveBetween(this, request, from, to);
  }

  merge(request: Request, root: string, node: string): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.nodeParams, { node }], values.nodeValue, (state, read, editor) =>
      decideMerge(state, request.agent, read, editor),
    );
  }

  /** Adds a text that is not one of the conversation's messages. */
  createDraft(request: Request, root: string, params: CreateDraftParams): Promise<Outcome<CreateDraftValue>> {
    return this.#ask(request, root, [schemas.createDraftParams, params], values.draftValue, (state, read) =>
      decideCreateDraft(state, request.agent, read),
    );
  }

  removeDraft(request: Request, root: string, node: string): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.nodeParams, { node }], values.nodeValue, (state, read) =>
      decideRemoveDraft(state, read.node),
    );
  }

  markNode(request: Request, root: string, params: MarkNodeParams): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.markNodeParams, params], values.nodeValue, (state, read) =>
      decideMarkNode(state, request.agent, read),
    );
  }

  bookmark(request: Request, root: string, params: BookmarkParams): Promise<Outcome<{ node: string }>> {
    return this.#ask(request, root, [schemas.bookmarkParams, params], values.nodeValue, (state, read) =>
      decideBookmark(state, request.agent, read),
    );
  }

  /** Takes a change back; by default the agent's last one in that root. */
  undo(request: Request, root: string, change?: number): Promise<Outcome<UndoValue>> {
    const read = schemas.readParams(schemas.undoParams, { change });
    if (!read.ok) return Promise.resolve(read);
    return this.#change(request, root, values.undoValue, (state, editor) =>
      decideUndo(state, request.agent, change, editor),
    );
  }

  /** Does the agent's last undone change of a root again. */
  redo(request: Request, root: string): Promise<Outcome<UndoValue>> {
    return this.#change(request, root, values.undoValue, (state, editor) => decideRedo(state, request.agent, editor));
  }

  /** An id under which a client may send updates of this root's texts, for the agent that asks. */
  async addClient(request: Request, root: string): Promise<Outcome<{ client: number }>> {
    const unknown = await this.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    const client = await this.#options.store.nextClientId();
    return this.change(request, root, values.clientValue, () => ({
      ok: true,
      ops: [{ type: 'client-added', client }],
      value: { client },
    }));
  }

  /** The root or node that is meant by an id or its end: `node-3` in the current root, else wherever there is just one. */
  async resolve(text: string, rootAtHand?: string): Promise<Resolution> {
    if (typeof text !== 'string') return refuseValue(['id'], 'must be a string');
    return resolveId(this, text, rootAtHand);
  }

  /** The node or root that is meant within one root; `undefined` for a root that cannot be read, or is deleted and only live ones count. */
  async findPlace(root: string, text: string, onlyLive = false): Promise<Place | undefined> {
    const state = await this.stateUnlessDamaged(root);
    return state === undefined || (onlyLive && state.deleted) ? undefined : findPlace(state, text);
  }

  /** Asks for a change of one existing root. */
  change<T>(request: Request, root: string, schema: z.ZodType<T>, decide: DecideRoot<T>): Promise<Written<T>> {
    return this.#change(request, root, schema, (state, editor) =>
      state.deleted ? refuseDeletedRoot(root) : decide(state, editor),
    );
  }

  /** Saves snapshots, so that the next process loads the roots quickly. */
  async saveSnapshots(): Promise<void> {
    for (const log of [...this.#logs.all(), this.#list]) await log.saveSnapshot();
  }

  close(): void {
    this.#others?.close();
    this.#list.close();
    for (const log of this.#logs.all()) log.close();
  }

  #snapshots<S>(snapshots: Snapshots<S>): { snapshots?: Snapshots<S> & { every: number } } {
    return this.#usesSnapshots ? { snapshots: { ...snapshots, every: this.#every } } : {};
  }

  /** Summarizes a root by its state in memory, else by its head, else by its log. It is written before it is listed: an empty one was lost. */
  async #summarize(root: string, head: LogHead | undefined): Promise<RootSummary> {
    const isUnknown = this.#logs.find(root)?.loaded === undefined && !this.damaged.has(root);
    const known = head !== undefined && isUnknown ? readHead(root, head) : undefined;
    if (known !== undefined) return this.#openings.improve(known, () => this.readUnlessDamaged(root, summarizeRoot));
    const summary = await this.readUnlessDamaged(root, summarizeRoot);
    if (summary !== undefined) return summary;
    const { value: created } = await this.#list.read(({ roots }) => roots.get(root)?.created ?? 0);
    return summarizeDamaged(root, created, this.damaged.get(root)?.message ?? '');
  }

  async #readListed<T>(root: string, read: (state: RootState) => T): Promise<T> {
    const { value } = await this.log(root).read((state) => (state.seq > 0 ? { read: read(state) } : undefined));
    if (value !== undefined) return value.read;
    throw lostLog(root);
  }

  /** Asks for a change with parameters that are checked first. */
  #ask<P, T>(
    request: Request,
    root: string,
    [schema, params]: [z.ZodType<P>, unknown],
    value: z.ZodType<T>,
    decide: (state: RootState, params: P, editor: () => TextEditor) => Decision<RootOp, T>,
  ): Promise<Written<T>> {
    const read = schemas.readParams(schema, params);
    if (!read.ok) return Promise.resolve(read);
    return this.change(request, root, value, (state, editor) => decide(state, read.value, editor));
  }

  async #change<T>(request: Request, root: string, schema: z.ZodType<T>, decide: DecideRoot<T>): Promise<Written<T>> {
    const unknown = await this.refuseUnknown(root);
    if (unknown !== undefined) return unknown;
    return this.log(root).append(request, schema, (state, editor) =>
      state.seq === 0 ? refuse({ reason: 'root-not-found', root }) : decide(state, editor),
    );
  }

  /** Writes the root's own log first, so that a listed root is never empty. If another process has listed one for the key, that is the answer. */
  async #createRoot(
    request: Request,
    config: RootConfig,
    unique: { key: string; replaces: string | undefined } | undefined,
    time?: number,
  ): Promise<Outcome<{ root: string }>> {
    const malformed = refuseMalformed(request);
    if (malformed !== undefined) return malformed;
    const known = (await this.#list.state()).requestOf(request.agent, request.id);
    const root = `root-${this.#options.ids.next()}`;
    if (known === undefined) {
      const begun = await this.log(root).append(request, z.unknown(), () => ({
        ok: true,
        ops: [{ type: 'root-changed', config }],
        value: null,
        ...(time === undefined ? {} : { time }),
      }));
      // A refused conversation must not be listed.
      if (!begun.ok) return begun;
    }
    return this.#list.append(request, values.rootValue, (list) => {
      const winner = unique && list.rootOfKey.get(unique.key);
      if (winner !== undefined && winner !== unique?.replaces) return { ok: true, ops: [], value: { root: winner } };
      const listed = { type: 'root-listed' as const, root, ...(unique === undefined ? {} : { key: unique.key }) };
      return { ok: true, ops: [listed], value: { root } };
    });
  }
}
