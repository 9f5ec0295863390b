import { fromBase64 } from '@loom/blocks';
import type { Cursor, Refusal, RootState, TextCursor } from '@loom/kernel';
import { Attendee } from './attendee.ts';
import type { AttendeeOptions } from './attendee.ts';
import { EncodedFrame } from './encoded-frame.ts';
import type { FrameRing } from './frame-ring.ts';
import { parseClientFrame } from '../client-frame-parsing.ts';
import { protocol } from '../frames.ts';
import type { ClientFrame, JoinFrame, SentFlip, ServerFrame, UpdateFrame } from '../frames.ts';
import type { RoomOptions, Visitor } from './room-options.ts';
import { defaultPages, takeFirstPage, takeNodes, takeOutline } from './snapshot.ts';

export interface MemberOptions extends RoomOptions, AttendeeOptions {
  limit: number;
  visitor: Visitor;
  ring: FrameRing;
  /** Sees to it that the ring holds the changes since a place, if that can be. */
  reach: (cursor: Cursor) => Promise<void>;
  here: () => string[];
  cursors: () => TextCursor[];
}

type Frame<T extends ClientFrame['type']> = Extract<ClientFrame, { type: T }>;

/** More than a client that works ever needs. */
const maxJoins = 1000;

/** More than can come twice. */
const maxRefusedFlips = 1000;

/** One connection in the room of a conversation. */
export class Member extends Attendee {
  readonly #options: MemberOptions;
  /** The place up to which this client has been sent changes; `undefined` while it has to join first. */
  #told: Cursor | undefined;
  readonly #joins = new Set<string>();
  readonly #refusedFlips = new Map<string, { refusal: Refusal }>();
  /** The last one. */
  #joined: string | undefined;

  constructor(options: MemberOptions) {
    super(options);
    this.#options = options;
  }

  get agent(): string {
    return this.#options.visitor.agent;
  }

