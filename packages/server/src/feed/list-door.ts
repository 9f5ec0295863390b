import type { Caller, LoomEngine } from '@loom/kernel';
import { ListRoom, longestList, protocol } from '@loom/sync';
import type { Connection, ListMember } from '@loom/sync';
import { z } from 'zod';
import type { Identity } from '../access/tokens.ts';
import { answer } from '../answers/answer.ts';
import { identityOf } from '../routes/route.ts';
import type { Route, Visit } from '../routes/route.ts';
import { EventStream, readPlace } from './event-stream.ts';
import type { EventStreamPorts } from './event-stream.ts';

export interface ListDoorOptions extends EventStreamPorts {
  engine: LoomEngine;
  newId: () => string;
  onFailure: (error: unknown) => void;
}

const query = z.object({
  limit: z.coerce.number().int().min(1).max(longestList).optional().catch(undefined),
  after: z.string().optional(),
  join: z.string().min(1).max(200).optional().catch(undefined),
});

/** Lets clients follow the list of conversations: each sees those that its token allows. */
export class ListDoor {
  readonly routes: readonly Route[];
  readonly #options: ListDoorOptions;
  readonly #room: ListRoom;

  constructor(options: ListDoorOptions) {
    this.#options = options;
    const { engine, newId, onFailure } = options;
    this.#room = new ListRoom({
      list: engine.list,
      jobs: engine.jobs,
      homes: engine.homes,
      epoch: newId(),
      onFailure,
    });
    this.routes = [
      { method: 'GET', path: '/api/v1/list/events', access: 'token', handle: (visit) => this.#openStream(visit) },
    ];
  }

  /** The number of clients that follow the list. */
  get size(): number {
    return this.#room.size;
  }

  enter(connection: Connection, identity: Identity): ListMember {
    const { engine, newId } = this.#options;
    const caller = (): Caller => ({ ...identity, id: newId(), door: 'http' });
    return this.#room.enter(connection, {
      agent: identity.agent,
      roots: identity.roots,
      read: (page) => engine.call('root.list', caller(), page),
    });
  }

  /** Disconnects all clients. */
  close(): void {
    this.#room.close();
  }

  #openStream(visit: Visit): Response {
    const { newId } = this.#options;
    const { limit, after, join } = query.parse(Object.fromEntries(visit.url.searchParams));
    const cursor = readPlace(visit.request.headers.get('last-event-id') ?? after);
    const frame = { type: 'join-list', id: join ?? newId(), protocol, ...(limit === undefined ? {} : { limit }) };
    const identity = identityOf(visit);
    const stream = new EventStream(this.#options, (connection) => {
      const member = this.enter(connection, identity);
      void member.receive(cursor === undefined ? frame : { ...frame, cursor });
      return member;
    });
    return answer(stream.body, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  }
}
