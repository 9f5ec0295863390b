import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '@loom/kernel';
import { authorizeAddress, planScope, readReturn, unregistered } from './authorization.ts';
import type { Attempt } from './authorization.ts';
import { readIdToken } from './id-token.ts';
import { PlanError } from './plan-error.ts';
import type { PlanKeeper, PlanRecord } from './plan-record.ts';
import { findService } from './plan-service.ts';
import { exchangeCode, refreshTokens, revokeToken } from './plan-tokens.ts';
import type { Tokens } from './plan-tokens.ts';
import { listenForReturn } from './return-listener.ts';
import type { ReturnListener } from './return-listener.ts';

export interface PlanOptions {
  keeper: PlanKeeper;
  clock: Clock;
  /** The login service and the API, as they are set now. */
  where: () => Promise<{ issuer: string; api: string }>;
  fetch?: typeof globalThis.fetch;
}

/** The state of a login, without any secret. */
export interface PlanState {
  state: 'logged-out' | 'waiting' | 'logged-in';
  /** The account, by its email address. */
  account?: string;
  /** True if the plan may be used. */
  plan?: boolean;
  /** Milliseconds since 1970, while waiting: when the attempt ends. */
  until?: number;
  /** The reason that the last attempt, or the last renewal, failed. */
  problem?: string;
}

interface Waiting {
  attempt: Attempt;
  until: number;
  listener: ReturnListener;
  ended: PromiseWithResolvers<void>;
  stopTimer: () => void;
  isTaken: boolean;
}

/** A page that nobody comes back from is forgotten after ten minutes. */
const attemptLasts = 10 * 60_000;
/** An access token is renewed when it has less than five minutes left, unless its service says that this is too early. */
const renewedBefore = 5 * 60_000;

