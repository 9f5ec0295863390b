import { editableText } from '@loom/blocks';
import type { MessageBlock, TextSplice } from '@loom/blocks';
import type { Cursor, NodeState, Refusal, TextCursor } from '@loom/kernel';
import { ConversationView } from './conversation-view.ts';
import type { EditedTexts } from './edited-texts.ts';
import { applyChange } from './event-application.ts';
import { parseServerFrame } from '../server-frame-parsing.ts';
import { encodeFrame, protocol } from '../frames.ts';
import type { ChangeFrame, ClientFrame, RootView, WelcomeFrame } from '../frames.ts';
import { LoadPlan } from './load-plan.ts';
import type { OutlineNode } from '../room/outline.ts';
import type { EditingMeans, ReplicaChange, ReplicaOptions, ReplicaStatus, TextChange } from './replica-options.ts';
import { ReplicaWatch } from './replica-watch.ts';
import type { KeptText } from './kept-text.ts';
import { TextCursors } from '../text-cursors.ts';
import { textSteps } from './text-steps.ts';
import type { TextSteps } from './text-steps.ts';

/**
 * The client's side of one conversation: the nodes as the server has them, and the texts that are edited here as their
 * author sees them. It knows no socket: its owner connects it, hands it the frames that arrive, and sends its frames.
 * Without a connection it can be read and edited all the same.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  /** The conversation as the parts of a page watch it. */
  readonly watch: ReplicaWatch;
  readonly #plan: LoadPlan;
  /** The view on display. */
  #view: ConversationView;
  /** The view that will take its place as soon as there is enough of it. */
  #next: ConversationView | undefined;
  #leaf: string | undefined;
  /** The nodes and blocks that are others in the snapshot that is shown now. */
  #changed = new Set<string>();
  readonly #cursors = new TextCursors();
  /** Absent while the replica only reads. */
  #texts: EditedTexts | undefined;
  /** Those who follow the texts of blocks. */
  readonly #followers = new Map<string, Set<(change: TextChange) => void>>();
  #send: ((text: string) => void) | undefined;
  #status: ReplicaStatus = 'offline';
  #join: string | undefined;
  /** The answer to the join: a live replica knows everything that the server had then. */
  #welcomed: Pick<WelcomeFrame, 'cursor' | 'cursors'> | undefined;
  readonly #here = new Set<string>();
  /** Nodes are missing that only a snapshot can bring. */
  #isIncomplete = false;
  #agent: string | undefined;
  #refusal: Refusal | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#plan = new LoadPlan(options.load !== 'branch');
    this.#view = new ConversationView(options.root, options.scope ?? 'whole');
    this.#leaf = options.leaf;
    this.watch = new ReplicaWatch(this);
    const { createTexts, keeper } = options;
    if (createTexts !== undefined) this.allowEditing({ createTexts, ...(keeper === undefined ? {} : { keeper }) });
  }

  get status(): ReplicaStatus {
    return this.#status;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** The place in the log that the nodes show. */
  get cursor(): Cursor | undefined {
    return this.#view.place.cursor;
  }

  get root(): RootView {
    return this.#view.root;
  }

  /** The nodes in scope that can be seen and are loaded, as the server has them. */
  get nodes(): ReadonlyMap<string, NodeState> {
    return this.#view.nodes;
  }

  /** Texts that the conversation holds beside its messages, as the server has them. */
  get drafts(): ReadonlyMap<string, NodeState> {
    return this.#view.drafts;
  }

  /** All visible nodes in scope, without their content. */
  get outline(): ReadonlyMap<string, OutlineNode> {
    return this.#view.outline;
  }

  /** True if the outline holds every node; until then it is still coming. */
  get isOutlined(): boolean {
    return this.#view.isOutlined;
  }

  /** The end of the branch that was loaded first. */
  get leaf(): string | undefined {
    return this.#leaf;
  }

  /** Asks for nodes with their content, the most urgent first. They are there when they have come. */
  want(nodes: Iterable<string>): void {
    this.#plan.want(nodes);
    this.#load();
  }

  block(id: string): MessageBlock | undefined {
    return this.#view.block(id);
  }

  /** The node that a block is part of, if it is loaded. */
  nodeOf(block: string): NodeState | undefined {
    return this.#view.nodeOf(block);
  }

  /**
   * Returns the text of a block as its reader should see it: with the typing here, even if the server does not have it yet.
   */
  text(block: string): string | undefined {
    if (this.#texts !== undefined) return this.#texts.text(block);
    const known = this.#view.block(block);
    return known && editableText(known);
  }

  /** The agents that are connected, this one included; none without a connection. */
  get here(): ReadonlySet<string> {
    return this.#here;
  }

  /** The places of others, by agent. */
  get cursors(): ReadonlyMap<string, TextCursor> {
    return this.#cursors.all;
  }

  /** The blocks with something typed that the server has not confirmed. */
  get unsaved(): string[] {
    return this.#texts?.unsaved ?? [];
  }

  /** Returns the number of edits in a block, each undone at once, that the server has not confirmed. */
  unsavedUnits(block: string): number {
    return this.#texts?.unsavedUnits(block) ?? 0;
  }

  /** Connects the replica. `send` takes the text of a frame and must not throw. */
  connect(send: (text: string) => void): void {
    this.#send = send;
    this.#beginJoin();
  }

  /** Disconnects: everything under way is lost with the connection. */
  disconnect(): void {
    this.#send = undefined;
    this.#join = undefined;
    this.#welcomed = undefined;
    this.#next = undefined;
    this.#here.clear();
    this.#cursors.reset([]);
    this.#setStatus('offline');
  }

  /** Takes in a frame, as JSON was read. Throws a `FrameError` if it is not valid; then close the connection. */
  receive(value: unknown): void {
    const frame = parseServerFrame(value);
    switch (frame.type) {
      case 'welcome':
        return this.#welcome(frame);
      case 'change':
        return this.#takeLive(frame);
      case 'outline':
        return this.#takeLoaded((view) => view.addOutline(frame.nodes, frame.isLast));
      case 'nodes':
        if (this.#plan.take(frame.id)) this.#takeLoaded((view) => view.addNodes(frame.nodes, frame.gone));
        return;
      case 'resync':
        // Also while joining: the dropped frame may be the answer to that.
        return this.#beginJoin();
      case 'opened':
        return this.#texts?.opened(frame);
      case 'ack':
        return this.#texts?.acknowledged(frame.id);
      case 'refused':
        return this.#refused(frame.id, frame.refusal);
      case 'cursor':
        if (frame.cursor.agent === this.#agent || this.#view.block(frame.cursor.block) === undefined) return;
        this.#cursors.set(frame.cursor);
        return this.#tell({ type: 'presence' });
      case 'here':
        this.#here.add(frame.agent);
        return this.#tell({ type: 'presence' });
      case 'gone':
        this.#here.delete(frame.agent);
        this.#cursors.forget(frame.agent);
        return this.#tell({ type: 'presence' });
    }
  }

  /** Lets texts be edited from now on: what it takes may come later than the conversation. */
  allowEditing({ createTexts, keeper }: EditingMeans): void {
    this.#texts ??= createTexts({
      options: this.#options,
      keeper,
      view: () => this.#view,
      isLive: () => this.#status === 'live',
      agent: () => this.#agent,
      post: (frame) => this.#post(frame),
      tell: (what) => this.#tell(what),
    });
  }

  /** Calls a listener with the changes of a block's text, as `onChange` tells them. Returns how to stop. */
  followText(block: string, listener: (change: TextChange) => void): () => void {
    const followers = this.#followers.get(block) ?? new Set();
    this.#followers.set(block, followers.add(listener));
    return () => {
      followers.delete(listener);
      if (followers.size === 0 && this.#followers.get(block) === followers) this.#followers.delete(block);
    };
  }

  /** Asks for a block to edit. Until `isOpen` it can only be read. */
  open(block: string): void {
    this.#editing().open(block);
  }

  /** Takes in what an earlier replica of this conversation has given its keeper: it is merged, and confirmed as if it was typed here. */
  restore(kept: readonly KeptText[]): void {
    this.#editing().restore(kept);
    this.want(kept.map(({ node }) => node));
    this.#texts?.begin();
  }

  isOpen(block: string): boolean {
    return this.#texts?.isOpen(block) === true;
  }

  /** Ends editing a block. False, and nothing happens, while something typed in it is not saved. */
  close(block: string): boolean {
    return this.#texts?.close(block) ?? true;
  }

  /** Ends editing the blocks in which everything is saved. */
  closeSaved(): void {
    for (const block of this.#texts?.blocks ?? []) this.close(block);
  }

  /**
   * Edits a block that is open, in UTF-16 offsets of its text as it is seen here. It shows at once. `isUnit`: it is undone
   * apart from the typing before and after.
   */
  edit(block: string, splices: readonly TextSplice[], { isUnit = false }: { isUnit?: boolean } = {}): void {
    this.#editing().work(block, (text) => text.edit(splices, isUnit));
  }

  /**
   * Takes back the agent's last unit in a block that is open. Without a connection that is unsent typing from here; behind
   * that, and with a connection, it is the agent's last unit at the server, in the order of the typing before and after:
   * then the text changes when the answer is there.
   */
  undo(block: string): void {
    this.#editing().work(block, (text) => text.undo(this.#status === 'live'));
  }

  /** Brings back the unit that was taken back last, unless there was typing since. */
  redo(block: string): void {
    this.#editing().work(block, (text) => text.redo());
  }

  /** Shows others where one is in a text. Never kept, and lost without a connection. */
  setCursor(block: string, anchor: number, head = anchor): void {
    if (this.#status !== 'live' || this.#view.block(block) === undefined) return;
    this.#post({ type: 'cursor', block, anchor, head });
  }

  #editing(): EditedTexts {
    if (this.#texts === undefined) throw new Error('this replica only reads; give it createTexts to edit');
    return this.#texts;
  }

  #beginJoin(): void {
    const { root, scope = 'whole', ids } = this.#options;
    const [view, leaf] = [this.#view, this.#leaf];
    const cursor = this.#isIncomplete || !view.isOutlined ? undefined : view.place.cursor;
    this.#join = ids.next();
    this.#welcomed = undefined;
    this.#next = undefined;
    this.#plan.rewind();
    const frame = { type: 'join' as const, id: this.#join, protocol, root, scope };
    const more = { ...(cursor === undefined ? {} : { cursor }), ...(leaf === undefined ? {} : { leaf }) };
    this.#post({ ...frame, ...more });
    this.#setStatus('joining');
  }

  #welcome({ id, agent, cursor, here, cursors, snapshot }: WelcomeFrame): void {
    if (id !== this.#join) return;
    this.#join = undefined;
    this.#welcomed = { cursor, cursors };
    this.#agent = agent;
    this.#here.clear();
    for (const other of here) this.#here.add(other);
    this.#refusal = undefined;
    if (snapshot !== undefined) {
      const next = new ConversationView(this.#view.id, this.#view.scope);
      next.begin(snapshot, cursor, this.#view);
      this.#next = next;
      this.#leaf ??= snapshot.leaf;
    }
    this.#proceed();
  }

  /** Takes in earlier nodes that have been loaded. */
  #takeLoaded(take: (view: ConversationView) => void): void {
    if (this.#welcomed === undefined) return;
    const shown = this.#texts?.shown('unopened');
    take(this.#next ?? this.#view);
    const isShown = this.#next === undefined;
    if (isShown && shown !== undefined) this.#texts?.tellDifferences(shown);
    this.#proceed();
    if (isShown) this.#tell({ type: 'loaded' });
  }

  /** Goes on after a frame: shows a complete view, asks for more, and is live once everything is known that the server had. */
  #proceed(): void {
    const next = this.#next;
    const isFirst = this.#view.place.cursor === undefined;
    if (next !== undefined && this.#plan.isEnough(next, isFirst)) this.#show(next);
    this.#load();
    this.#goLive();
    this.#texts?.begin();
  }

  #show(next: ConversationView): void {
    const before = this.#view;
    const shown = this.#texts?.shown('all');
    const isForeign = before.place.cursor !== undefined && before.place.cursor.epoch !== next.place.cursor?.epoch;
    this.#changed = next.replace(before);
    this.#view = next;
    this.#next = undefined;
    this.#isIncomplete = false;
    if (shown !== undefined) this.#texts?.reopen(isForeign, shown);
    this.#tell({ type: 'snapshot' });
    if (shown !== undefined) this.#texts?.tellDifferences(shown);
  }

  #load(): void {
    if (this.#welcomed === undefined) return;
    const request = this.#plan.next(this.#next ?? this.#view, () => this.#options.ids.next());
    if (request !== undefined) this.#post({ type: 'fetch', ...request });
  }

  /** Sends the typing from meanwhile, once everything is known that the server had when it answered. */
  #goLive(): void {
    const [here, welcomed] = [this.#view.place.cursor, this.#welcomed];
    if (this.#status !== 'joining' || this.#next !== undefined || here === undefined || welcomed === undefined) return;
    if (here.seq < welcomed.cursor.seq) return;
    this.#cursors.reset(welcomed.cursors.filter(({ block }) => this.#view.block(block) !== undefined));
    this.#setStatus('live');
    this.#texts?.goLive();
  }

  #takeLive(change: ChangeFrame): void {
    // Before the answer to a join everything is on its way again.
    if (this.#welcomed === undefined) return;
    const view = this.#next ?? this.#view;
    switch (view.place.judge(change)) {
      case 'known':
        return;
      case 'gap':
        return this.#beginJoin();
      case 'next':
        break;
    }
    const isComplete = view === this.#view ? this.#apply(change) : this.#applyUnseen(view, change);
    if (isComplete) return this.#proceed();
    this.#isIncomplete = true;
    this.#beginJoin();
  }

  /** Applies a change to a view that is not shown yet. */
  #applyUnseen(view: ConversationView, change: ChangeFrame): boolean {
    view.place.move(change);
    return applyChange(view, change).isComplete;
  }

  /** Applies a change to the view on display. False if nodes are missing now. */
  #apply(change: ChangeFrame): boolean {
    const shown = this.#texts?.shown('unopened');
    const touched: { block: string; steps: TextSteps }[] = [];
    for (const block of this.#watchedBlocks()) {
      const known = this.#view.block(block);
      const steps = known && textSteps(change.events, block, editableText(known) ?? '');
      if (steps !== undefined) touched.push({ block, steps });
    }
    const { isComplete, events } = applyChange(this.#view, change);
    this.#view.place.move(change);
    if (isComplete && shown !== undefined) this.#texts?.dropGone(shown);
    this.#cursors.keepOnly((block) => this.#view.block(block) !== undefined);
    const { seq, agent, turn } = change;
    const changed = touched.flatMap(({ block, steps }) => {
      for (const step of steps.steps) {
        if (step.type === 'edited') this.#cursors.carry(block, steps.version, step.splices);
      }
      return this.#texts?.follow(block, steps, change) ?? [];
    });
    this.#tell({ type: 'change', seq, agent, events, ...(turn === undefined ? {} : { turn }) });
    for (const what of changed) this.#tell(what);
    if (shown !== undefined) this.#texts?.tellDifferences(shown);
    return isComplete;
  }

  /** The blocks whose text has to be followed step by step. */
  #watchedBlocks(): Set<string> {
    return new Set([...(this.#texts?.blocks ?? []), ...[...this.#cursors.all.values()].map(({ block }) => block)]);
  }

  #refused(id: string, refusal: Refusal): void {
    if (id === this.#join) {
      this.#join = undefined;
      this.#refusal = refusal;
      return this.#setStatus('refused');
    }
    this.#texts?.refused(id, refusal);
  }

  #post(frame: ClientFrame): void {
    this.#send?.(encodeFrame(frame));
  }

  #setStatus(status: ReplicaStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#tell({ type: 'status' });
  }

  #tell(what: ReplicaChange): void {
    const changed = this.#view.takeChanged().union(this.#changed);
    this.#changed = new Set();
    if (what.type === 'text') {
      this.#texts?.note(what.block);
      changed.add(what.block);
    }
    this.watch.notify(changed);
    if (what.type === 'text') for (const listener of this.#followers.get(what.block) ?? []) listener(what);
    this.#options.onChange?.(what);
  }
}
