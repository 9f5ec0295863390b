import { z } from 'zod';
import { LoomClient, signIn } from '@loom/client';
import type { ClientPorts } from '@loom/client';
import { earlyTicket, tokenKey } from './early-tickets.ts';

const agentKey = 'loom-agent';

/** The services of a client, as browsers have them. */
const browserPorts: ClientPorts = {
  fetch: (url, init) => (url.endsWith('/auth/ticket') ? earlyTicket() : undefined) ?? fetch(url, init),
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

const uploadAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.object({ upload: z.string() }) }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/** The signed-in reader and the connection to the server. */
export interface Session {
  /** The agent name of the reader's changes. */
  readonly agent: string;
  readonly client: LoomClient;
  readonly readBlob: (id: string, type: string) => Promise<Blob>;
  /** Reads some bytes of a blob; `end` is behind the last. */
  readonly readRange: (id: string, start: number, end: number) => Promise<Uint8Array>;
  /** Sends a file to be imported. Returns its name on the server. */
  readonly upload: (file: Blob) => Promise<string>;
  /** The bytes of a blob, as an address that only this page can use. */
  readonly blobAddress: (id: string, type: string) => Promise<string>;
}

/** Signs in by the code in the address, or as before; `undefined` if there is neither. Throws if the code is used up. */
export async function openSession(): Promise<Session | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    // Gone before anything else can see it.
    history.replaceState(null, '', location.pathname);
    const signedIn = await signIn(location.origin, code, browserPorts.fetch);
    localStorage.setItem(tokenKey, signedIn.token);
    localStorage.setItem(agentKey, signedIn.agent);
  }
  const token = localStorage.getItem(tokenKey);
  if (token === null) return undefined;
  const readBytes = async (id: string, more: Record<string, string> = {}): Promise<ArrayBuffer> => {
    const headers = { authorization: `Bearer ${token}`, ...more };
    const response = await fetch(`/api/v1/blobs/${encodeURIComponent(id)}`, { headers });
    if (!response.ok) throw new Error(`The file could not be read: the server answered ${response.status}.`);
    return response.arrayBuffer();
  };
  const readBlob: Session['readBlob'] = async (id, type) => new Blob([await readBytes(id)], { type });
  const readRange: Session['readRange'] = async (id, start, end) =>
    start >= end ? new Uint8Array() : new Uint8Array(await readBytes(id, { range: `bytes=${start}-${end - 1}` }));
  const upload: Session['upload'] = async (file) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    const response = await fetch('/api/v1/uploads', { method: 'POST', headers, body: file });
    const answer = uploadAnswer.parse(await response.json());
    if (answer.ok) return answer.value.upload;
    throw new Error(answer.message);
  };
  const client = new LoomClient({ ...browserPorts, url: location.origin, token });
  return {
    client,
    agent: await knownAgent(client),
    readBlob,
    readRange,
    upload,
    blobAddress: async (id, type) => URL.createObjectURL(await readBlob(id, type)),
  };
}

/** Returns the reader's name, asked for once: without a server the page still knows whose it is. */
async function knownAgent(client: LoomClient): Promise<string> {
  const known = localStorage.getItem(agentKey);
  if (known !== null) return known;
  const agent = await client.agent();
  localStorage.setItem(agentKey, agent);
  return agent;
}

/** Forgets a token that no longer opens the server. */
export function forgetSession(): void {
  localStorage.removeItem(tokenKey);
  localStorage.removeItem(agentKey);
}
