import { problem } from '../answers/problems.ts';
import type { Problem, ProblemReason } from '../answers/problems.ts';
import type { Grant } from '../access/tokens.ts';
import type { Share } from '../sharing/shares.ts';

/** The parts of a request or an upgrade that the guard checks, as they came over the wire. */
export interface Arrival {
  readonly method: string;
  /** The request target, not decoded. */
  readonly target: string;
  /** Names and values in turn, as they were sent, so that a header that came twice shows. */
  readonly rawHeaders: readonly string[];
}

export interface GuardOptions {
  /** Returns every `host:port` by which this server may be called. */
  names: () => readonly string[];
  /** Returns the grant of a token. */
  findToken: (token: string) => Promise<Grant | undefined>;
  /** Returns the grant of a ticket; it works once. */
  redeemTicket: (ticket: string) => Promise<Grant | undefined>;
  /** Returns the share that the secret of a link opens. */
  findShare: (secret: string) => Promise<Share | undefined>;
  /** Returns the access that a request needs. An open route holds nothing that a stranger may not see. */
  accessTo: (method: string, path: string) => Access;
}

/**
 * The key to a route: nothing, a token if one is sent, a token in a header, a ticket in the URL, for clients that cannot send headers, or
 * the secret of a share in a header, which opens nothing else.
 */
export type Access = 'open' | 'either' | 'token' | 'ticket' | 'share';

/** The verdict of the guard: the target of the request and the caller, or the reason it goes nowhere. */
export type Verdict = { ok: true; url: URL; grant: Grant | undefined; share?: Share } | { ok: false; problem: Problem };

/**
 * The one guard in front of everything. It looks from the outside in, and nothing of a request is used before it has passed: the method and
 * the URL, then the exact name of the server, the exact origin, the browser's headers on the source of the request, and the token. Type and
 * size of a body are checked when it is read, by `readBody`.
 */
export async function judge(arrival: Arrival, options: GuardOptions): Promise<Verdict> {
  const { method, target } = arrival;
  if (!methods.has(method)) return refuse('bad-method');
  const headers = singleHeaders(arrival.rawHeaders);
  if (headers === undefined || !isPlainTarget(target)) return refuse('bad-request');
  const host = headers.get('host')?.toLowerCase();
  if (host === undefined || !options.names().includes(host)) return refuse('wrong-host');
  const origin = headers.get('origin');
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return refuse('wrong-origin');
  const url = new URL(`http://${host}${target}`);
  const access = options.accessTo(method, url.pathname);
  if (!isOwnSite(headers, access)) return refuse('cross-site');
  if (access === 'open') return { ok: true, url, grant: undefined };
  if (access === 'ticket')
    return admit(url, await options.redeemTicket(url.searchParams.get('ticket') ?? ''), 'wrong-ticket');
  if (access === 'either' && !headers.has('authorization')) return { ok: true, url, grant: undefined };
  const token = bearer(headers.get('authorization'));
  if (access === 'share') {
    const share = token === undefined ? undefined : await options.findShare(token);
    return share === undefined ? refuse('share-ended') : { ok: true, url, grant: undefined, share };
  }
  return token === undefined ? refuse('no-token') : admit(url, await options.findToken(token), 'wrong-token');
}

function admit(url: URL, grant: Grant | undefined, reason: ProblemReason): Verdict {
  return grant === undefined ? refuse(reason) : { ok: true, url, grant };
}

function refuse(reason: ProblemReason): Verdict {
  return { ok: false, problem: problem(reason) };
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

/** Headers that decide something here: one that came twice could mean something else to a proxy in between. */
const decisive = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'idempotency-key',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]);

function singleHeaders(raw: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    if (headers.has(name) && decisive.has(name)) return undefined;
    headers.set(name, raw[index + 1] ?? '');
  }
  return headers;
}

const longestTarget = 8192;

/** A path of this server: not a whole URL, not a path of another host, nothing that cannot be decoded. */
function isPlainTarget(target: string): boolean {
  if (
    target.length > longestTarget ||
    !/^\/(?![/\\])[\u0021\u0024-\u003b\u003d\u003f-\u005b\u005d\u005f\u0061-\u007a\u007e]*$/u.test(target)
  )
    return false;
  try {
    return !decodeURIComponent(target).includes('\0');
  } catch {
    return false;
  }
}

/** Browsers say where a request comes from; other clients say nothing. Only a page may be opened from outside, by its address. */
function isOwnSite(headers: ReadonlyMap<string, string>, access: Access): boolean {
  const site = headers.get('sec-fetch-site');
  if (site === undefined || site === 'same-origin') return true;
  return site === 'none' && access === 'open' && headers.get('sec-fetch-dest') === 'document';
}

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer ([\w.~+/=-]+)$/iu.exec(authorization ?? '')?.[1];
}
