import type { Locate, LoomClient, ServerPlace } from '@loom/client';
import { z } from 'zod';
import type { Identity } from '@loom/server/access';
import { orFail } from '../words/refusal-error.ts';

const made = z.object({ id: z.string(), token: z.string() });

/** A token of an MCP client is made anew after this many days; one that a killed process left ends by then. */
const days = 1;

interface MadeToken {
  id: string;
  /** The server that accepts it. */
  place: ServerPlace;
  /** The same place, with the token that made this one. */
  owner: ServerPlace;
}

/**
 * The access of one MCP client to a data folder: by its own token, which limits its rights, at the process that has the folder by now. It
 * is made when it is first needed, again where that process has changed, and revoked in the end.
 */
export class OwnToken {
  readonly #client: LoomClient;
  readonly #locate: Locate;
  readonly #identity: Identity;
  #made: Promise<MadeToken> | undefined;

  constructor(client: LoomClient, locate: Locate, identity: Identity) {
    this.#client = client;
    this.#locate = locate;
    this.#identity = identity;
  }

  /** Sends a request with the token. If it does not get through it is tried once more, at the process that has the folder then. */
  async fetch(path: string, init: RequestInit): Promise<Response> {
    const { place, owner } = await this.#current();
    try {
      const answered = await send(place, path, init);
      if (answered.status !== 401) return answered;
      this.#made = undefined;
    } catch {
      if (init.signal?.aborted === true) throw init.signal.reason;
      this.#made = undefined;
      await this.#locate(owner);
    }
    return send((await this.#current()).place, path, init);
  }

  async revoke(): Promise<void> {
    const current = await this.#made?.catch(() => {});
    if (current !== undefined) await this.#client.call('token.revoke', { id: current.id });
  }

  #current(): Promise<MadeToken> {
    const make = async (): Promise<MadeToken> => {
      const { id, token } = made.parse(
        orFail(await this.#client.call('token.create', { ...this.#identity, days, kept: false })),
      );
      const owner = await this.#locate();
      return { id, owner, place: { url: owner.url, token } };
    };
    this.#made ??= make();
    this.#made.catch(() => (this.#made = undefined));
    return this.#made;
  }
}

function send({ url, token }: ServerPlace, path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return fetch(`${url}${path}`, { ...init, headers });
}
