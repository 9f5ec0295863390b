import { diffSplices, editableText } from '@loom/blocks';
import type { MessageBlock, TextSplice } from '@loom/blocks';
import type { Cursor, NodeState, Refusal, TextCursor } from '@loom/kernel';
import { ConversationView } from './conversation-view.ts';
import { applyChange } from './event-application.ts';
import { parseServerFrame } from '../server-frame-parsing.ts';
import { encodeFrame, protocol } from '../frames.ts';
import type { ChangeFrame, ClientFrame, OpenedFrame, RootView, WelcomeFrame } from '../frames.ts';
import { LoadPlan } from './load-plan.ts';
import type { OutlineNode } from '../room/outline.ts';
import type { ReplicaChange, ReplicaOptions, ReplicaStatus, TextAuthor } from './replica-options.ts';
import { ReplicaWatch } from './replica-watch.ts';
import type { KeptText } from './kept-text.ts';
import type { SharedText } from './shared-text.ts';
import { SharedTexts } from './shared-texts.ts';
import { TextCursors } from '../text-cursors.ts';
import { textSteps } from './text-steps.ts';
import type { TextSteps } from './text-steps.ts';

/**
 * The client's side of one conversation: the nodes as the server has them, and the texts that are edited here as their
 * author sees them. It knows no socket: it is told when there is a connection, is handed what arrives, and says what to send.
 * While there is none it can be read and edited all the same.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  /** The conversation as the parts of a page watch it. */
  readonly watch: ReplicaWatch;
  readonly #plan: LoadPlan;
  /** What is shown. */
  #view: ConversationView;
  /** What will take its place as soon as there is enough of it. */
  #next: ConversationView | undefined;
  #leaf: string | undefined;
  /** The nodes and blocks that are others in the snapshot that is shown now. */
  #changed = new Set<string>();
  readonly #cursors = new TextCursors();
  readonly #texts: SharedTexts;
  #send: ((text: string) => void) | undefined;
  #status: ReplicaStatus = 'offline';
  #join: string | undefined;
  /** The answer to the join: what is live knows everything that the server had then. */
  #welcomed: Pick<WelcomeFrame, 'cursor' | 'cursors'> | undefined;
  readonly #here = new Set<string>();
  /** Nodes are missing that only a snapshot can bring. */
  #isIncomplete = false;
  #agent: string | undefined;
  #refusal: Refusal | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { clock, ids, keeper, createText = onlyReads } = options;
    this.#texts = new SharedTexts({ createText, keeper, now: () => clock.now(), newId: () => ids.next() });
    this.#plan = new LoadPlan(options.load !== 'branch');
    this.#view = new ConversationView(options.root, options.scope ?? 'whole');
    this.#leaf = options.leaf;
    this.watch = new ReplicaWatch(this);
  }

  get status(): ReplicaStatus {
    return this.#status;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Where in the log the nodes are. */
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

  /** All nodes in scope that can be seen, without what they say. */
  get outline(): ReadonlyMap<string, OutlineNode> {
    return this.#view.outline;
  }

  /** Whether the outline holds every node; as long as it does not, it is still coming. */
  get isOutlined(): boolean {
    return this.#view.isOutlined;
  }

  /** The end of the branch that was loaded first. */
  get leaf(): string | undefined {
    return this.#leaf;
  }

  /** Asks for nodes with what they say, the most urgent first. They are there when they have come. */
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

  /** The text of a block as its reader should see it: with what was typed here, whether the server has it or not. */
  text(block: string): string | undefined {
    const shared = this.#texts.get(block)?.text;
    const known = this.#view.block(block);
    return shared ?? (known && editableText(known));
  }

  /** The agents that are connected, this one included; none without a connection. */
  get here(): ReadonlySet<string> {
    return this.#here;
  }

  /** Where others are, by agent. */
  get cursors(): ReadonlyMap<string, TextCursor> {
    return this.#cursors.all;
  }

  /** The blocks with something typed that the server has not confirmed. */
  get unsaved(): string[] {
    return this.#texts.unsaved;
  }

  /** There is a connection. `send` takes the text of a frame and must not throw. */
  connect(send: (text: string) => void): void {
    this.#send = send;
    this.#beginJoin();
  }

  /** The connection is gone, and whatever was under way with it. */
  disconnect(): void {
    this.#send = undefined;
    this.#join = undefined;
    this.#welcomed = undefined;
    this.#next = undefined;
    this.#here.clear();
    this.#cursors.reset([]);
    this.#setStatus('offline');
  }

  /** Something arrived, as JSON was read. Throws a `FrameError` if it is not a valid frame; then close the connection. */
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
        // Also while joining: the answer to that may be what was dropped.
        return this.#beginJoin();
      case 'opened':
        return this.#opened(frame);
      case 'ack':
        return this.#acknowledged(frame.id);
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

  /** Asks for a block to edit. Until `isOpen` it can only be read. */
  open(block: string): void {
    if (this.#options.createText === undefined) onlyReads();
    const text = this.#texts.open(block);
    if (text !== undefined) this.#flush(block, text);
  }

  /** Takes in what an earlier replica of this conversation has given its keeper: it is merged, and confirmed as if it was typed here. */
  restore(kept: readonly KeptText[]): void {
    if (this.#options.createText === undefined) onlyReads();
    this.#texts.restore(kept);
    this.want(kept.map(({ node }) => node));
    this.#beginTexts();
  }

  isOpen(block: string): boolean {
    return this.#texts.get(block)?.isOpen === true;
  }

  /** Ends editing a block. False, and nothing happens, while something typed in it is not saved. */
  close(block: string): boolean {
    if (this.#texts.get(block)?.isUnsaved === true) return false;
    this.#texts.close(block);
    return true;
  }

  /** Ends editing the blocks in which everything is saved. */
  closeSaved(): void {
    for (const block of this.#texts.blocks) this.close(block);
  }

  /** Edits a block that is open, in UTF-16 offsets of its text as it is seen here. It shows at once. */
  edit(block: string, splices: readonly TextSplice[]): void {
    this.#work(block, (text) => text.edit(splices));
  }

  /**
   * Takes back the last thing that its agent did in a block that is open. Without a connection that is what was typed here
   * and not sent; behind that, and with a connection, it is what the server has as the agent's last unit, in the order of
   * what was typed before and after: then the text changes when the answer is there.
   */
  undo(block: string): void {
    this.#work(block, (text) => text.undo(this.#status === 'live'));
  }

  /** Brings back what was taken back last, unless something was typed since. */
  redo(block: string): void {
    this.#work(block, (text) => text.redo());
  }

  /** Shows others where one is in a text. Never kept, and lost without a connection. */
  setCursor(block: string, anchor: number, head = anchor): void {
    if (this.#status !== 'live' || this.#view.block(block) === undefined) return;
    this.#post({ type: 'cursor', block, anchor, head });
  }

  #work(block: string, work: (text: SharedText) => TextSplice[]): void {
    const text = this.#texts.get(block);
    if (text === undefined) throw new Error(`the block ${block} is not open; open it first`);
    const splices = work(text);
    this.#flush(block, text);
    this.#tellText(block, splices, this.#self);
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

  /** Something that was there before has come. */
  #takeLoaded(take: (view: ConversationView) => void): void {
    if (this.#welcomed === undefined) return;
    const shown = this.#shownTexts((text) => !text.hasDocument);
    take(this.#next ?? this.#view);
    const isShown = this.#next === undefined;
    if (isShown) this.#tellDifferences(shown);
    this.#proceed();
    if (isShown) this.#tell({ type: 'loaded' });
  }

  /** After something has come: shows what is complete, asks for more, and is live once everything is known that the server had. */
  #proceed(): void {
    const next = this.#next;
    const isFirst = this.#view.place.cursor === undefined;
    if (next !== undefined && this.#plan.isEnough(next, isFirst)) this.#show(next);
    this.#load();
    this.#goLive();
    this.#beginTexts();
  }

  /** Opens what earlier replicas have left. */
  #beginTexts(): void {
    for (const { block, text, isGone } of this.#texts.begin(this.#view)) {
      if (isGone) this.#handBack(block, text, blockGone(block));
      else this.#flush(block, text);
      const known = this.#view.block(block);
      this.#tellDifference(block, (known && editableText(known)) ?? '');
    }
  }

  #show(next: ConversationView): void {
    const before = this.#view;
    const texts = this.#shownTexts();
    const isForeign = before.place.cursor !== undefined && before.place.cursor.epoch !== next.place.cursor?.epoch;
    this.#changed = next.replace(before);
    this.#view = next;
    this.#next = undefined;
    this.#isIncomplete = false;
    this.#reopenTexts(isForeign, texts);
    this.#tell({ type: 'snapshot' });
    this.#tellDifferences(texts);
  }

  #load(): void {
    if (this.#welcomed === undefined) return;
    const request = this.#plan.next(this.#next ?? this.#view, () => this.#options.ids.next());
    if (request !== undefined) this.#post({ type: 'fetch', ...request });
  }

  /** Once everything is known that the server had when it answered, what was typed meanwhile is sent. */
  #goLive(): void {
    const [here, welcomed] = [this.#view.place.cursor, this.#welcomed];
    if (this.#status !== 'joining' || this.#next !== undefined || here === undefined || welcomed === undefined) return;
    if (here.seq < welcomed.cursor.seq) return;
    this.#cursors.reset(welcomed.cursors.filter(({ block }) => this.#view.block(block) !== undefined));
    this.#setStatus('live');
    for (const [block, text] of this.#texts) {
      text.rewind();
      this.#flush(block, text);
    }
  }

  /** After a snapshot: what the documents have missed is not known. */
  #reopenTexts(isForeign: boolean, before: ReadonlyMap<string, string>): void {
    for (const [block, text] of this.#texts) {
      const known = this.#view.block(block);
      if (known === undefined || editableText(known) === undefined)
        this.#giveUp(block, text, blockGone(block), before.get(block));
      else if (isForeign || known.version !== text.version) text.reopen(isForeign);
    }
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

  /** A change of what is not shown yet. */
  #applyUnseen(view: ConversationView, change: ChangeFrame): boolean {
    view.place.move(change);
    return applyChange(view, change).isComplete;
  }

  /** A change of what is shown. False if nodes are missing now. */
  #apply(change: ChangeFrame): boolean {
    const shown = this.#shownTexts((text) => !text.hasDocument);
    const touched: { block: string; steps: TextSteps }[] = [];
    for (const block of this.#watchedBlocks()) {
      const known = this.#view.block(block);
      const steps = known && textSteps(change.events, block, editableText(known) ?? '');
      if (steps !== undefined) touched.push({ block, steps });
    }
    const { isComplete, events } = applyChange(this.#view, change);
    this.#view.place.move(change);
    for (const [block, text] of this.#texts) {
      if (this.#view.block(block) !== undefined || !isComplete) continue;
      this.#giveUp(block, text, blockGone(block), shown.get(block));
    }
    this.#cursors.keepOnly((block) => this.#view.block(block) !== undefined);
    const { seq, agent, turn } = change;
    const changed: Extract<ReplicaChange, { type: 'text' }>[] = [];
    for (const { block, steps } of touched) {
      for (const step of steps.steps) {
        if (step.type === 'edited') this.#cursors.carry(block, steps.version, step.splices);
      }
      const text = this.#texts.get(block);
      if (text === undefined) continue;
      // An undo of this agent, while one of this client is on its way, is taken for that one.
      const by = { agent, isHere: agent === this.#agent && text.isFlipping };
      const splices = text.take(steps);
      if (splices.length > 0) changed.push({ type: 'text', block, splices, by });
      this.#flush(block, text);
    }
    this.#tell({ type: 'change', seq, agent, events, ...(turn === undefined ? {} : { turn }) });
    for (const what of changed) this.#tell(what);
    this.#tellDifferences(shown);
    return isComplete;
  }

  /** What blocks show that are edited here. */
  #shownTexts(isMeant: (text: SharedText) => boolean = () => true): Map<string, string> {
    const meant = [...this.#texts].filter(([, text]) => isMeant(text));
    return new Map(meant.map(([block]) => [block, this.text(block) ?? '']));
  }

  /** The blocks whose text has to be followed step by step. */
  #watchedBlocks(): Set<string> {
    return new Set([...this.#texts.blocks, ...[...this.#cursors.all.values()].map(({ block }) => block)]);
  }

  #opened(frame: OpenedFrame): void {
    const text = this.#texts.get(frame.block);
    if (text === undefined || !text.isOpeningBy(frame.id)) return;
    const before = this.text(frame.block) ?? '';
    text.opened(frame);
    this.#flush(frame.block, text);
    this.#tellDifference(frame.block, before);
  }

  #acknowledged(id: string): void {
    for (const [block, text] of this.#texts) {
      if (!text.has(id)) continue;
      const before = text.isUndecided ? (text.text ?? '') : undefined;
      text.acknowledge(id);
      this.#flush(block, text);
      return before === undefined ? this.#tellText(block, [], this.#self) : this.#tellDifference(block, before);
    }
  }

  #refused(id: string, refusal: Refusal): void {
    if (id === this.#join) {
      this.#join = undefined;
      this.#refusal = refusal;
      return this.#setStatus('refused');
    }
    for (const [block, text] of this.#texts) {
      if (text.isOpeningBy(id)) return this.#giveUp(block, text, refusal);
      if (!text.has(id)) continue;
      const before = text.text ?? '';
      if (refusal.reason === 'text-replaced') {
        text.refuse();
      } else if (!text.dropFlip(id)) {
        this.#handBack(block, text, refusal);
        text.discard();
      }
      this.#flush(block, text);
      return this.#tellDifference(block, before);
    }
  }

  /** The block cannot be edited any more. */
  #giveUp(block: string, text: SharedText, refusal: Refusal, before = this.text(block) ?? ''): void {
    this.#texts.close(block);
    this.#handBack(block, text, refusal);
    this.#tellDifference(block, before);
  }

  #handBack(block: string, text: SharedText, refusal: Refusal): void {
    const { text: typed, confirmedText: base } = text;
    if (text.hasTyped && typed !== undefined) this.#options.onLost({ block, base, text: typed, refusal });
  }

  /** Sends what a text has to say now. */
  #flush(block: string, text: SharedText): void {
    if (this.#status !== 'live') return;
    const opening = text.takeOpening();
    if (opening !== undefined) this.#post({ type: 'open', id: opening, block });
    const frame = text.takeEdits();
    if (frame !== undefined) this.#post(frame);
  }

  #post(frame: ClientFrame): void {
    this.#send?.(encodeFrame(frame));
  }

  #setStatus(status: ReplicaStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#tell({ type: 'status' });
  }

  get #self(): TextAuthor {
    return this.#agent === undefined ? { isHere: true } : { agent: this.#agent, isHere: true };
  }

  #tellText(block: string, splices: readonly TextSplice[], by: TextAuthor): void {
    this.#tell({ type: 'text', block, splices, by });
  }

  /** Tells how a text has become another one than before, where that is not known from edits. */
  #tellDifference(block: string, before: string): void {
    this.#tellText(block, diffSplices(before, this.text(block) ?? ''), { isHere: false });
  }

  /** The same, for blocks that are still edited here. */
  #tellDifferences(before: ReadonlyMap<string, string>): void {
    for (const [block, text] of before) {
      if (this.#texts.get(block) !== undefined && this.text(block) !== text) this.#tellDifference(block, text);
    }
  }

  #tell(what: ReplicaChange): void {
    const changed = this.#view.takeChanged().union(this.#changed);
    this.#changed = new Set();
    if (what.type === 'text') {
      this.#texts.note(what.block, this.#view);
      changed.add(what.block);
    }
    this.watch.notify(changed);
    this.#options.onChange?.(what);
  }
}

function onlyReads(): never {
  throw new Error('this replica only reads; give it createText to edit');
}

function blockGone(block: string): Refusal {
  return { reason: 'block-not-found', block };
}
