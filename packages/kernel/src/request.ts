import { z } from 'zod';
import { agentId } from '@loom/blocks';
import { refuseParams } from './refusal.ts';
import type { Refused } from './refusal.ts';

/** The agent that asks, and the id of its request. */
export interface Request {
  agent: string;
  /** Repeating a request with the same id is safe: it is done once and answered every time. */
  id: string;
  /** The digest of everything that is asked for: with the same id and another digest it is another request. */
  digest?: string;
  turn?: string;
  /** The credential that a door let the caller in with. */
  credential?: string;
}

/** A request as its change keeps it: its id, and behind it what that is bound to. */
export function keptRequest({ id, digest }: Request): string {
  return digest === undefined ? id : `${id}${seam}${digest}`;
}

/** The id and the digest of a request that was kept; older changes have no digest. */
export function readKept(kept: string): { id: string; digest?: string } {
  const at = kept.lastIndexOf(seam);
  const digest = kept.slice(at + seam.length);
  return at === -1 || !/^[0-9a-f]+$/.test(digest) ? { id: kept } : { id: kept.slice(0, at), digest };
}

/** No id has it that came in a header, and no program would make one that ends like this. */
const seam = '\u001f';

/** Doors put more into a request than a log looks at. */
const requestSchema = z.looseObject({
  agent: agentId,
  id: z.string().min(1),
  turn: z.string().exactOptional(),
});

/** Refuses a request without a valid agent or id. Callers may be untyped. */
export function refuseMalformed(request: unknown): Refused | undefined {
  if (isOfKnownAgent(request)) return undefined;
  const parsed = requestSchema.safeParse(request);
  if (!parsed.success) return refuseParams(parsed.error, ['request']);
  if (knownAgents.size === mostAgents) knownAgents.clear();
  knownAgents.add(parsed.data.agent);
  return undefined;
}

/**
 * Returns true if a request of an agent that was valid before is valid as the schema would have it, which takes ten times as
 * long.
 */
function isOfKnownAgent(request: unknown): boolean {
  if (typeof request !== 'object' || request === null || !('agent' in request && 'id' in request)) return false;
  const { agent, id } = request;
  if (typeof id !== 'string' || id === '' || !knownAgents.has(agent)) return false;
  return !('turn' in request) || typeof request.turn === 'string';
}

const knownAgents = new Set<unknown>();
const mostAgents = 1_000;
