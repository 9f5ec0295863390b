import { suffices } from '@loom/kernel';
import type { Caller, Clock, LoomEngine } from '@loom/kernel';
import { EncodedFrame } from '@loom/sync';
import type { Connection } from '@loom/sync';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Identity } from '../access/tokens.ts';
import { ProblemError } from '../answers/problems.ts';
import { readJson } from '../guard/json-reader.ts';
import type { ListDoor } from './list-door.ts';
import { bytesOf } from './message-bytes.ts';
import type { NoteSent } from '../observing/server-measures.ts';
import { Batch, BatchEncoder } from './batches.ts';
import type { Rooms } from './rooms.ts';

export interface SocketDoorOptions {
  engine: LoomEngine;
  rooms: Rooms;
  lists: Pick<ListDoor, 'enter'>;
  clock: Clock;
  sent: NoteSent;
  newId: () => string;
  onFailure: (error: unknown) => void;
}

/** The largest frame that a client may send, in bytes. */
export const frameLimit = 1024 * 1024;

/** The most bytes on their way to a client before its frames wait. The room bounds the waiting ones. */
const highWater = 256 * 1024;

/** The number of frames of a client that may wait to be read. */
const mostWaiting = 16;

/** The interval of pings to a client, in milliseconds. */
const heartbeat = 30_000;

/** The close codes. 1012: the service restarts. 1008: a message breaks the rules. */
const closeCodes = { left: 1012, broken: 1008 } as const;

const asText = { binary: false };

const join = z.looseObject({ type: z.literal('join'), id: z.string(), root: z.string() });
const listJoin = z.looseObject({ type: z.literal('join-list') });

/** The calls of a connection to its room. */
interface Membership {
  receive(value: unknown): Promise<void>;
  drained(): void;
  leave(): void;
}

/** Lets WebSockets into the rooms of conversations and into that of the list: each into one, which its first join names. */
export class SocketDoor {
  readonly #options: SocketDoorOptions;
  readonly #encoder = new BatchEncoder();
  readonly #visits = new Set<SocketVisit>();

  constructor(options: SocketDoorOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#visits.size;
  }

  /** Starts a visit. Returns a function that ends it once its agent may no longer see anything. */
  enter(socket: WebSocket, identity: Identity): () => void {
    const visit = new SocketVisit(socket, identity, this.#encoder, this.#options);
    this.#visits.add(visit);
    socket.on('close', () => this.#visits.delete(visit));
    return () => visit.expel('the token is not valid any more; sign in again');
  }

  close(): void {
    for (const visit of this.#visits) visit.close('the server is stopping; connect again');
  }
}

class SocketVisit implements Connection {
  readonly #socket: WebSocket;
  readonly #identity: Identity;
  readonly #options: SocketDoorOptions;
  readonly #batch: Batch<EncodedFrame>;
  #member: Membership | undefined;
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #gathered = 0;
  #isFull = false;
  #isThere = true;
  #stopHeartbeat = (): void => {};

  constructor(socket: WebSocket, identity: Identity, encoder: BatchEncoder, options: SocketDoorOptions) {
    this.#socket = socket;
    this.#identity = identity;
    this.#options = options;
    this.#batch = new Batch((frames) => {
      const bytes = encoder.encode(frames);
      options.sent(bytes.byteLength, frames);
      this.#write(bytes);
    });
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('pong', () => (this.#isThere = true));
    socket.on('close', () => this.#leave());
    // Its end follows.
    socket.on('error', () => {});
    this.#beat();
  }

  send(frame: EncodedFrame): boolean {
    this.#gathered += frame.size;
    this.#batch.add(frame);
    this.#isFull = this.#gathered + this.#socket.bufferedAmount > highWater;
    return !this.#isFull;
  }

  close(reason: string, code: number = closeCodes.left): void {
    this.#batch.flush();
    // The protocol gives a reason 123 bytes.
    this.#socket.close(
      code,
      Buffer.from(reason)
        .subarray(0, 123)
        .toString()
        .replace(/\uFFFD$/u, ''),
    );
  }

  /** Ends it at once: nothing that waits is sent, and nothing more is heard. */
  expel(reason: string): void {
    this.#leave();
    this.#socket.removeAllListeners('message');
    this.close(reason, closeCodes.broken);
  }

  #write(bytes: Uint8Array): void {
    this.#gathered = 0;
    // A client that reads its messages need not be waited for.
    if (!this.#isFull) return this.#socket.send(bytes, asText);
    this.#socket.send(bytes, asText, () => {
      if (!this.#isFull || this.#socket.bufferedAmount > highWater / 2 || this.#gathered > 0) return;
      this.#isFull = false;
      this.#member?.drained();
    });
  }

  #hear(data: RawData, isBinary: boolean): void {
    if (isBinary) return this.close('frames are JSON texts', closeCodes.broken);
    this.#waiting += 1;
    if (this.#waiting >= mostWaiting) this.#socket.pause();
    this.#work = this.#take(this.#work, data);
  }

  async #take(before: Promise<void>, data: RawData): Promise<void> {
    await before;
    try {
      const value = readJson(bytesOf(data));
      if (this.#member === undefined) await this.#enter(value);
      await this.#member?.receive(value);
    } catch (error) {
      if (error instanceof ProblemError) return this.close(error.message, closeCodes.broken);
      this.#options.onFailure(error);
      this.close('the server failed; connect again, and repeat what was not answered');
    } finally {
      this.#waiting -= 1;
      if (this.#waiting < mostWaiting && this.#socket.isPaused) this.#socket.resume();
    }
  }

  /** Handles the first join, which names a conversation or the list. Access to a conversation is checked as an operation checks it. */
  async #enter(value: unknown): Promise<void> {
    const { engine, rooms, lists, newId } = this.#options;
    if (listJoin.safeParse(value).success) return void (this.#member = lists.enter(this, this.#identity));
    const { data } = join.safeParse(value);
    if (data === undefined) return this.close('the first frame must be a join', closeCodes.broken);
    const caller: Caller = { ...this.#identity, id: newId(), door: 'http' };
    const seen = await engine.call('root.get', caller, { root: data.root });
    if (!seen.ok) return void this.send(new EncodedFrame({ type: 'refused', id: data.id, refusal: seen.refusal }));
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const { agent, role } = this.#identity;
    const member = rooms.enter(data.root, this, { agent, mayWrite: suffices(role, 'writer') });
    this.#member = {
      receive: (frame) => member.receive(frame),
      drained: () => member.drained(),
      leave: () => rooms.leave(data.root, member),
    };
  }

  #beat(): void {
    this.#stopHeartbeat = this.#options.clock.after(heartbeat, () => {
      if (!this.#isThere) return this.#socket.terminate();
      this.#isThere = false;
      this.#socket.ping();
      this.#beat();
    });
  }

  #leave(): void {
    this.#stopHeartbeat();
    this.#member?.leave();
    this.#member = undefined;
  }
}
