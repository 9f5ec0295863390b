import type { Clock, PresencePort, TextCursor } from '@loom/kernel';
import { z } from 'zod';

/** The agents that are connected to a room, and where they are in its texts. */
export interface Presence {
  here: readonly string[];
  cursors: readonly TextCursor[];
}

export interface OtherRoomsOptions {
  port: PresencePort;
  clock: Pick<Clock, 'after'>;
  /** The people in the room of this process. */
  own: () => Presence;
  /** Called when an agent is here that was not, or no longer where it was. */
  came: (agent: string) => void;
  went: (agent: string) => void;
  moved: (cursor: TextCursor) => void;
}

const count = z.int().nonnegative();
const message = z.object({
  from: z.string(),
  here: z.array(z.string()),
  cursors: z.array(z.object({ agent: z.string(), block: z.string(), version: count, anchor: count, head: count })),
});

/**
 * The rooms that other processes have for the same conversation: each says who is there when that changes, and every few seconds. Nothing of it is
 * kept, so that a process which says nothing any longer is gone with all who were there.
 */
export class OtherRooms {
  readonly #options: OtherRoomsOptions;
  readonly #rooms = new Map<string, Presence & { cancel: () => void }>();
  readonly #stopHearing: () => void;
  #cancelSoon: (() => void) | undefined;
  #cancelRepeat = (): void => {};

  constructor(options: OtherRoomsOptions) {
    this.#options = options;
    this.#stopHearing = options.port.hear((text) => this.#hear(text));
  }

  /** All agents that are in other rooms. */
  get here(): string[] {
    return [...new Set([...this.#rooms.values()].flatMap(({ here }) => here))];
  }

  get cursors(): TextCursor[] {
    return [...this.#rooms.values()].flatMap(({ cursors }) => cursors);
  }

  has(agent: string): boolean {
    return [...this.#rooms.values()].some(({ here }) => here.includes(agent));
  }

  /** Tells the others, soon, that something has changed here. */
  changed(): void {
    this.#cancelSoon ??= this.#options.clock.after(gathering, () => this.#announce());
  }

  /** Tells the others at once that no agent is here any longer. */
  close(): void {
    this.#stopHearing();
    this.#announce({ here: [], cursors: [] });
    this.#cancelRepeat();
    for (const { cancel } of this.#rooms.values()) cancel();
    this.#rooms.clear();
  }

  #announce({ here, cursors }: Presence = this.#options.own()): void {
    const { port, clock } = this.#options;
    this.#cancelSoon?.();
    this.#cancelSoon = undefined;
    this.#cancelRepeat();
    if (here.length > 0) this.#cancelRepeat = clock.after(repeatAfter, () => this.#announce());
    port.announce(
      JSON.stringify({ from: port.name, here: here.slice(0, mostTold), cursors: cursors.slice(0, mostTold) }),
    );
  }

  #hear(text: string): void {
    const said = message.safeParse(readJson(text)).data;
    if (said === undefined || said.from === this.#options.port.name) return;
    const { from, here, cursors } = said;
    const before = this.#rooms.get(from);
    if (before === undefined && here.length === 0) return;
    // It does not know yet who is here.
    if (before === undefined) this.changed();
    const known = new Set(this.here);
    before?.cancel();
    const cancel = this.#options.clock.after(goneAfter, () => this.#replace(from, undefined));
    this.#replace(from, here.length === 0 ? undefined : { here, cursors, cancel });
    if (here.length === 0) cancel();
    for (const agent of here) if (!known.has(agent)) this.#options.came(agent);
    for (const cursor of cursors) {
      const last = before?.cursors.find(({ agent }) => agent === cursor.agent);
      if (JSON.stringify(last) !== JSON.stringify(cursor) && here.includes(cursor.agent)) this.#options.moved(cursor);
    }
  }

  #replace(from: string, room: (Presence & { cancel: () => void }) | undefined): void {
    const before = this.#rooms.get(from)?.here ?? [];
    if (room === undefined) this.#rooms.delete(from);
    else this.#rooms.set(from, room);
    for (const agent of before) if (!this.has(agent)) this.#options.went(agent);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The time for which changes are gathered, the one between two messages, and the one after which a process that says nothing is gone, in milliseconds. */
const gathering = 100;
const repeatAfter = 5_000;
const goneAfter = 12_000;

/** More agents and cursors than these are not told. */
const mostTold = 200;
