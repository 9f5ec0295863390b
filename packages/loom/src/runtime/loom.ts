import type { Clock, Cursor, Hash, Outcome, ParamsOf, ResultOf, RootState } from '@loom/kernel';
import type { StoreError } from '@loom/kernel/store';
import type { LostLog } from '@loom/stores/files';
import type { Replica, ReplicaChange } from '@loom/sync';

/**
 * The interface that commands work with: conversations to ask about, change and follow. It is the same in the process that has the data
 * folder and in one that attaches to that process.
 */
export interface Loom {
  dataDir: string;
  clock: Clock;
  hash: Hash;
  newId: () => string;
  /** Asks for an operation of the table in the name of the person at the terminal, or in that of another agent. */
  call: <Name extends string>(name: Name, params: ParamsOf<Name>, agent?: string) => Promise<Outcome<ResultOf<Name>>>;
  /** Opens a root, after closing turns that a killed process has left open. */
  open: (root: string) => Promise<RootState>;
  /** A conversation as it is, for commands that go through many; `undefined` if it cannot be read. */
  peek: (root: string) => Promise<RootState | undefined>;
  /** Looks whether a conversation can be read, for lists: `damaged` says of which that is not so. */
  verify: (root: string) => Promise<void>;
  /** Takes in edits of the files of a root by other programs; `open` does so. */
  check: (root: string) => Promise<void>;
  /** Conversations that turned out to be unreadable, and why, by id. */
  damaged: ReadonlyMap<string, StoreError>;
  /** Logs that turned out to be gone although something in them had been acknowledged, by name. */
  lost: ReadonlyMap<string, LostLog>;
  /** Keeps bytes; returns the id by which a block names them. */
  putBlob: (bytes: Uint8Array) => Promise<string>;
  /** The bytes of a blob, or `undefined` if there is none. */
  getBlob: (id: string) => Promise<Uint8Array | undefined>;
  /** Follows the events of a conversation, once it is opened. */
  follow: (root: string, hearing: Hearing) => Promise<ConversationFeed>;
  /** Rejects if a turn cannot go on because the store of this process has failed; of a turn elsewhere its process hears that. */
  turnOver: (turn: string) => Promise<void>;
  /** Resolves when no turn runs in this process. */
  idle: () => Promise<void>;
  /** Takes in edits of node files as they are made, from now on: for commands that stay for a while. */
  watch: () => void;
}

/** The listeners to a conversation. */
export interface Hearing {
  onChange: (what: ReplicaChange) => void;
  onFailure: (error: unknown) => void;
}

/** A conversation that is followed. */
export interface ConversationFeed {
  /** The conversation as received so far. */
  readonly replica: Replica;
  /** Resolves once everything present by now has been received. */
  open(): Promise<void>;
  /** Resolves once a place in the log has been received: the changes of an operation are known here when it is over. */
  reach(cursor: Cursor | undefined): Promise<void>;
  close(): void;
}