/** A person's login at OpenAI, whose plan pays for requests to the public Responses API. Never tried against the live service. */
export class PlanAccount {
  readonly #options: PlanOptions;
  readonly #fetch: typeof globalThis.fetch;
  #waiting: Waiting | undefined;
  #problem: string | undefined;
  #renewing: Promise<string> | undefined;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  async state(): Promise<PlanState> {
    const record = await this.#record();
    const problem = this.#problem === undefined ? {} : { problem: this.#problem };
    const account = record?.email === undefined ? {} : { account: record.email };
    if (this.#waiting !== undefined) return { state: 'waiting', ...account, until: this.#waiting.until };
    const tokens = record?.tokens;
    const isOver = tokens === undefined || (tokens.refresh === undefined && tokens.expires <= this.#now());
    if (isOver) return { state: 'logged-out', ...account, ...problem };
    return { state: 'logged-in', ...account, plan: tokens.plan, ...problem };
  }

  /** Begins a login: returns the page on which the person logs in. An attempt that still waits is ended. */
  async begin(): Promise<{ url: string; until: number }> {
    this.cancel();
    const { issuer, api } = await this.#options.where();
    const service = await findService(issuer, this.#fetch);
    const record = await this.#options.keeper.change(async (kept) => this.#fitting(kept, issuer, api));
    const listener = await listenForReturn((returned) => this.#take(returned));
    const attempt: Attempt = {
      issuer,
      service,
      client: record.client ?? unregistered,
      host: record.host,
      redirect: listener.redirect,
      api,
      state: randomBytes(32).toString('base64url'),
      nonce: randomBytes(32).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      hints: {
        ...(record.tokens?.id === undefined ? {} : { idToken: record.tokens.id }),
        ...(record.email === undefined ? {} : { email: record.email }),
      },
    };
    this.#problem = undefined;
    const until = this.#now() + attemptLasts;
    const stopTimer = this.#options.clock.after(attemptLasts, () => this.#end(waiting, 'Nobody logged in.'));
    const waiting: Waiting = {
      attempt,
      until,
      listener,
      ended: Promise.withResolvers(),
      stopTimer,
      isTaken: false,
    };
    this.cancel();
    this.#waiting = waiting;
    return { url: authorizeAddress(attempt), until };
  }

  /** Completes a login with the address that the browser was sent to, where the browser runs on another machine. */
  async bring(address: string): Promise<void> {
    const returned = URL.parse(address.trim());
    const told = returned === null ? undefined : await this.#take(returned);
    if (told === undefined)
      throw new PlanError('protocol', 'That is not the address that the browser was sent to at the end of this login.');
  }

  /** Waits until no attempt waits any more, but no longer than a while. */
  async settled(milliseconds: number): Promise<void> {
    if (this.#waiting === undefined) return;
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(milliseconds, () => late.resolve());
    await Promise.race([this.#waiting.ended.promise, late.promise]);
    cancel();
  }

  /** Ends an attempt that waits. Returns false if there is none. */
  cancel(): boolean {
    const waiting = this.#waiting;
    if (waiting !== undefined) this.#end(waiting);
    return waiting !== undefined;
  }

  /** Forgets the tokens and takes them back. `revoked` is false if the service has not confirmed that. */
  async end(): Promise<{ revoked: boolean }> {
    this.cancel();
    this.#problem = undefined;
    let given: PlanRecord | undefined;
    await this.#options.keeper.change(async (kept) => {
      given = kept;
      const { issuer, api } = await this.#options.where();
      const { tokens: _gone, ...rest } = kept ?? this.#fitting(kept, issuer, api);
      return rest;
    });
    const refresh = given?.tokens?.refresh;
    if (given?.tokens === undefined) return { revoked: true };
    if (refresh === undefined || given.client === undefined) return { revoked: false };
    try {
      const service = await findService(given.issuer, this.#fetch);
      return { revoked: await revokeToken({ service, client: given.client, refresh }, this.#fetch) };
    } catch (error) {
      if (error instanceof PlanError) return { revoked: false };
      throw error;
    }
  }

  /** Returns a token for the API, renewed where it would soon end. One renewal runs at a time, over all processes. */
  async accessToken(): Promise<string> {
    const tokens = (await this.#record())?.tokens;
    if (tokens === undefined) throw loggedOut();
    if (!tokens.plan) throw notAllowed();
    if (!this.#isDue(tokens)) return tokens.access;
    return (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)));
  }

  close(): void {
    this.cancel();
  }

  #now(): number {
    return this.#options.clock.now();
  }

  /** The record, if it is of the service and the API that are set now. */
  async #record(): Promise<PlanRecord | undefined> {
    const { issuer, api } = await this.#options.where();
    const record = await this.#options.keeper.read();
    return record?.issuer === issuer && record.api === api ? record : undefined;
  }

  #fitting(kept: PlanRecord | undefined, issuer: string, api: string): PlanRecord {
    if (kept?.issuer === issuer && kept.api === api) return kept;
    return { version: 1, issuer, api, host: kept?.host ?? `urn:uuid:${randomUUID()}` };
  }

  #isDue({ expires, refresh_from: from = 0 }: NonNullable<PlanRecord['tokens']>): boolean {
    const now = this.#now();
    return now >= expires || (now >= expires - renewedBefore && now >= from);
  }

  #end(waiting: Waiting, problem?: string): void {
    waiting.stopTimer();
    waiting.listener.close();
    if (this.#waiting === waiting) {
      this.#waiting = undefined;
      this.#problem = problem;
    }
    waiting.ended.resolve();
  }

  /** Takes the return of the browser; returns what it is told, or `undefined` if this is not the login that is waited for. */
  async #take(returned: URL): Promise<string | undefined> {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.isTaken) return undefined;
    try {
      const granted = readReturn(waiting.attempt, returned);
      if (granted === undefined) return undefined;
      waiting.isTaken = true;
      const isAllowed = await this.#complete(waiting.attempt, granted);
      this.#end(waiting, isAllowed ? undefined : notAllowed().message);
      return isAllowed ? 'You are logged in. Go back to Loom; this page can be closed.' : notAllowed().message;
    } catch (error) {
      const isKnown = error instanceof PlanError;
      this.#end(waiting, isKnown ? error.message : 'The login failed.');
      if (!isKnown) throw error;
      return error.message;
    }
  }

  async #complete(attempt: Attempt, granted: { code: string; client: string }): Promise<boolean> {
    const { keeper } = this.#options;
    const { api, issuer, service, nonce } = attempt;
    const own = (kept: PlanRecord | undefined): PlanRecord => this.#fitting(kept, issuer, api);
    const tools = { fetch: this.#fetch, now: () => this.#now() };
    // The client is kept first: a login that fails after this goes on with it.
    await keeper.change(async (kept) => ({ ...own(kept), client: granted.client }));
    const tokens = await exchangeCode(attempt, granted, tools);
    const identity = await readIdToken(tokens.id ?? '', {
      service,
      client: granted.client,
      nonce,
      now: this.#now(),
      fetch: this.#fetch,
    });
    const plan = tokens.granted?.includes(planScope) === true;
    await keeper.change(async (kept) => {
      const { email: _before, ...record } = own(kept);
      if (record.subject !== undefined && record.subject !== identity.subject)
        throw new PlanError('protocol', 'That is another account than before. Log out first, or choose the same one.');
      return { ...record, ...identity, tokens: { ...tokensKept(tokens), plan } };
    });
    return plan;
  }

  async #renew(): Promise<string> {
    const { keeper } = this.#options;
    let failure: PlanError | undefined;
    const record = await keeper.change(async (kept) => {
      const { issuer, api } = await this.#options.where();
      if (kept?.tokens === undefined || kept.issuer !== issuer || kept.api !== api) throw loggedOut();
      const { tokens, client } = kept;
      // Another process may have renewed it while this one waited.
      if (!this.#isDue(tokens)) return kept;
      if (tokens.refresh === undefined || client === undefined) throw loggedOut();
      try {
        const service = await findService(issuer, this.#fetch);
        const tools = { fetch: this.#fetch, now: () => this.#now() };
        const fresh = await refreshTokens({ service, client, refresh: tokens.refresh, api }, tools);
        const plan = fresh.granted?.includes(planScope) ?? tokens.plan;
        const before = {
          ...(tokens.id === undefined ? {} : { id: tokens.id }),
          refresh: tokens.refresh,
        };
        return { ...kept, tokens: { ...before, ...tokensKept(fresh), plan } };
      } catch (error) {
        if (!(error instanceof PlanError)) throw error;
        failure = error;
        if (error.code !== 'logged-out') return kept;
        const { tokens: _gone, ...rest } = kept;
        return rest;
      }
    });
    this.#problem = failure?.message;
    const { tokens } = record;
    if (tokens === undefined) throw failure ?? loggedOut();
    if (tokens.expires <= this.#now()) throw failure ?? loggedOut();
    if (!tokens.plan) throw notAllowed();
    return tokens.access;
  }
}

function tokensKept({
  access,
  refresh,
  id,
  expires,
  refreshFrom,
}: Tokens): Omit<NonNullable<PlanRecord['tokens']>, 'plan'> {
  return {
    access,
    expires,
    ...(refresh === undefined ? {} : { refresh }),
    ...(id === undefined ? {} : { id }),
    ...(refreshFrom === undefined ? {} : { refresh_from: refreshFrom }),
  };
}

function loggedOut(): PlanError {
  return new PlanError('logged-out', 'Nobody is logged in with a ChatGPT plan. Log in first.');
}

function notAllowed(): PlanError {
  return new PlanError(
    'declined',
    'You are logged in, but have not allowed Loom to use your ChatGPT plan. Log in again and allow it, or use a key.',
  );
}
