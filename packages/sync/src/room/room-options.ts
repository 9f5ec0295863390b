import type { Clock, LoomEngine } from '@loom/kernel';
import type { PageLimits } from './snapshot.ts';

/** The parts of a room: the conversation, and the operations of the kernel that it needs. */
export interface RoomOptions {
  root: string;
  forest: Pick<LoomEngine['forest'], 'log' | 'addClient'> & Partial<Pick<LoomEngine['forest'], 'presence'>>;
  tools: Pick<LoomEngine['blocks'], 'document' | 'update' | 'undo' | 'redo' | 'setCursor'>;
  clock: Pick<Clock, 'after'>;
  /** The most that may wait for a client that does not read, in UTF-16 units of JSON. Default: 4 million. */
  limit?: number;
  /** The amount of last changes kept for clients that come back, in UTF-16 units of JSON. Default: 1 million, or `limit` if that is less. */
  ringLimit?: number;
  /** The limits of a snapshot's pages. */
  pages?: PageLimits;
  /** Gets what went wrong when a client had to be disconnected. */
  onFailure?: (error: unknown) => void;
}

/** The agent that a connection belongs to. */
export interface Visitor {
  agent: string;
  /** An agent that may only read can neither edit nor show a cursor. */
  mayWrite: boolean;
}
