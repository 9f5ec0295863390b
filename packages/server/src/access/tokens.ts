import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { agentId } from '@loom/blocks';
import { roles } from '@loom/kernel';
import type { Caller } from '@loom/kernel';
import { z } from 'zod';

/** Whom a token stands for. */
export type Identity = Pick<Caller, 'agent' | 'type' | 'role' | 'roots'>;

/** What opens something: an agent, and the id of the token that it was let in with. */
export interface Grant {
  identity: Identity;
  token: string;
}

export const identityFields = {
  agent: agentId.describe('The name under which changes are kept.'),
  type: z.enum(['person', 'model', 'tool', 'importer']).describe('What the agent is. Only persons approve calls.'),
  role: z
    .enum(roles)
    .describe(
      'What it may do: a reader looks, an appender only adds, a writer changes conversations and lets models answer, an owner does everything.',
    ),
  roots: z.array(z.string()).readonly().exactOptional().describe('The conversations that it may use. Default: all.'),
};

const record = z.strictObject({
  id: z.string(),
  /** Of the token, in hex: who reads the file cannot use what it says. */
  hash: z.string().regex(/^[\da-f]{64}$/u),
  ...identityFields,
  created_at: z.int(),
  expires_at: z.int().exactOptional(),
});

/** A token as it is kept. */
export type TokenRecord = z.infer<typeof record>;

/** Keeps the records of tokens, as a whole. */
export interface TokenKeeper {
  /** What was written last; `undefined` if nothing was. */
  read(): Promise<unknown>;
  write(records: readonly TokenRecord[]): Promise<void>;
}

export interface TokensOptions {
  keeper: TokenKeeper;
  now: () => number;
}

interface NewToken {
  identity: Identity;
  /** How long it is valid, in milliseconds; without it until it is revoked. */
  lifetime?: number;
  /** A token that ends with this process is written nowhere. */
  isKept?: boolean;
}

/** The tokens of a data folder. What is kept of one is its hash: a token is shown once, to the one who asked for it. */
export class Tokens {
  readonly #keeper: TokenKeeper;
  readonly #now: () => number;
  #kept: readonly TokenRecord[];
  /** Those that end with this process. */
  #passing: readonly TokenRecord[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<(token: string) => void>();

  constructor({ keeper, now }: TokensOptions, records: readonly TokenRecord[]) {
    this.#keeper = keeper;
    this.#now = now;
    this.#kept = records;
  }

  /** Tokens that stay valid, in the order in which they were made. */
  get list(): readonly TokenRecord[] {
    return this.#kept.filter((known) => !this.#isOver(known));
  }

  async create({ identity, lifetime, isKept = true }: NewToken): Promise<{ id: string; token: string }> {
    const token = `loom_${randomBytes(32).toString('base64url')}`;
    const now = this.#now();
    const expiry = lifetime === undefined ? {} : { expires_at: now + lifetime };
    const id = randomBytes(6).toString('hex');
    const made: TokenRecord = record.parse({ id, hash: hashOf(token), ...identity, created_at: now, ...expiry });
    if (isKept) await this.#replace((known) => [...known, made]);
    else this.#passing = [...this.#passing.filter((known) => !this.#isOver(known)), made];
    return { id, token };
  }

  /** False if there is no such token. */
  async revoke(id: string): Promise<boolean> {
    if (this.#passing.some((known) => known.id === id)) {
      this.#passing = this.#passing.filter((known) => known.id !== id);
    } else {
      if (!this.#kept.some((known) => known.id === id)) return false;
      await this.#replace((known) => known.filter((other) => other.id !== id));
    }
    for (const listener of this.#listeners) listener(id);
    return true;
  }

  /** Calls back when a token was revoked, with its id. */
  subscribe(listener: (token: string) => void): void {
    this.#listeners.add(listener);
  }

  /** When a token ends, by its id, in milliseconds since 1970; 0 if there is no such token. */
  endOf(id: string): number {
    const found = [...this.#kept, ...this.#passing].find((known) => known.id === id);
    return found === undefined ? 0 : (found.expires_at ?? Infinity);
  }

  find(token: string): Grant | undefined {
    const hash = Buffer.from(hashOf(token), 'hex');
    // All are compared, whichever it is: how long it takes says nothing.
    let found: TokenRecord | undefined;
    for (const known of [...this.#kept, ...this.#passing]) {
      if (timingSafeEqual(hash, Buffer.from(known.hash, 'hex')) && !this.#isOver(known)) found = known;
    }
    if (found === undefined) return undefined;
    const { id, agent, type, role, roots } = found;
    return { token: id, identity: { agent, type, role, ...(roots === undefined ? {} : { roots }) } };
  }

  #isOver({ expires_at: end }: TokenRecord): boolean {
    return end !== undefined && end <= this.#now();
  }

  /** Valid once it is written; one after the other, so that none is lost. */
  #replace(change: (records: readonly TokenRecord[]) => TokenRecord[]): Promise<void> {
    const write = async (): Promise<void> => {
      const records = change(this.list);
      await this.#keeper.write(records);
      this.#kept = records;
    };
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

/** Reads the tokens of a data folder. What is not a list of tokens is refused rather than written over. */
export async function openTokens(options: TokensOptions): Promise<Tokens> {
  const records = z.array(record).safeParse((await options.keeper.read()) ?? []);
  if (records.success) return new Tokens(options, records.data);
  throw new TypeError('the file of tokens is damaged: move it aside, and make new tokens', { cause: records.error });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
