/** Spells a command that is suggested, so that it works as it is printed. */
export type Suggest = (line: string) => string;

/** What to do now, as one or two sentences. Where they name a command, the place that prints them says how to spell it. */
export type Advice = string | ((suggest: Suggest) => string);

/** What a failure may carry besides its message. */
export type FailureOptions = {
  advice?: Advice;
  /** Facts for programs, such as file, line and column. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
};

/** A failure that is told to the user as it is: what happened, and what to do. */
export class LoomError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  readonly #advice: Advice | undefined;

  constructor(code: Code, message: string, { advice, details = {}, cause }: FailureOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = new.target.name;
    this.code = code;
    this.#advice = advice;
    this.details = details;
  }

  get advice(): string | undefined {
    return this.adviceWith((line) => `loom ${line}`);
  }

  adviceWith(suggest: Suggest): string | undefined {
    return typeof this.#advice === 'function' ? this.#advice(suggest) : this.#advice;
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
