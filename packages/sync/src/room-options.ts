import type { BlockTools, Forest } from '@loom/kernel';

/** What a room is made of: the conversation, and the operations of the kernel that it needs. */
export interface RoomOptions {
  root: string;
  forest: Pick<Forest, 'log' | 'addClient'>;
  tools: Pick<BlockTools, 'document' | 'update' | 'setCursor'>;
  /** How much may wait for a client that does not read, in UTF-16 units of JSON. Default: 4 million. */
  limit?: number;
  /** Told what went wrong when a client had to be sent away. */
  onFailure?: (error: unknown) => void;
}

/** Who a connection belongs to. */
export interface Visitor {
  agent: string;
  /** Somebody who only looks may neither edit nor show a cursor. */
  mayWrite: boolean;
}
