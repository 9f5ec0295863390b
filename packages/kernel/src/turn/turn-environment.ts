import type { CallRecords } from '../calls/call-records.ts';
import type { Forest } from '../forest/forest.ts';
import type { Provider } from '../provider.ts';
import type { NodeState } from '../state/node-state.ts';
import type { TurnLeases } from './holding/turn-leases.ts';
import type { RoomScope } from './room/output-room.ts';
import type { SessionPort } from './speaking/branch-session.ts';
import type { SpendingScope } from './spending/spending-limits.ts';
import type { CallEnvironment } from './tools/call-surroundings.ts';
import type { TurnScope } from './turn-writer.ts';

/** The parts that a turn is handed. */
export interface TurnEnvironment
  extends TurnScope, SpendingScope, CallEnvironment, Pick<RoomScope, 'caps' | 'tokenizer'> {
  provider: Provider;
  /** The words of an agent that has begun the turn: they are heard first. */
  begun?: Provider['stream'];
  /** Keeps the requests and responses. */
  records: CallRecords;
  /** The path that the turn answers, as it was when the turn started: later edits are for the next turn. */
  base: readonly NodeState[];
  /** The forest in which conversations are begun for the agents that a provider sends out. */
  forest: Forest;
  leases: TurnLeases;
  /** Writes branches as sessions of other programs. */
  sessions?: SessionPort;
}
