import { StoreError } from '@loom/kernel/store';
import { withoutTemporaryNames } from './temporary-name.ts';

/** Translates a failed system call on a file into the error that Loom's users see. Returns anything that is not an error unchanged. */
export function fileFailure(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const advice = isDiskFull(error)
    ? fullAdvice
    : 'Check the disk and the permissions of the data directory, then try again.';
  return new StoreError('store-failed', `${what}: ${withoutTemporaryNames(error.message)}`, advice, { cause: error });
}

/** Returns true if something failed because the disk had no room. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    if ('code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')) return true;
    if (cause instanceof StoreError && cause.advice === fullAdvice) return true;
  }
  return false;
}

/** Advice for the user about a full disk. */
export const fullAdvice = 'The disk is full. Free some space, then try again: what was acknowledged is safe.';
