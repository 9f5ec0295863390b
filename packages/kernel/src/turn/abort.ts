import { z } from 'zod';
import { userBlock } from '@loom/blocks';
import type { UserBlock } from '@loom/blocks';
import type { Decision } from '../log/log-shape.ts';
import type { RootOp } from '../op.ts';
import { refuse } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import { decideEnd } from './turn-decisions.ts';

/** A message that waited for a turn, as it is given back. */
export const returnedMessage = z.strictObject({ kind: z.enum(['steer', 'queue']), blocks: z.array(userBlock) });
export type ReturnedMessage = z.infer<typeof returnedMessage>;

export const returnedMessages = z.strictObject({ returned: z.array(returnedMessage) });
export type ReturnedMessages = z.infer<typeof returnedMessages>;

/**
 * Ends a turn that a person stops. Messages that still wait for it are given back instead of being said: they were meant for
 * the answer that was about to come.
 */
export function decideAbort(state: RootState, turn: string): Decision<RootOp, ReturnedMessages> {
  const ended = decideEnd(state, turn, 'aborted');
  if (!ended.ok) return ended;
  const waiting = [...state.waiting.values()].filter((message) => message.turn === turn);
  const taken = waiting.map(({ id }): RootOp => ({ type: 'message-taken', id }));
  const returned = waiting.map(({ kind, blocks }) => ({ kind, blocks: blocks.map(withoutIdentity) }));
  return { ok: true, ops: [...ended.ops, ...taken], value: { returned } };
}

/** Gives back a message that waits for a turn; it will not be said. */
export function decideWithdraw(state: RootState, message: string): Decision<RootOp, ReturnedMessage> {
  const waiting = state.waiting.get(message);
  if (waiting === undefined) return refuse({ reason: 'message-taken', id: message });
  const { kind, blocks } = waiting;
  return {
    ok: true,
    ops: [{ type: 'message-taken', id: message }],
    value: { kind, blocks: blocks.map(withoutIdentity) },
  };
}

function withoutIdentity({ block_id: _id, status: _status, ...block }: UserBlock): UserBlock {
  return block;
}
