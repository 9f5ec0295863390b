import type { CallError, CallErrorCode } from '@loom/kernel';

/** The most attempts of a call. */
const mostAttempts = 5;

const firstDelay = 1000;
const longestDelay = 30_000;
/** If a provider asks for a longer wait than this, the call ends with its error: the user decides. */
const longestRetryAfter = 60_000;

const passing: ReadonlySet<CallErrorCode> = new Set(['rate-limit', 'overloaded', 'network', 'timeout', 'failed']);

/** Returns the wait before the next attempt after the attempt with this number, from 1; `undefined` if another one is of no use. */
export function retryDelay(error: CallError, attempt: number, random: () => number): number | undefined {
  if (error.final === true || !passing.has(error.code) || attempt >= mostAttempts) return undefined;
  const asked = error.retry_after_ms;
  if (asked !== undefined) return asked <= longestRetryAfter ? asked : undefined;
  const delay = Math.min(firstDelay * 2 ** (attempt - 1), longestDelay);
  // Half of it is random, so that many calls that failed together do not come back together.
  return Math.round(delay / 2 + (delay / 2) * random());
}
