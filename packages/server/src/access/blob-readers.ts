import type { Caller, LoomEngine, Refused } from '@loom/kernel';
import { refuse, showsBlob } from '@loom/kernel';
import { z } from 'zod';

/** The number of blobs that a token has sent or made that are remembered, before a conversation shows them. */
const mostMade = 1000;

const blobName = /sha256:[0-9a-f]{64}/gu;
const made = z.object({ blob: z.string() });

/**
 * Decides which token may read which blob. A token for some conversations reads the blobs that one of them shows, and those it has sent or
 * exported itself; one for all conversations reads everything. A blob is named by its content, so that its name alone must open nothing.
 */
export class BlobReaders {
  readonly #forest: LoomEngine['forest'];
  readonly #made = new Map<string, Set<string>>();

  constructor(forest: LoomEngine['forest']) {
    this.#forest = forest;
  }

  async mayRead({ roots, credential = '' }: Pick<Caller, 'roots' | 'credential'>, blob: string): Promise<boolean> {
    if (roots === undefined || this.#made.get(credential)?.has(blob) === true) return true;
    for (const root of roots) if (await showsBlob(this.#forest, root, blob)) return true;
    return false;
  }

  /** Notes that a token has sent a blob: it may look at it again, and name it in a message. */
  noteSent(token: string, blob: string): void {
    const known = this.#made.get(token) ?? new Set();
    this.#made.set(token, known.add(blob));
    const [oldest] = known;
    if (known.size > mostMade && oldest !== undefined) known.delete(oldest);
  }

  /** Notes that a token has made an export, which is a blob that no conversation shows. */
  noteMade(token: string, operation: string, value: unknown): void {
    if (operation !== 'export.create') return;
    const { data } = made.safeParse(value);
    if (data !== undefined) this.noteSent(token, data.blob);
  }

  /** Forgets the blobs that a token has sent. */
  forget(token: string): void {
    this.#made.delete(token);
  }

  /** Refuses parameters that name a blob which the caller may not read: once it stood in the caller's own message, the caller could read it. */
  async refuseUnreadable(caller: Caller, params: unknown): Promise<Refused | undefined> {
    if (caller.roots === undefined) return undefined;
    const named = JSON.stringify(params ?? null).match(blobName) ?? [];
    for (const blob of new Set(named)) {
      if (await this.mayRead(caller, blob)) continue;
      const problem = `names a blob that you have not sent and that none of your conversations shows: ${blob}`;
      return refuse({ reason: 'invalid-params', problems: [{ path: [], problem }] });
    }
    return undefined;
  }
}
