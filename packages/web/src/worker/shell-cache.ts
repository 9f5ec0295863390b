/** The files of one build that the page needs to be drawn: the document and what it loads first. */
export interface Shell {
  /** Stands for the contents of all files of the build. */
  readonly version: string;
  readonly files: readonly string[];
}

/** The parts of a service worker's surroundings that keep the page. */
export interface ShellPorts {
  readonly caches: Pick<CacheStorage, 'open' | 'keys' | 'delete'>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly origin: string;
}

const prefix = 'loom-shell-';

/**
 * Keeps the files that the page is made of, so that an installed page opens without a connection. It never keeps data: what is not the
 * document or a file of the build passes by untouched. A document comes from the server whenever that can be reached, so a new build shows at once.
 */
export class ShellCache {
  readonly #ports: ShellPorts;
  readonly #shell: Shell;

  constructor(shell: Shell, ports: ShellPorts) {
    this.#shell = shell;
    this.#ports = ports;
  }

  /** Loads the files of this build. Fails if one cannot be had, so that half a page is never kept. */
  async fill(): Promise<void> {
    const cache = await this.#open();
    for (const file of this.#shell.files) {
      const request = this.#request(file);
      const response = await this.#ports.fetch(request);
      if (!response.ok) throw new Error(`${file} could not be loaded: ${response.status}`);
      await cache.put(request, response);
    }
  }

  /** Keeps further files that the page has loaded: browsers may have taken them from their memory, past the worker. */
  async keep(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      const url = URL.parse(address);
      if (url?.origin !== this.#ports.origin || !url.pathname.startsWith('/assets/')) continue;
      await this.#asset(new Request(url));
    }
  }

  /** Deletes the files of other builds. */
  async clean(): Promise<void> {
    for (const name of await this.#ports.caches.keys()) {
      if (name.startsWith(prefix) && name !== this.#name) await this.#ports.caches.delete(name);
    }
  }

  /** Returns the response to a request of the page, or `undefined` for one that it has nothing to do with. */
  respond(request: Request): Promise<Response> | undefined {
    const { origin, pathname } = new URL(request.url);
    if (request.method !== 'GET' || origin !== this.#ports.origin) return undefined;
    if (request.mode === 'navigate') return isPlace(pathname) ? this.#document(request) : undefined;
    // Their names change with their contents.
    return pathname.startsWith('/assets/') ? this.#asset(request) : undefined;
  }

  async #document(request: Request): Promise<Response> {
    try {
      return await this.#ports.fetch(request);
    } catch (error) {
      const kept = await (await this.#open()).match(this.#request('/'));
      if (kept === undefined) throw error;
      return kept;
    }
  }

  async #asset(request: Request): Promise<Response> {
    const cache = await this.#open();
    const kept = await cache.match(request);
    if (kept !== undefined) return kept;
    const response = await this.#ports.fetch(request);
    // A range or a failure is no file.
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  }

  get #name(): string {
    return `${prefix}${this.#shell.version}`;
  }

  #open(): Promise<Cache> {
    return this.#ports.caches.open(this.#name);
  }

  #request(file: string): Request {
    return new Request(`${this.#ports.origin}${file}`, { cache: 'no-store' });
  }
}

/** Returns true for the address of a place in the page; others answer programs, or show what is not the page. */
function isPlace(pathname: string): boolean {
  return !/^\/(?:api|mcp|auth|frames|assets)(?:\/|$)/u.test(pathname);
}
