/** The model has begun a call that it could not finish. Asked again, it usually can. */
export class MalformedAnswerError extends Error {
  /** In the provider's wording. */
  readonly reason: string;

  constructor(reason: string) {
    super(`it ended with ${reason}`);
    this.reason = reason;
  }
}

/** Returns true if an answer with this end reason, in the word of the wire, is malformed: https://ai.google.dev/api/generate-content#FinishReason */
export function isMalformed(reason: unknown): boolean {
  return reason === 'MALFORMED_FUNCTION_CALL' || reason === 'MALFORMED_RESPONSE';
}
