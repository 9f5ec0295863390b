import type { Cursor, FeedEvent, FeedItem, PresencePort, TextCursor } from '@loom/kernel';
import { CursorThrottle } from './cursor-throttle.ts';
import { EncodedFrame } from './encoded-frame.ts';
import { FrameRing } from './frame-ring.ts';
import type { RingEntry } from './frame-ring.ts';
import { Member } from './member.ts';
import type { Connection } from './waiting-frames.ts';
import { OtherRooms } from './other-rooms.ts';
import type { RoomOptions, Visitor } from './room-options.ts';
import { wireEvents } from './wire-events.ts';

/** 4 MB of JSON that is mostly ASCII. */
const defaultLimit = 4_000_000;

/** Some minutes of a streaming answer. */
const defaultRingLimit = 1_000_000;

/**
 * The server's side of one conversation: sends every change to all connected clients, and takes in their typing. It knows no
 * socket; the caller brings one as a connection.
 */
export class Room {
  readonly #options: RoomOptions;
  readonly #members = new Set<Member>();
  /** The number of connections of each agent that is here. */
  readonly #here = new Map<string, number>();
  readonly #cursors = new Map<string, TextCursor>();
  readonly #throttle: CursorThrottle;
  readonly #ring: FrameRing;
  readonly #stopListening: () => void;
  /** The rooms of other processes, if there may be any. */
  readonly #others: OtherRooms | undefined;
  /** The log is being read for clients that come back from before what the ring holds. */
  #filling: Promise<void> | undefined;

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#throttle = new CursorThrottle(options.clock, (cursor) => {
      const frame = new EncodedFrame({ type: 'cursor', cursor });
      for (const member of this.#members) member.offer(frame);
    });
    const { limit = defaultLimit, ringLimit = Math.min(limit, defaultRingLimit) } = options;
    this.#ring = new FrameRing(ringLimit);
    this.#stopListening = options.forest.log(options.root).subscribe((item) => this.#tell(item));
    const port = options.forest.presence?.(options.root);
    this.#others = port && this.#openOthers(port);
  }

  #openOthers(port: PresencePort): OtherRooms {
    return new OtherRooms({
      port,
      clock: this.#options.clock,
      own: () => ({ here: [...this.#here.keys()], cursors: [...this.#cursors.values()] }),
      came: (agent) => !this.#here.has(agent) && this.#sendAll(new EncodedFrame({ type: 'here', agent })),
      went: (agent) => !this.#here.has(agent) && this.#sendGone(agent),
      moved: (cursor) => this.#throttle.offer(cursor),
    });
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** A client connects. It is sent nothing before it joins by a frame. */
  enter(connection: Connection, visitor: Visitor): Member {
    const { limit = defaultLimit } = this.#options;
    const member = new Member({
      ...this.#options,
      limit,
      connection,
      visitor,
      ring: this.#ring,
      reach: (cursor) => this.#reach(cursor),
      here: () => [...new Set([...this.#here.keys(), ...(this.#others?.here ?? [])])],
      cursors: () =>
        [...(this.#others?.cursors ?? []), ...this.#cursors.values()].filter(({ agent }) => agent !== visitor.agent),
      onLeave: () => this.#forget(member),
    });
    const { agent } = visitor;
    const connections = this.#here.get(agent) ?? 0;
    if (connections === 0 && this.#others?.has(agent) !== true)
      this.#sendAll(new EncodedFrame({ type: 'here', agent }));
    this.#here.set(agent, connections + 1);
    if (connections === 0) this.#others?.changed();
    this.#members.add(member);
    return member;
  }

  /** Disconnects all clients. */
  close(): void {
    this.#stopListening();
    this.#others?.close();
    this.#throttle.close();
    for (const member of this.#members) member.dismiss('the room is closed; connect again');
  }

  #tell(item: FeedItem<FeedEvent>): void {
    switch (item.type) {
      case 'cursor':
        this.#keepCursor(item.cursor);
        this.#others?.changed();
        return this.#throttle.offer(item.cursor);
      case 'change': {
        const { epoch, seq } = item;
        // Written once, however many listen now or ask for it later.
        const frame = encodeChange(item);
        this.#ring.push({ epoch, seq }, frame);
        for (const member of this.#members) member.tell({ epoch, seq }, frame);
        return;
      }
      case 'resync':
        for (const member of this.#members) member.startOver();
    }
  }

  #sendAll(frame: EncodedFrame): void {
    for (const member of this.#members) member.send(frame);
  }

  /** Sees to it that the ring holds what a client has missed, if that can be. The log is read once for all who need the same. */
  async #reach(cursor: Cursor): Promise<void> {
    if (await this.#isReached(cursor)) return;
    if (this.#filling === undefined) {
      this.#filling = this.#fill(cursor).finally(() => (this.#filling = undefined));
      return this.#filling;
    }
    await this.#filling;
    if (!(await this.#isReached(cursor))) await this.#fill(cursor);
  }

  /** Returns true if reading the log would not help a client at a place. */
  async #isReached(cursor: Cursor): Promise<boolean> {
    const { forest, root } = this.#options;
    const { value } = await forest.log(root).read((_state, now) => {
      this.#ring.settle(now);
      return cursor.epoch !== now.epoch || this.#ring.isFull || this.#ring.since(cursor) !== undefined;
    });
    return value;
  }

  async #fill(cursor: Cursor): Promise<void> {
    const entries: RingEntry[] = [];
    for (const item of await this.#options.forest.log(this.#options.root).past.replay(cursor)) {
      if (item.type !== 'change') return;
      entries.push({ seq: item.seq, frame: encodeChange(item) });
    }
    this.#ring.prepend(cursor.epoch, entries);
  }

  #keepCursor(cursor: TextCursor): void {
    // An agent that is not connected never leaves: its cursor would stay for ever.
    if (this.#here.has(cursor.agent)) this.#cursors.set(cursor.agent, cursor);
  }

  #forget(member: Member): void {
    this.#members.delete(member);
    const { agent } = member;
    const left = (this.#here.get(agent) ?? 1) - 1;
    this.#here.set(agent, left);
    if (left > 0) return;
    this.#here.delete(agent);
    this.#cursors.delete(agent);
    this.#others?.changed();
    if (this.#others?.has(agent) !== true) this.#sendGone(agent);
  }

  #sendGone(agent: string): void {
    this.#throttle.forget(agent);
    this.#sendAll(new EncodedFrame({ type: 'gone', agent }));
  }
}

function encodeChange(item: Extract<FeedItem<FeedEvent>, { type: 'change' }>): EncodedFrame {
  return new EncodedFrame({ ...item, events: item.events.flatMap(wireEvents) });
}
