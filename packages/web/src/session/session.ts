import { LoomClient, signIn } from '@loom/client';
import type { ClientPorts } from '@loom/client';

const tokenKey = 'loom-token';

/** What a client needs, as browsers have it. */
const browserPorts: ClientPorts = {
  fetch: (url, init) => fetch(url, init),
  openSocket: (url) => new WebSocket(url),
  clock: {
    now: () => Date.now(),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  ids: { next: () => crypto.randomUUID() },
  random: () => Math.random(),
};

/** Who reads the page. */
export interface Session {
  readonly client: LoomClient;
  readonly readBlob: (id: string, type: string) => Promise<Blob>;
  /** The bytes of a blob, as an address that only this page can use. */
  readonly blobAddress: (id: string, type: string) => Promise<string>;
}

/** Signs in by the code in the address, or as before; `undefined` if there is neither. Throws if the code is used up. */
export async function openSession(): Promise<Session | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    // Gone before anything else can see it.
    history.replaceState(null, '', location.pathname);
    localStorage.setItem(tokenKey, await signIn(location.origin, code, browserPorts.fetch));
  }
  const token = localStorage.getItem(tokenKey);
  if (token === null) return undefined;
  const readBlob: Session['readBlob'] = async (id, type) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`/api/v1/blobs/${encodeURIComponent(id)}`, { headers });
    if (!response.ok) throw new Error(`The file could not be read: the server answered ${response.status}.`);
    return new Blob([await response.arrayBuffer()], { type });
  };
  return {
    client: new LoomClient({ ...browserPorts, url: location.origin, token }),
    readBlob,
    blobAddress: async (id, type) => URL.createObjectURL(await readBlob(id, type)),
  };
}

/** The token does not open the server any more. */
export function forgetSession(): void {
  localStorage.removeItem(tokenKey);
}
