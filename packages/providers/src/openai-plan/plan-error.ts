/** The ways in which a login with a plan fails. `logged-out`: only a new login helps. */
export type PlanErrorCode = 'network' | 'protocol' | 'declined' | 'logged-out';

/** A failure of a login, in a sentence that holds no secret. */
export class PlanError extends Error {
  readonly code: PlanErrorCode;

  constructor(code: PlanErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
