import type { Clock, Cursor, LoomEngine } from '@loom/kernel';
import { protocol } from '@loom/sync';
import type { Connection, EncodedFrame, Member, Scope } from '@loom/sync';
import { z } from 'zod';
import { answer, answerJson, answerOutcome } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import { readJsonBody } from '../guard/body.ts';
import { callerOf, grantOf, identityOf } from '../routes/route.ts';
import type { Route, Visit } from '../routes/route.ts';
import type { NoteSent } from '../observing/server-measures.ts';
import { Batch } from './batches.ts';
import type { Rooms } from './rooms.ts';

/** The services that every stream of events needs. */
export interface EventStreamPorts {
  clock: Clock;
  sent: NoteSent;
}

export interface EventStreamParts extends EventStreamPorts {
  engine: LoomEngine;
  rooms: Rooms;
  newId: () => string;
}

/** The interval of signs of life in an idle stream, in milliseconds: proxies cut a stream that is silent for a minute. */
const heartbeat = 15_000;

/** The most bytes on their way to a client before its frames wait. */
const highWater = 256 * 1024;

const query = z.object({
  root: z.string().min(1),
  path: z.string().min(1).exactOptional(),
  subtree: z.string().min(1).exactOptional(),
  leaf: z.string().min(1).exactOptional(),
  after: z.string().exactOptional(),
  /** The key that marks the answer to this request. */
  join: z.string().min(1).max(200).exactOptional(),
});

/**
 * `GET /api/v1/events?root=…`: the feed of a conversation as server-sent events, for clients that only listen. The data of an event is
 * a frame, its id the place in the log that it reaches; a client that comes back with the last id goes on from there.
 */
export function eventRoutes(parts: EventStreamParts): Route[] {
  const streams: OpenStreams = new Map();
  const place = { path: '/api/v1/events', access: 'token' } as const;
  return [
    { ...place, method: 'GET', handle: (visit) => openStream(visit, parts, streams) },
    { ...place, method: 'POST', handle: (visit) => say(visit, streams) },
  ];
}

/** The streams that are open, by their tokens and the ids of their joins. */
type OpenStreams = Map<string, Member>;

const said = z.strictObject({ stream: z.string(), frame: z.unknown() });

/** A client that listens says something; the answer comes in its stream, in its place among the changes. */
async function say(visit: Visit, streams: OpenStreams): Promise<Response> {
  const { data } = said.safeParse(await readJsonBody(visit.request));
  const member = streams.get(streamKey(visit, data?.stream ?? '')) ?? fail('not-found', 'no such stream is open');
  await member.receive(data?.frame);
  return answerJson({ ok: true, value: null });
}

function streamKey(visit: Visit, id: string): string {
  return JSON.stringify([grantOf(visit).token, id]);
}

async function openStream(
  visit: Visit,
  { engine, rooms, newId, ...ports }: EventStreamParts,
  streams: OpenStreams,
): Promise<Response> {
  const { data: asked = { root: '' } } = query.safeParse(Object.fromEntries(visit.url.searchParams));
  const { root } = asked;
  const seen = await engine.call('root.get', callerOf(visit, newId), { root });
  if (!seen.ok) return answerOutcome(seen);
  const cursor = readPlace(visit.request.headers.get('last-event-id') ?? asked.after);
  const { join = newId(), leaf } = asked;
  const key = streamKey(visit, join);
  const frame = {
    type: 'join',
    id: join,
    protocol,
    root,
    scope: scopeOf(asked),
    ...(leaf === undefined ? {} : { leaf }),
  };
  const { agent } = identityOf(visit);
  const stream = new EventStream(ports, (connection) => {
    const member = rooms.enter(root, connection, { agent, mayWrite: false });
    void member.receive(cursor === undefined ? frame : { ...frame, cursor });
    streams.set(key, member);
    const leave = (): void => {
      if (streams.get(key) === member) streams.delete(key);
      rooms.leave(root, member);
    };
    return { drained: () => member.drained(), leave };
  });
  return answer(stream.body, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
}

function scopeOf({ path, subtree }: { path?: string; subtree?: string }): Scope {
  if (path !== undefined) return { path };
  return subtree === undefined ? 'whole' : { subtree };
}

/** A place in a log, as the id of an event. */
function writePlace({ epoch, seq }: Cursor): string {
  return `${seq}:${epoch}`;
}

/** Reads a place; without one that makes sense the stream begins with a snapshot. */
export function readPlace(text: string | undefined): Cursor | undefined {
  const [, seq, epoch] = /^(\d{1,15}):(.{1,200})$/u.exec(text ?? '') ?? [];
  return seq === undefined || epoch === undefined ? undefined : { epoch, seq: Number(seq) };
}

/** The calls of an event stream to its room. */
interface Membership {
  drained(): void;
  leave(): void;
}

/** A connection of a room that is the body of an answer. */
export class EventStream implements Connection {
  readonly body: ReadableStream<Uint8Array>;
  readonly #clock: Clock;
  readonly #sent: NoteSent;
  readonly #batch: Batch<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #membership: Membership | undefined;
  #gathered = 0;
  #isFull = false;
  #stopHeartbeat = (): void => {};

  constructor({ clock, sent }: EventStreamPorts, enter: (connection: Connection) => Membership) {
    this.#clock = clock;
    this.#sent = sent;
    this.#batch = new Batch((events) => this.#write(events));
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#membership = enter(this);
          this.#beat();
        },
        pull: () => this.#drained(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: highWater, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  send(frame: EncodedFrame, reached?: Cursor): boolean {
    const event = eventOf(frame, reached);
    this.#gathered += event.byteLength;
    this.#sent(event.byteLength, [frame]);
    this.#batch.add(event);
    // A listener cannot resync on the same stream: it comes back with the last id that it has seen.
    if (frame.type === 'resync') setImmediate(() => this.close());
    this.#isFull = this.#gathered >= (this.#controller?.desiredSize ?? 0);
    return !this.#isFull;
  }

  close(): void {
    if (this.#controller === undefined) return;
    this.#batch.flush();
    this.#controller.close();
    this.#leave();
  }

  #write(events: readonly Uint8Array[]): void {
    this.#gathered = 0;
    this.#controller?.enqueue(events.length === 1 && events[0] !== undefined ? events[0] : Buffer.concat(events));
  }

  #drained(): void {
    if (!this.#isFull || this.#gathered > 0) return;
    this.#isFull = false;
    this.#membership?.drained();
  }

  #beat(): void {
    this.#stopHeartbeat = this.#clock.after(heartbeat, () => {
      // A client that does not read needs no sign of life.
      if (!this.#isFull) this.#batch.add(sign);
      this.#beat();
    });
  }

  #leave(): void {
    this.#controller = undefined;
    this.#stopHeartbeat();
    this.#membership?.leave();
    this.#membership = undefined;
  }
}

const sign = Buffer.from(': still here\n\n');

/** The events of frames that go to many: the place that a change reaches is the same for all. */
const sharedEvents = new WeakMap<EncodedFrame, Uint8Array>();

function eventOf(frame: EncodedFrame, reached: Cursor | undefined): Uint8Array {
  const known = sharedEvents.get(frame);
  if (known !== undefined) return known;
  const event = Buffer.from(`${reached === undefined ? '' : `id: ${writePlace(reached)}\n`}data: ${frame.text}\n\n`);
  sharedEvents.set(frame, event);
  return event;
}
