import type { Refusal } from '@loom/kernel';
import { describeRefusal } from './refusals.ts';

/** An operation was refused; its message is for the reader. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal));
    this.name = 'RefusedError';
    this.refusal = refusal;
  }
}

/** Describes a failure in a sentence for the reader. */
export function describeFailure(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (!(error instanceof Error)) return 'Something went wrong. Reload the page.';
  const text = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
