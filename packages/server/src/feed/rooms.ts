import type { LoomEngine } from '@loom/kernel';
import { Room } from '@loom/sync';
import type { Connection, Member, Visitor } from '@loom/sync';

/** The rooms of the conversations that clients follow at this moment. */
export class Rooms {
  readonly #engine: LoomEngine;
  readonly #onFailure: (error: unknown) => void;
  readonly #rooms = new Map<string, Room>();

  constructor(engine: LoomEngine, onFailure: (error: unknown) => void) {
    this.#engine = engine;
    this.#onFailure = onFailure;
  }

  /** How many conversations are followed. */
  get size(): number {
    return this.#rooms.size;
  }

  /** A client enters the room of a conversation that it may see. */
  enter(root: string, connection: Connection, visitor: Visitor): Member {
    const { forest, blocks } = this.#engine;
    const room =
      this.#rooms.get(root) ?? new Room({ root, forest, tools: blocks, onFailure: (error) => this.#onFailure(error) });
    this.#rooms.set(root, room);
    return room.enter(connection, visitor);
  }

  /** A client leaves. A room that is empty is given up. */
  leave(root: string, member: Member): void {
    member.leave();
    const room = this.#rooms.get(root);
    if (room === undefined || !room.isEmpty) return;
    this.#rooms.delete(root);
    room.close();
  }

  /** Disconnects all clients. */
  close(): void {
    for (const room of this.#rooms.values()) room.close();
    this.#rooms.clear();
  }
}
