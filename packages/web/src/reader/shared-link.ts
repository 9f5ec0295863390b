import { Store } from '../stores/store.ts';
import { readSharedCopy } from './shared-copy.ts';
import type { SharedCopy } from './shared-copy.ts';

/** The state of a link: nothing is shown of one that has ended. */
export type LinkView =
  | { readonly name: 'loading' }
  /** The server does not answer, and nothing was read so far. */
  | { readonly name: 'unreached' }
  | { readonly name: 'shown'; readonly copy: SharedCopy; readonly isAway: boolean }
  | { readonly name: 'ended' };

/** The services of the browser that a link needs. */
export interface LinkPorts {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Calls back after so many milliseconds, unless it is stopped before. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

const [firstRest, longestRest] = [1000, 30_000];

/** The conversation behind a link, as it is now. It is read again when the server says that it changed, and forgotten when the link ends. */
export class SharedLink {
  readonly view = new Store<LinkView>({ name: 'loading' });
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ports: LinkPorts;
  readonly #leaving = new AbortController();
  readonly #blobs = new Map<string, Promise<ArrayBuffer>>();

  constructor(secret: string, ports: LinkPorts) {
    this.#headers = { authorization: `Bearer ${secret}` };
    this.#ports = ports;
  }

  /** Reads the conversation and follows it until the link ends, or the reader leaves. */
  async follow(): Promise<void> {
    let rest = firstRest;
    while (!this.#leaving.signal.aborted) {
      try {
        const events = await this.#get('/api/v1/share/events');
        await this.#load();
        rest = firstRest;
        await this.#listen(events);
      } catch (error) {
        if (error instanceof LinkEnded) return this.#end();
      }
      if (this.#leaving.signal.aborted) return;
      const now = this.view.getSnapshot();
      this.view.set(now.name === 'shown' ? { ...now, isAway: true } : { name: 'unreached' });
      await new Promise<void>((resolve) => void this.#ports.after(rest, resolve));
      rest = Math.min(2 * rest, longestRest);
    }
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Reads a file of the conversation, once. */
  readBlob(id: string): Promise<ArrayBuffer> {
    const known = this.#blobs.get(id);
    if (known !== undefined) return known;
    const read = this.#get(`/api/v1/share/blobs/${encodeURIComponent(id)}`).then((answer) => answer.arrayBuffer());
    this.#blobs.set(id, read);
    read.catch(() => this.#blobs.delete(id));
    return read;
  }

  async #load(): Promise<void> {
    const answer = await this.#get('/api/v1/share');
    this.view.set({ name: 'shown', copy: readSharedCopy(await answer.json()), isAway: false });
  }

  /** Reads again with each event. Ends with the stream. */
  async #listen({ body }: Response): Promise<void> {
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      if (lines.includes('data: {"type":"ended"}')) throw new LinkEnded();
      if (lines.includes('data: {"type":"changed"}')) await this.#load();
    }
  }

  async #get(path: string): Promise<Response> {
    const answer = await this.#ports.fetch(path, {
      headers: this.#headers,
      signal: this.#leaving.signal,
      cache: 'no-store',
    });
    if (answer.status === 401) throw new LinkEnded();
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer;
  }

  #end(): void {
    this.#blobs.clear();
    this.view.set({ name: 'ended' });
  }
}

class LinkEnded extends Error {}