  /** Sends a frame, with the place that the client reaches by it. */
  send(frame: EncodedFrame, reached?: Cursor): void {
    if (this.hasLeft || this.#told === undefined) return;
    if (!this.frames.push({ frame, reached })) this.#told = undefined;
  }

  /** The amount that waits for the client, in UTF-16 units of JSON. */
  get waiting(): number {
    return this.frames.size;
  }

  /** Sends a frame if the client takes it now; a later one says more. */
  offer(frame: EncodedFrame): void {
    if (!this.frames.isFull) this.send(frame);
  }

  /** A change of the conversation. */
  tell(cursor: Cursor, frame: EncodedFrame): void {
    if (this.#told === undefined || cursor.seq <= this.#told.seq) return;
    this.#told = cursor;
    this.send(frame, cursor);
  }

  /** Makes the client start over: earlier frames no longer hold. */
  startOver(): void {
    if (this.#told === undefined) return;
    this.#told = undefined;
    this.frames.resync();
  }

  protected async take(value: unknown): Promise<void> {
    await this.#handle(parseClientFrame(value));
  }

  protected stop(): void {
    this.#told = undefined;
  }

  #handle(frame: ClientFrame): Promise<void> | void {
    switch (frame.type) {
      case 'join':
        return this.#join(frame);
      case 'fetch':
        return this.#fetch(frame);
      case 'open':
        return this.#refusalFor(frame.id, frame.block) ?? this.#open(frame);
      case 'update':
        return this.#refusalFor(frame.edits[0]?.id ?? '', frame.block) ?? this.#update(frame);
      case 'cursor':
        return this.#setCursor(frame);
    }
  }

  async #join(frame: JoinFrame): Promise<void> {
    // The same frame, come twice: its answer was sent, and a second answer would be missed where it is looked for.
    if (this.#joins.has(frame.id)) return;
    this.#joins.add(frame.id);
    if (this.#joins.size > maxJoins) return this.dismiss('too many joins on one connection; connect again');
    if (frame.protocol !== protocol) {
      return this.dismiss(`this server speaks protocol ${protocol}, not ${frame.protocol}; reload the client`);
    }
    this.#joined = frame.id;
    this.#told = undefined;
    if (frame.cursor !== undefined) await this.#options.reach(frame.cursor);
    const { forest, root } = this.#options;
    const isHere =
      frame.root === root && (await forest.log(root).read((state, now) => this.#begin(frame, state, now))).value;
    if (isHere || this.hasLeft) return;
    const refusal: Refusal = { reason: 'root-not-found', root: frame.root, next: { type: 'list-roots' } };
    this.frames.begin([{ frame: new EncodedFrame({ type: 'refused', id: frame.id, refusal }) }]);
  }

  /** Sends the current state. It happens while the log stands still, so that nothing comes between this and the next frame. */
  #begin(join: JoinFrame, state: RootState, now: Cursor): boolean {
    if (state.seq === 0) return false;
    if (this.hasLeft) return true;
    const { id, scope, leaf, cursor } = join;
    const { visitor, here, cursors, ring, pages = defaultPages } = this.#options;
    const about = { agent: visitor.agent, here: here(), cursors: cursors() };
    const welcome = { type: 'welcome' as const, id, cursor: now, ...about };
    ring.settle(now);
    const missed = cursor && ring.since(cursor);
    this.#told = now;
    if (cursor !== undefined && missed !== undefined) {
      const first = { frame: new EncodedFrame(welcome), reached: cursor };
      const changes = missed.map((frame, index) => ({ frame, reached: { ...cursor, seq: cursor.seq + index + 1 } }));
      this.frames.begin([first, ...changes]);
    } else {
      const { snapshot, others } = takeFirstPage(state, { scope, leaf, pages });
      this.frames.begin([{ frame: new EncodedFrame({ ...welcome, snapshot }), reached: now }]);
      if (others.length > 0) void this.guard(this.#sendOutline(others, id));
    }
    return true;
  }

  /** Sends the outline of nodes page by page, as the client takes it; each page as the nodes are then. */
  async #sendOutline(ids: readonly string[], join: string): Promise<void> {
    const { forest, root, pages = defaultPages } = this.#options;
    for (let at = 0; at < ids.length; at += pages.outline) {
      await this.frames.hasRoom();
      await forest.log(root).read((state) => {
        // The client was told to join again, or has done so.
        if (this.#told === undefined || this.#joined !== join) return;
        const nodes = takeOutline(state, ids.slice(at, at + pages.outline));
        this.#answer({ type: 'outline', nodes, isLast: at + pages.outline >= ids.length });
      });
      if (this.#told === undefined || this.#joined !== join) return;
    }
  }

  async #fetch({ id, nodes }: Frame<'fetch'>): Promise<void> {
    const { forest, root, pages = defaultPages } = this.#options;
    // The answer must be neither older nor newer than what the client has been told.
    await forest.log(root).read((state) => this.#answer({ type: 'nodes', id, ...takeNodes(state, nodes, pages) }));
  }

  async #open({ id, block }: Frame<'open'>): Promise<void> {
    const { forest, root, tools } = this.#options;
    const shared = await tools.document(block);
    if ('refusal' in shared) return this.#refuse(id, shared.refusal);
    const added = await forest.addClient({ agent: this.agent, id }, root);
    if (!added.ok) return this.#refuse(id, added.refusal);
    // Read after the document: one that was replaced in between then counts as replaced, and not as the same.
    const { value: since } = await forest.log(root).read((state) => state.texts.get(block)?.since ?? 1);
    this.#answer({ type: 'opened', id, block, client: added.value.client, since, ...shared });
  }

  async #update({ block, client, seed, edits }: UpdateFrame): Promise<void> {
    for (const work of edits) {
      if ('flip' in work) {
        if (await this.#flip(block, seed, work)) continue;
        return;
      }
      const { id, burst, update } = work;
      const bytes = decode(update);
      if (bytes === undefined) {
        const problems = [{ path: ['update'], problem: 'must be written in base64' }];
        return this.#refuse(id, { reason: 'invalid-params', problems });
      }
      const request = { agent: this.agent, id };
      const answer = await this.#options.tools.update(request, { block_id: block, client, seed, burst, update: bytes });
      // Later edits build on it.
      if ('refusal' in answer) return this.#refuse(id, answer.refusal);
      this.#answer({ type: 'ack', id, version: answer.version });
    }
  }

  /**
   * Undoes or redoes. False if it was refused. Later work must not be done before its sender knows: it would send the same
   * once more.
   */
  async #flip(block: string, seed: number, { id, flip }: SentFlip): Promise<boolean> {
    const known = this.#refusedFlips.get(id);
    const request = { agent: this.agent, id };
    const answer = known ?? (await this.#options.tools[flip](request, { block_id: block }, { seed }));
    if (!('refusal' in answer)) {
      this.#answer({ type: 'ack', id, version: answer.version });
      return true;
    }
    // The same frame may come twice: by then there may be something to undo that its sender did not mean.
    this.#refusedFlips.set(id, answer);
    const [oldest = ''] = this.#refusedFlips.keys();
    if (this.#refusedFlips.size > maxRefusedFlips) this.#refusedFlips.delete(oldest);
    this.#refuse(id, answer.refusal);
    return false;
  }

  async #setCursor({ block, anchor, head }: Frame<'cursor'>): Promise<void> {
    const { tools, visitor, root } = this.#options;
    if (!visitor.mayWrite || !isOf(root, block)) return;
    // Refused when the text is shorter by now; the next one will fit.
    await tools.setCursor(visitor.agent, { block_id: block, anchor, head });
  }

  /** Refuses a request that is not for this room, or not allowed to this client. */
  #refusalFor(id: string, block: string): Promise<void> | undefined {
    const { visitor, root } = this.#options;
    const refusal: Refusal | undefined = !visitor.mayWrite
      ? { reason: 'not-permitted', needs: 'writer' }
      : isOf(root, block)
        ? undefined
        : { reason: 'block-not-found', block };
    if (refusal === undefined) return undefined;
    this.#refuse(id, refusal);
    return Promise.resolve();
  }

  #refuse(id: string, refusal: Refusal): void {
    this.#answer({ type: 'refused', id, refusal });
  }

  #answer(frame: ServerFrame): void {
    this.send(new EncodedFrame(frame));
  }
}

function isOf(root: string, block: string): boolean {
  return block.startsWith(`${root}/`);
}

function decode(update: string): Uint8Array | undefined {
  try {
    return fromBase64(update);
  } catch {
    return undefined;
  }
}
