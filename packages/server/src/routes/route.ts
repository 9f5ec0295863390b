import type { Caller } from '@loom/kernel';
import { callerFrom } from '../access/tokens.ts';
import type { Grant, Identity } from '../access/tokens.ts';
import { fail } from '../answers/problems.ts';
import type { Access } from '../guard/guard.ts';
import type { Share } from '../sharing/shares.ts';

/** A request that has passed the guard. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  /** The values of `:name` in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller and their token; absent on open routes. */
  readonly grant: Grant | undefined;
  /** The share whose secret came with the request; on routes of shares alone. */
  readonly share?: Share | undefined;
  /** The network address that the request comes from: that of a proxy, where there is one. */
  readonly address: string;
}

/** One address of the server. The table of these is all that can be reached. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path as Hono reads it: `:name` stands for anything up to the next slash. */
  readonly path: string;
  /** The access. An open route needs no token. It returns nothing that a stranger may not see, whatever the parameters of its path. */
  readonly access: Access;
  /** True if it changes nothing: a failed call has done nothing. Default: true for GET. */
  readonly reads?: boolean;
  handle(visit: Visit): Response | Promise<Response>;
}

/** Returns the access each address needs, from the table; an address outside the table needs a token. */
export function accessOf(routes: readonly Route[]): (method: string, path: string) => Access {
  const unusual = routes.filter(({ access }) => access !== 'token');
  const exact = new Map(unusual.map(({ method, path, access }) => [`${method} ${path}`, access]));
  const patterns = unusual
    .filter(({ path }) => path.includes(':'))
    .map(({ method, path, access }) => ({
      method,
      access,
      fits: new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u'),
    }));
  return (sent, path) => {
    const method = sent === 'HEAD' ? 'GET' : sent;
    return (
      exact.get(`${method} ${path}`) ??
      patterns.find((pattern) => pattern.method === method && pattern.fits.test(path))?.access ??
      'token'
    );
  };
}

/** Returns the caller and their token, where the guard has made sure that they are known. */
export function grantOf({ grant }: Visit): Grant {
  return grant ?? fail('no-token');
}

export function identityOf(visit: Visit): Identity {
  return grantOf(visit).identity;
}

/** The caller of an operation: as its token says, with the id that the client gave to the request, or a new one. */
export function callerOf(visit: Visit, newId: () => string): Caller {
  const key = visit.request.headers.get('idempotency-key');
  if (key !== null && !/^[\u0021-\u007e]{1,200}$/u.test(key)) fail('bad-key');
  return callerFrom(grantOf(visit), key ?? newId(), 'http');
}
