import type { FeedEvent, FeedItem, TextCursor } from '@loom/kernel';
import { encodeFrame } from './frames.ts';
import { Member } from './member.ts';
import type { Connection } from './outbox.ts';
import type { RoomOptions, Visitor } from './room-options.ts';

/** 4 MB of JSON that is mostly ASCII. */
const defaultLimit = 4_000_000;

/**
 * The server's side of one conversation: sends every change to all connected clients, and takes in what they type. It
 * knows no socket; the caller brings one as a connection.
 */
export class Room {
  readonly #options: RoomOptions;
  readonly #members = new Set<Member>();
  readonly #cursors = new Map<string, TextCursor>();
  readonly #stopListening: () => void;

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#stopListening = options.forest.log(options.root).subscribe((item) => this.#tell(item));
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
      cursors: () => [...this.#cursors.values()].filter(({ agent }) => agent !== visitor.agent),
      onLeave: () => this.#forget(member),
    });
    this.#members.add(member);
    return member;
  }

  /** Disconnects all clients. */
  close(): void {
    this.#stopListening();
    for (const member of this.#members) member.dismiss('the room is closed; connect again');
  }

  #tell(item: FeedItem<FeedEvent>): void {
    if (item.type === 'cursor') this.#keepCursor(item.cursor);
    if (this.isEmpty) return;
    // Written once, however many listen.
    const text = item.type === 'resync' ? '' : encodeFrame(item);
    for (const member of this.#members) member.tell(item, text);
  }

  #keepCursor(cursor: TextCursor): void {
    // An agent that is not connected never leaves: its cursor would stay for ever.
    if ([...this.#members].some(({ agent }) => agent === cursor.agent)) this.#cursors.set(cursor.agent, cursor);
  }

  #forget(member: Member): void {
    this.#members.delete(member);
    const { agent } = member;
    if ([...this.#members].some((other) => other.agent === agent) || !this.#cursors.delete(agent)) return;
    const text = encodeFrame({ type: 'gone', agent });
    for (const other of this.#members) other.send(text);
  }
}
