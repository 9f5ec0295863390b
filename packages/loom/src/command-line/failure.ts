/** The optional parts of a failure besides its message. */
export type FailureOptions = {
  /** Advice, as one or two sentences. */
  advice?: string;
  /** Facts for programs, such as file, line and column. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
};

/** A failure shown to the user as it is: what happened, and what to do. */
export class LoomError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly advice: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, { advice, details = {}, cause }: FailureOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = new.target.name;
    this.code = code;
    this.advice = advice;
    this.details = details;
  }
}

/** The command line is wrong. */
export class UsageError extends LoomError {}

/** The user ended the command. */
export class InterruptedError extends LoomError {
  constructor() {
    super('interrupted', 'interrupted; nothing was changed');
  }
}
