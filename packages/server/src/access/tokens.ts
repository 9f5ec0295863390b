import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { agentId } from '@loom/blocks';
import { roles } from '@loom/kernel';
import type { Caller } from '@loom/kernel';
import { z } from 'zod';
import { Pushes } from '../push/pushes.ts';
import type { PushKeeper } from '../push/subscriptions.ts';
import { Shares } from '../sharing/shares.ts';
import type { ShareKeeper } from '../sharing/shares.ts';

/** The identity that a token stands for. */
export type Identity = Pick<Caller, 'agent' | 'type' | 'role' | 'roots'>;

/** The identity let in, and the id of its token. */
export interface Grant {
  identity: Identity;
  token: string;
}

/** The caller that a grant makes of a request at a door. */
export function callerFrom({ identity, token }: Grant, id: string, door: Caller['door']): Caller {
  return { ...identity, credential: token, id, door };
}

export const identityFields = {
  agent: agentId.describe('The name recorded with its changes.'),
  type: z.enum(['person', 'model', 'tool', 'importer']).describe('The kind of agent. Only a person can approve calls.'),
  role: z
    .enum(roles)
    .describe(
      'What it may do: a reader reads, an appender only adds, a writer changes conversations and runs models, an owner may do everything.',
    ),
  roots: z.array(z.string()).readonly().exactOptional().describe('The conversations it may use. Default: all.'),
};

/** A grant, where it is kept. */
export const grantSchema: z.ZodType<Grant> = z.strictObject({
  identity: z.strictObject(identityFields),
  token: z.string(),
});

const record = z.strictObject({
  id: z.string(),
  /** The hash of the token, in hex: a reader of the file cannot use it. */
  hash: z.string().regex(/^[\da-f]{64}$/u),
  ...identityFields,
  created_at: z.int(),
  expires_at: z.int().exactOptional(),
});

/** A token as it is kept. */
export type TokenRecord = z.infer<typeof record>;

/** A token as it is shown, once. */
export type MadeToken = { id: string; token: string; expires_at?: number };

/** Keeps the records of tokens, as a whole. */
export interface TokenKeeper {
  /** Returns the records written last; `undefined` if there are none. */
  read(): Promise<unknown>;
  /** Resolves with false, and has written nothing, if another process has written since they were read. */
  write(records: readonly TokenRecord[]): Promise<void | boolean>;
  /** Calls back whenever another process may have written. Without it there is no other. */
  watch?(changed: () => void): void;
}

export interface TokensOptions {
  keeper: TokenKeeper;
  /** Keeps the shares that are made with tokens. Default: they end with this process. */
  shareKeeper?: ShareKeeper;
  /** Keeps the browsers that are told of turns. Default: none is. */
  pushKeeper?: PushKeeper;
  now: () => number;
}

interface NewToken {
  identity: Identity;
  /** The lifetime, in milliseconds; without it the token is valid until it is revoked. */
  lifetime?: number;
  /** A token that ends with this process is written nowhere. */
  isKept?: boolean;
  /** The id of the token that asks for it: it ends no later than that one. */
  parent?: string;
  /** True if it stands for the data folder itself, for processes that can read the folder anyway: tokens made with it have no parent. */
  isFolders?: boolean;
}

/** The separator between the ids of a token and of the one that was made with it. */
const separator = '.';

/**
 * The tokens of a data folder. Only the hash of one is kept: a token is shown once, to the caller that asked for it. The id of a token
 * begins with the id of the one that it was made with, so that the file says whose end is its end too (decision 0036).
 */
export class Tokens {
  /** The links that were made with these tokens, and end with them. */
  readonly shares: Shares;
  /** Tells browsers of turns, as long as their tokens last. */
  readonly push: Pushes;
  readonly #keeper: TokenKeeper;
  readonly #now: () => number;
  #kept: readonly TokenRecord[];
  /** The tokens that end with this process. */
  #passing: readonly TokenRecord[] = [];
  readonly #folders = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<(token: string) => void>();

  constructor({ keeper, shareKeeper = forgetful, pushKeeper, now }: TokensOptions, records: readonly TokenRecord[]) {
    this.#keeper = keeper;
    this.#now = now;
    this.#kept = records;
    this.shares = new Shares({ keeper: shareKeeper, now, tokens: this });
    this.push = new Pushes({ keeper: pushKeeper, now, tokens: this });
    // While the records cannot be read those that are known stay valid; the next change or look brings the others.
    keeper.watch?.(() => void this.refresh().catch(() => {}));
  }

  /** Tokens that stay valid, in the order in which they were made. */
  get list(): readonly TokenRecord[] {
    return this.#kept.filter((known) => !this.#isOver(known));
  }

