/**
 * Thrown when the server could not be asked, or did not let the client in. A refusal by an operation is an outcome instead.
 */
export class ClientError extends Error {
  /**
   * `unreachable`: there was no answer; `cancelled`: it was no longer wanted; `not-loom`: one that no server of Loom gives;
   * else the reason of the server.
   */
  readonly code: string;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;

  constructor(code: string, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ClientError';
    this.code = code;
    this.status = options.status;
  }

  /** True if retrying automatically can help: the server is away, or about to be. */
  get isPassing(): boolean {
    return ['unreachable', 'stopping', 'store-failed', 'store-unreadable'].includes(this.code);
  }

  /** True if the token no longer opens anything. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}
