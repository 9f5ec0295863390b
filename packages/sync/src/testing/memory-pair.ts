import type { Connection, Member, Replica, Room, Visitor } from '../index.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The number of frames that may be under way to a client before it says that it has enough. */
const window = 3;

/**
 * A connection between a replica and a room, both in this process. Nothing arrives unless the scheduler lets a frame
 * through. Frames from a client may come twice or in another order, frames to it may come twice; any of them is lost when
 * the connection is cut.
 */
export class MemoryPair {
  #replica: Replica;
  readonly #visitor: Visitor;
  readonly #random: SeededRandom;
  #toRoom: string[] = [];
  #toReplica: string[] = [];
  #member: Member | undefined;
  /** A client that does not read, though it is there. */
  isStuck = false;

  constructor(replica: Replica, visitor: Visitor, random: SeededRandom) {
    this.#replica = replica;
    this.#visitor = visitor;
    this.#random = random;
  }

  get replica(): Replica {
    return this.#replica;
  }

  /** The client is gone, with all that it knew; another one takes its place. */
  reload(replica: Replica): void {
    this.cut();
    this.#replica = replica;
  }

  get isConnected(): boolean {
    return this.#member !== undefined;
  }

  get isQuiet(): boolean {
    return this.#toRoom.length + this.#toReplica.length === 0;
  }

  connect(room: Room): void {
    const connection: Connection = {
      send: ({ text }) => {
        this.#toReplica.push(text);
        return this.#toReplica.length < window;
      },
      close: () => this.cut(),
    };
    this.#member = room.enter(connection, this.#visitor);
    this.replica.connect((text) => void this.#toRoom.push(text));
  }

  cut(): void {
    const member = this.#member;
    if (member === undefined) return;
    this.#member = undefined;
    this.#toRoom = [];
    this.#toReplica = [];
    this.isStuck = false;
    member.leave();
    this.replica.disconnect();
  }

  /** Lets one frame through, or none if none can be. */
  deliver(): void {
    const isUp = this.isStuck || this.#toReplica.length === 0 || (this.#toRoom.length > 0 && this.#random.chance(50));
    if (isUp) this.#deliverUp(this.#random.below(Math.max(1, this.#toRoom.length)), this.#random.chance(15));
    else this.#deliverDown(this.#random.chance(10));
  }

  /** Lets everything through, in order. */
  drain(): void {
    this.isStuck = false;
    while (this.#toRoom.length > 0) this.#deliverUp(0, false);
    while (this.#toReplica.length > 0) this.#deliverDown(false);
  }

  #deliverUp(index: number, isTwice: boolean): void {
    const [text] = this.#toRoom.splice(index, isTwice ? 0 : 1);
    if (text !== undefined) void this.#member?.receive(JSON.parse(text));
  }

  #deliverDown(isTwice: boolean): void {
    const text = this.#toReplica.shift();
    if (text === undefined) return;
    for (let times = isTwice ? 2 : 1; times > 0; times -= 1) this.replica.receive(JSON.parse(text));
    if (this.#toReplica.length < window) this.#member?.drained();
  }
}
