import { StoreError } from '@loom/kernel/store';

/** A failure on its way between threads, where an error arrives without its class and its fields. */
export interface FailureMessage {
  message: string;
  /** The stack of the failure, for a person. */
  stack: string | undefined;
  /** The parts of a `StoreError`; any other error is a mistake in the program. */
  store: { code: StoreError['code']; advice: string } | undefined;
}

export function describeFailure(error: unknown): FailureMessage {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, store: undefined };
  const store = error instanceof StoreError ? { code: error.code, advice: error.advice } : undefined;
  return { message: error.message, stack: error.stack, store };
}

/** The same failure, as an error whose cause says where it happened. */
export function restoreFailure({ message, stack, store }: FailureMessage): Error {
  const cause = stack === undefined ? undefined : { cause: stack };
  return store === undefined ? new Error(message, cause) : new StoreError(store.code, message, store.advice, cause);
}
