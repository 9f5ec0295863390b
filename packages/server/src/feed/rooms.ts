import type { Clock, LoomEngine } from '@loom/kernel';
import { Room } from '@loom/sync';
import type { Connection, Member, Visitor } from '@loom/sync';

export interface RoomsOptions {
  engine: LoomEngine;
  clock: Clock;
  onFailure: (error: unknown) => void;
}

/** The time for which an empty room is kept, in milliseconds: a client that was cut finds the missed changes there. */
const linger = 60_000;

/** The rooms of the conversations that clients follow, or have followed just now. */
export class Rooms {
  readonly #options: RoomsOptions;
  readonly #rooms = new Map<string, { room: Room; keep: () => void }>();

  #members = 0;

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** The number of clients that follow conversations. */
  get members(): number {
    return this.#members;
  }

  /** The number of followed conversations. */
  get size(): number {
    return [...this.#rooms.values()].filter(({ room }) => !room.isEmpty).length;
  }

  /** A client enters the room of a conversation that it may see. */
  enter(root: string, connection: Connection, visitor: Visitor): Member {
    const { engine, clock, onFailure } = this.#options;
    const known = this.#rooms.get(root);
    known?.keep();
    const room = known?.room ?? new Room({ root, forest: engine.forest, tools: engine.blocks, clock, onFailure });
    this.#rooms.set(root, { room, keep: () => {} });
    this.#members += 1;
    return room.enter(connection, visitor);
  }

  /** A client leaves. A room that stays empty is given up. */
  leave(root: string, member: Member): void {
    member.leave();
    this.#members -= 1;
    const room = this.#rooms.get(root)?.room;
    if (room === undefined || !room.isEmpty) return;
    const keep = this.#options.clock.after(linger, () => {
      this.#rooms.delete(root);
      room.close();
    });
    this.#rooms.set(root, { room, keep });
  }

  /** Disconnects all clients. */
  close(): void {
    const rooms = [...this.#rooms.values()];
    this.#rooms.clear();
    for (const { room, keep } of rooms) {
      keep();
      room.close();
    }
  }
}
