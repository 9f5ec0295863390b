import { createContext, Script } from 'node:vm';

/**
 * Does work that may never end, a regular expression for example, and stops it after so many milliseconds; returns true if it finished. It
 * is stopped in the middle, without `finally`: it must not hold anything open, and its caller must be content with a part of its results.
 */
export type TimeLimit = (milliseconds: number, work: () => void) => boolean;

/** Stops the work only: the thread stays, with its memory. Each call starts a thread that watches, some 0.4 ms. */
export const runWithin: TimeLimit = (milliseconds, work) => {
  scope.work = work;
  try {
    call.runInContext(scope, { timeout: Math.max(1, Math.ceil(milliseconds)) });
    return true;
  } catch (error) {
    // Made in the other scope, so it is not an instance of our Error.
    const isLate = typeof error === 'object' && error !== null && 'code' in error && error.code === lateCode;
    if (!isLate) throw error;
    return false;
  } finally {
    scope.work = nothing;
  }
};

const nothing = (): void => undefined;
const scope: { work: () => void } = { work: nothing };
createContext(scope);
const call = new Script('work()');
const lateCode = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
