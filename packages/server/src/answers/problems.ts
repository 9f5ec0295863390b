/** The reason the door itself turned a request away, before any operation was asked. `reason` is for programs, the rest for people. */
export interface Problem {
  readonly status: number;
  readonly reason: ProblemReason;
  /** A description of the problem. */
  readonly message: string;
  /** Advice for the user. */
  readonly advice: string;
  /** The number of seconds after which it may be tried again. */
  readonly retryAfter?: number;
}

export type ProblemReason = keyof typeof problems;

/** A request that cannot be taken any further; the answer says why. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** Returns a problem in the words of the one table of problems; `detail` is added to the message. */
export function problem(reason: ProblemReason, detail?: string): Problem {
  const { status, message, advice } = problems[reason];
  return { status, reason, message: detail === undefined ? message : `${message}: ${detail}`, advice };
}

/** A problem that goes away after so many milliseconds. */
export function problemFor(reason: ProblemReason, milliseconds: number): Problem {
  return { ...problem(reason), retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) };
}

/** Throws a problem. */
export function fail(reason: ProblemReason, detail?: string): never {
  throw new ProblemError(problem(reason, detail));
}

const problems = {
  'bad-request': {
    status: 400,
    message: 'the request is malformed',
    advice: 'Send a plain path that begins with one slash, and each header once.',
  },
  'bad-method': {
    status: 405,
    message: 'this method is not offered here',
    advice: 'Operations take POST; the OpenAPI document at /api/v1/openapi.json lists every route.',
  },
  'wrong-host': {
    status: 421,
    message: 'the Host header does not name this server',
    advice:
      'Use the address that the server printed when it was started, with its port. Other names are given to it when it starts.',
  },
  'wrong-origin': {
    status: 403,
    message: 'the request comes from a page of another origin',
    advice: 'Only the page that this server serves may call it from a browser.',
  },
  'cross-site': {
    status: 403,
    message: 'the browser says that another site made this request',
    advice: 'Open the address by typing or pasting it, not by following a link from a page.',
  },
  'no-token': {
    status: 401,
    message: 'the request has no token',
    advice: 'Send the header Authorization: Bearer <token>. An owner makes one with the operation token.create.',
  },
  'wrong-token': {
    status: 401,
    message: 'the token is not valid any more, or never was',
    advice: 'Sign in again with a new link, or ask an owner for a token: the operation token.create makes one.',
  },
  'wrong-code': {
    status: 401,
    message: 'the sign-in code is not valid: it was used already, or is older than five minutes',
    advice: 'Get a new link: loom open prints one, and so does the server when it starts.',
  },
  'too-many-codes': {
    status: 429,
    message: 'too many wrong sign-in codes came from this address',
    advice: 'Wait for as many seconds as Retry-After says before another guess. A code that is right is taken at once.',
  },
  'too-many-requests': {
    status: 429,
    message: 'this token has too many requests under way',
    advice: 'Wait for answers before you send more. The limit is for each token, so that none takes what others need.',
  },
  'too-many-streams': {
    status: 429,
    message: 'this token has too many streams and connections open',
    advice: 'Close some that are no longer read. The limit is for each token, so that none takes what others need.',
  },
  'too-many-searches': {
    status: 429,
    message: 'too many searches of this token wait for their turn',
    advice: 'Wait for answers before you search on. The limit is for each token, so that none takes what others need.',
  },
  'wrong-ticket': {
    status: 401,
    message: 'the ticket is not valid: it was used already, or is older than 30 seconds',
    advice: 'Get a new one with POST /auth/ticket, for each connection.',
  },
  'share-ended': {
    status: 401,
    message: 'this link has ended, or never was one',
    advice: 'Ask for a new one: whoever made it may have ended it, or its time is over.',
  },
  'wrong-content-type': {
    status: 415,
    message: 'the body is of a type that is not taken here',
    advice: 'Send JSON with Content-Type: application/json, uncompressed; bytes with application/octet-stream.',
  },
  'too-large': {
    status: 413,
    message: 'the body is too large',
    advice: 'JSON may have 8 MB. Send large content as a blob, and name it in a block.',
  },
  'upload-too-large': {
    status: 413,
    message: 'the file has more than 1 GB',
    advice: 'Import it where it is: loom import <file> on the machine that Loom runs on.',
  },
  'upload-without-room': {
    status: 507,
    message: 'the disk of the server has no room for the file; nothing of it was kept',
    advice: 'Free some space on the machine that Loom runs on, then send the file again.',
  },
  'upload-not-kept': {
    status: 503,
    message: 'the server could not write the file to its disk; nothing of it was kept',
    advice:
      'Check the disk and the permissions of the data folder, then send the file again. Or import it where it is: loom import <file> on the machine that Loom runs on.',
  },
  'not-json': {
    status: 400,
    message: 'the body is not JSON that can be taken',
    advice: 'Send UTF-8 JSON, nested at most 100 deep, without the key __proto__.',
  },
  'bad-key': {
    status: 400,
    message: 'the Idempotency-Key is not valid',
    advice: 'Give 1 to 200 visible ASCII characters, a new key for each thing that is asked for.',
  },
  'no-upgrade': {
    status: 426,
    message: 'this route speaks WebSocket',
    advice: 'Connect with a WebSocket client, or read GET /api/v1/events as server-sent events.',
  },
  'not-found': {
    status: 404,
    message: 'there is nothing at this address',
    advice: 'The OpenAPI document at /api/v1/openapi.json lists every route.',
  },
  'no-blob': {
    status: 404,
    message: 'there is no such blob',
    advice: 'Blobs are named sha256:<hex>, as blocks and POST /api/v1/blobs name them.',
  },
  'bad-range': {
    status: 416,
    message: 'the range does not lie in the blob',
    advice: 'Ask for one range of bytes that begins before the end: Range: bytes=0-1023.',
  },
  stopping: {
    status: 503,
    message: 'the server is stopping',
    advice: 'Try again in a moment; what was acknowledged is kept.',
  },
  'store-failed': {
    status: 503,
    message: 'the store could not do what it was asked',
    advice: 'Whether it was done is not known: repeat the request with the same Idempotency-Key.',
  },
  'store-unreadable': {
    status: 503,
    message: 'the store could not be read',
    advice: 'Nothing was changed. Try again; if it stays like this, loom doctor says what is wrong with the data.',
  },
  'read-failed': {
    status: 500,
    message: 'the server has failed to read this: this is a defect of Loom',
    advice: 'Nothing was changed. What went wrong is in its log.',
  },
  internal: {
    status: 500,
    message: 'the server has failed: this is a defect of Loom',
    advice: 'What went wrong is in its log. Repeat the request with the same Idempotency-Key if it matters.',
  },
} as const satisfies Record<string, { status: number; message: string; advice: string }>;
