import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const share = z.strictObject({
  id: z.string(),
  /** The hash of the secret in the link, in hex: a reader of the file cannot use it. */
  hash: z.string().regex(/^[\da-f]{64}$/u),
  root: z.string(),
  /** The ends of the branches that are shown. What is added behind them is not. */
  leaves: z.array(z.string()).readonly(),
  whole: z.boolean(),
  thinking: z.boolean(),
  tools: z.boolean(),
  /** True if readers get dots in the place of secrets. */
  replaced: z.boolean(),
  agent: z.string(),
  created_at: z.int(),
  until: z.int(),
  /** The token that it was made with: it ends with that one. */
  parent: z.string().exactOptional(),
});

/** A share as it is kept: what is shown of a conversation, and for how long. */
export type Share = z.infer<typeof share>;

/** The choices of the person who shares. */
export type NewShare = Pick<Share, 'root' | 'leaves' | 'whole' | 'thinking' | 'tools' | 'replaced' | 'agent'> & {
  /** The lifetime, in milliseconds. */
  lifetime: number;
  parent?: string | undefined;
};

/** Keeps the records of shares, as a whole. */
export interface ShareKeeper {
  /** Returns the records written last; `undefined` if there are none. */
  read(): Promise<unknown>;
  /** Resolves with false, and has written nothing, if another process has written since they were read. */
  write(records: readonly Share[]): Promise<void | boolean>;
  /** Calls back whenever another process may have written. Without it there is no other. */
  watch?(changed: () => void): void;
}

/** The lives of tokens: a share never outlives the one that it was made with. */
interface TokenLives {
  endOf(token: string): number;
  subscribe(listener: (token: string) => void): void;
}

interface SharesOptions {
  keeper: ShareKeeper;
  now: () => number;
  tokens: TokenLives;
}

/** Shares that have ended are listed for so long, in milliseconds. */
const listedAfterEnd = 30 * 24 * 60 * 60 * 1000;

/** Each attempt fails only because another process has written. */
const mostAttempts = 20;

/**
 * The shares of a data folder. Their secrets are no tokens: no route but those of shares takes them. Only the hash of one is kept
 * (decision 0091).
 */
export class Shares {
  readonly #options: SharesOptions;
  #records: Promise<readonly Share[]> | undefined;
  #known: readonly Share[] = [];
  #writing: Promise<unknown> = Promise.resolve();
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<(id: string) => void>();

  constructor(options: SharesOptions) {
    this.#options = options;
    options.tokens.subscribe((token) => {
      for (const { id, parent } of this.#known) if (parent === token) this.#tell(id);
    });
    options.keeper.watch?.(() => void this.#refresh().catch(() => {}));
  }

  /** Returns the shares, those that have ended lately included, in the order in which they were made. */
  async list(): Promise<readonly Share[]> {
    await this.#read();
    return this.#known;
  }

  /** Makes a share. The secret is in its link, and is shown this once. */
  async create({ lifetime, parent, ...choices }: NewShare): Promise<{ share: Share; secret: string }> {
    const { tokens, now } = this.#options;
    const time = now();
    const secret = `share_${randomBytes(32).toString('base64url')}`;
    const made: Share = share.parse({
      id: randomBytes(6).toString('hex'),
      hash: hashOf(secret),
      ...choices,
      created_at: time,
      until: Math.min(time + lifetime, parent === undefined ? Infinity : tokens.endOf(parent)),
      ...(parent === undefined ? {} : { parent }),
    });
    await this.#replace((records) => [...records, made]);
    return { share: made, secret };
  }

  /** Ends a share and forgets it. Returns false if there is none. */
  async revoke(id: string): Promise<boolean> {
    await this.#read();
    if (!this.#known.some((known) => known.id === id)) return false;
    // At once, even if the file cannot be written.
    this.#known = this.#known.filter((known) => known.id !== id);
    this.#tell(id);
    await this.#replace((records) => records.filter((known) => known.id !== id));
    return true;
  }

  /** Returns the share that a secret opens. */
  async find(secret: string): Promise<Share | undefined> {
    await this.#read();
    const found = this.#findKnown(secret);
    if (found !== undefined || this.#options.keeper.watch === undefined) return found;
    // Another process may have just made it.
    await this.#refresh();
    return this.#findKnown(secret);
  }

  #findKnown(secret: string): Share | undefined {
    const hash = Buffer.from(hashOf(secret), 'hex');
    // All are compared, whichever it is: how long it takes says nothing.
    let found: Share | undefined;
    for (const known of this.#known) if (timingSafeEqual(hash, Buffer.from(known.hash, 'hex'))) found = known;
    return found !== undefined && this.endOf(found.id) > this.#options.now() ? found : undefined;
  }

  /** Returns the time at which a share ends, or the token that it was made with; 0 if there is none. */
  endOf(id: string): number {
    const known = this.#known.find((one) => one.id === id);
    if (known === undefined) return 0;
    const { until, parent } = known;
    return parent === undefined ? until : Math.min(until, this.#options.tokens.endOf(parent));
  }

  /** Calls back when a share was ended before its time, with its id. */
  subscribe(listener: (id: string) => void): void {
    this.#listeners.add(listener);
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  /** Reads the records again, but not while they are being written: what was read before would count as newer. */
  async #refresh(): Promise<void> {
    this.#reading ??= this.#inTurn(() => this.#readAgain()).finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work, work);
    this.#writing = done;
    return done;
  }

  /** Reads the records again; what other processes have ended ends here as well. */
  async #readAgain(): Promise<void> {
    const before = this.#known;
    this.#records = undefined;
    await this.#read();
    const ids = new Set(this.#known.map(({ id }) => id));
    for (const { id } of before) if (!ids.has(id)) this.#tell(id);
  }

  async #read(): Promise<void> {
    this.#records ??= this.#options.keeper.read().then((kept) => {
      const records = z.array(share).safeParse(kept ?? []);
      if (!records.success)
        throw new TypeError('the file of shares is damaged: move it aside; its links open nothing any more', {
          cause: records.error,
        });
      return (this.#known = records.data);
    });
    await this.#records;
  }

  /** Valid once it is written; one after the other, so that none is lost. */
  async #replace(change: (records: readonly Share[]) => readonly Share[]): Promise<void> {
    await this.#read();
    const write = async (): Promise<void> => {
      const oldest = this.#options.now() - listedAfterEnd;
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const records = change(this.#known).filter(({ until }) => until > oldest);
        if ((await this.#options.keeper.write(records)) !== false) {
          this.#known = change(this.#known).filter(({ until }) => until > oldest);
          return;
        }
        await this.#readAgain();
      }
      throw new Error('other processes kept changing the shares; try again');
    };
    await this.#inTurn(write);
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
