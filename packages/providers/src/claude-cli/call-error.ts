import type { RunFailure } from '@loom/exchange/claude-code';
import type { CallError, CallErrorCode } from '@loom/kernel';

/** Returns the failure of a turn in the terms of providers. */
export function callErrorOf({ code, message, status }: RunFailure): CallError {
  const known = status === undefined ? undefined : byStatus.get(status);
  if (known !== undefined) return { code: known, message };
  if (code === 'prompt_too_long') return { code: 'too-long', message };
  if (/\/login|not logged in|invalid api key|authentication/i.test(message)) return { code: 'auth', message };
  return { code: 'failed', message };
}

const byStatus: ReadonlyMap<number, CallErrorCode> = new Map([
  [400, 'invalid-request'],
  [401, 'auth'],
  [403, 'auth'],
  [404, 'unknown-model'],
  [429, 'rate-limit'],
  [529, 'overloaded'],
]);
