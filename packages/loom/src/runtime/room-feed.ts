import type { Clock, Cursor, LoomEngine } from '@loom/kernel';
import { Replica, Room } from '@loom/sync';
import type { EncodedFrame, Member } from '@loom/sync';
import type { ConversationFeed, Hearing } from './loom.ts';

interface Parts {
  engine: LoomEngine;
  clock: Clock;
  newId: () => string;
}

/** The events of a conversation, read as a remote client reads them: through a room and a replica, which here are two ends of one process. */
export class RoomFeed implements ConversationFeed {
  readonly replica: Replica;
  readonly #room: Room;
  readonly #member: Member;
  #wake: (() => void)[] = [];

  constructor({ engine, clock, newId }: Parts, root: string, { onChange, onFailure }: Hearing) {
    this.#room = new Room({ root, forest: engine.forest, tools: engine.blocks, clock, onFailure });
    this.replica = new Replica({
      root,
      clock,
      ids: { next: newId },
      // Nothing is typed into it.
      onLost: () => undefined,
      onChange: (what) => {
        onChange(what);
        for (const wake of this.#wake.splice(0)) wake();
      },
    });
    const connection = {
      send: ({ text }: EncodedFrame): boolean => {
        this.replica.receive(JSON.parse(text));
        return true;
      },
      close: (reason: string) => {
        this.replica.disconnect();
        onFailure(new Error(reason));
      },
    };
    this.#member = this.#room.enter(connection, { agent: 'person', mayWrite: false });
  }

  /** Joins, and answers once everything that is there by now has been heard. */
  async open(): Promise<void> {
    this.replica.connect((text) => void this.#member.receive(JSON.parse(text)));
    await this.#until(() => this.replica.status === 'live' || this.replica.status === 'refused');
  }

  /** Resolves once a place in the log has been received: the changes of an operation are known here when it is over. */
  async reach(cursor: Cursor | undefined): Promise<void> {
    await this.#until(() => {
      const heard = this.replica.cursor;
      return cursor === undefined || heard === undefined || heard.epoch !== cursor.epoch || heard.seq >= cursor.seq;
    });
  }

  close(): void {
    this.replica.disconnect();
    this.#member.leave();
    this.#room.close();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => void this.#wake.push(resolve));
  }
}