  async create({
    identity,
    lifetime = Infinity,
    isKept = true,
    parent,
    isFolders = false,
  }: NewToken): Promise<MadeToken> {
    const token = `loom_${randomBytes(32).toString('base64url')}`;
    const now = this.#now();
    const above = parent === undefined ? undefined : this.parentOf(parent);
    const end = Math.min(now + lifetime, above === undefined ? Infinity : this.endOf(above));
    const expiry = end === Infinity ? {} : { expires_at: end };
    const id = `${above === undefined ? '' : `${above}${separator}`}${randomBytes(6).toString('hex')}`;
    const made: TokenRecord = record.parse({ id, hash: hashOf(token), ...identity, created_at: now, ...expiry });
    if (isFolders) this.#folders.add(id);
    if (isKept) await this.#replace((known) => [...known, made]);
    else this.#passing = [...this.#passing.filter((known) => !this.#isOver(known)), made];
    return { id, token, ...expiry };
  }

  /** Returns the token with which something ends that is made with a token: that of the process stands for the folder, which has no end. */
  parentOf(token: string): string | undefined {
    return this.#folders.has(token) ? undefined : token;
  }

  /** Ends a token and everything that was made with it. Returns false if the token does not exist. */
  async revoke(id: string): Promise<boolean> {
    const ended = this.#all.filter((known) => lineageOf(known.id).includes(id)).map((known) => known.id);
    if (!ended.includes(id)) return false;
    const stays = (known: TokenRecord): boolean => !ended.includes(known.id);
    // Before anything is awaited: tokens that are only in memory end at once, even if the file cannot be written.
    this.#passing = this.#passing.filter(stays);
    if (!this.#kept.every(stays)) await this.#replace((known) => known.filter(stays));
    for (const token of ended) for (const listener of this.#listeners) listener(token);
    return true;
  }

  /** Calls back when a token was revoked, with its id. */
  subscribe(listener: (token: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Returns the time at which a token ends, or one that it was made with, in milliseconds since 1970; 0 if the token does not exist. */
  endOf(id: string): number {
    const known = new Map(this.#all.map((one) => [one.id, one.expires_at ?? Infinity]));
    return Math.min(...lineageOf(id).map((ancestor) => known.get(ancestor) ?? 0));
  }

  /** Returns true if a token outlives this process. */
  isKept(id: string): boolean {
    return this.#kept.some((known) => known.id === id);
  }

  /** Returns true if a token lets its callers in. */
  isValid(id: string): boolean {
    return this.endOf(id) > this.#now();
  }

  /** Reads the records again, where other processes write them too; what they have revoked ends here as well. */
  async refresh(): Promise<void> {
    if (this.#keeper.watch === undefined) return;
    // Not while they are being written: what was read before would count as newer.
    this.#reading ??= this.#inTurn(() => this.#read()).finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  /** Returns whom a token lets in; one that another process has just made is looked for where it is kept. */
  async look(token: string): Promise<Grant | undefined> {
    const found = this.find(token);
    if (found !== undefined || this.#keeper.watch === undefined) return found;
    await this.refresh();
    return this.find(token);
  }

  find(token: string): Grant | undefined {
    const hash = Buffer.from(hashOf(token), 'hex');
    // All are compared, whichever it is: how long it takes says nothing.
    let found: TokenRecord | undefined;
    for (const known of this.#all) {
      if (timingSafeEqual(hash, Buffer.from(known.hash, 'hex')) && !this.#isOver(known)) found = known;
    }
    if (found === undefined) return undefined;
    const { id, agent, type, role, roots } = found;
    return { token: id, identity: { agent, type, role, ...(roots === undefined ? {} : { roots }) } };
  }

  async #read(): Promise<void> {
    const records = parseRecords(await this.#keeper.read());
    const ids = new Set(records.map(({ id }) => id));
    const ended = this.#kept.filter(({ id }) => !ids.has(id));
    this.#kept = records;
    for (const { id } of ended) for (const listener of this.#listeners) listener(id);
  }

  get #all(): readonly TokenRecord[] {
    return [...this.#kept, ...this.#passing];
  }

  #isOver({ id }: TokenRecord): boolean {
    return this.endOf(id) <= this.#now();
  }

  /** Valid once it is written; one after the other, so that none is lost. */
  #replace(change: (records: readonly TokenRecord[]) => TokenRecord[]): Promise<void> {
    const write = async (): Promise<void> => {
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const records = change(this.list);
        const isWritten = await this.#keeper.write(records);
        if (isWritten !== false) {
          this.#kept = records;
          return;
        }
        await this.#read();
      }
      throw new Error('other processes kept changing the tokens; try again');
    };
    return this.#inTurn(write);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work, work);
    return this.#writing;
  }
}

/** Each attempt fails only because another process has written. */
const mostAttempts = 20;

const forgetful: ShareKeeper = { read: async () => undefined, write: async () => {} };

/** Reads the tokens of a data folder. Refuses a file that is not a list of tokens rather than overwrite it. */
export async function openTokens(options: TokensOptions): Promise<Tokens> {
  return new Tokens(options, parseRecords(await options.keeper.read()));
}

function parseRecords(kept: unknown): TokenRecord[] {
  const records = z.array(record).safeParse(kept ?? []);
  if (records.success) return records.data;
  throw new TypeError('the file of tokens is damaged: move it aside, and make new tokens', { cause: records.error });
}

/** The ids of the tokens that one was made with, the first one first, and its own. */
function lineageOf(id: string): string[] {
  const parts = id.split(separator);
  return parts.map((_, index) => parts.slice(0, index + 1).join(separator));
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
