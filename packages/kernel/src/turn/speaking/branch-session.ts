import type { BlobPort } from '../../blob-port.ts';
import type { RootOp } from '../../op.ts';
import type { BranchSession, SessionOptions, SessionOutcome, SessionRefusal } from '../../provider.ts';
import type { RootState } from '../../state/root-state.ts';
import type { TurnWriter } from '../turn-writer.ts';

/** The branch that is to be written as a session. */
export interface SessionOrder {
  state: RootState;
  /** The last node of the branch. */
  end: string;
  format: string;
  /** The folder that the session works in, if it is not that of the conversation. */
  directory?: string;
  blobs: Pick<BlobPort, 'get'>;
}

/** A session, and what says in the log how its messages are called there. */
export interface OpenedSession extends Omit<BranchSession, 'end'> {
  names: (state: RootState) => RootOp[];
}

/** Writes branches as sessions of other programs. */
export interface SessionPort {
  open(order: SessionOrder): Promise<{ ok: true; session: OpenedSession } | { ok: false; refusal: SessionRefusal }>;
}

/** For an engine that is given none. */
export const noSessions: SessionPort = {
  open: () => Promise.resolve({ ok: false, refusal: { reason: 'unknown-format', formats: [] } }),
};

/** Opens a session of the branch that a call goes on with. Its names are durable when the answer comes. */
export async function openBranchSession(
  writer: TurnWriter,
  sessions: SessionPort,
  trail: readonly string[],
  format: string,
  { end: wanted, directory }: SessionOptions = {},
): Promise<SessionOutcome> {
  if (wanted !== undefined && !trail.includes(wanted)) throw new RangeError(`${wanted} is not a node of the trail`);
  const { blobs } = writer.scope;
  await writer.flush();
  const state = await writer.state();
  const end = wanted ?? trail.findLast((node) => state.nodes.get(node)?.role !== 'user');
  if (end === undefined) return { ok: false, refusal: { reason: 'nothing-said' } };
  const place = directory === undefined ? {} : { directory };
  const opened = await sessions.open({ state, end, format, blobs, ...place });
  if (!opened.ok) return opened;
  const { names, ...session } = opened.session;
  await writer.writeOps((now) => names(now));
  return { ok: true, session: { ...session, end } };
}
