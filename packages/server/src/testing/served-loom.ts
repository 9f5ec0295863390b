import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import type { Clock, EngineOptions } from '@loom/kernel';
import { blobsOf } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { instantClock } from '@loom/kernel/testing';
import { createDemoProvider, demoTools } from '@loom/providers/demo';
import { createMemoryStore } from '@loom/stores/memory';
import { tokenOperations } from '../access/token-operations.ts';
import { plainHtml } from '../sharing/testing/plain-html.ts';
import { openTokens } from '../access/tokens.ts';
import type { Identity, TokenRecord, Tokens } from '../access/tokens.ts';
import { LoomServer } from '../server.ts';
import type { LoomServerOptions } from '../server.ts';
import { Requests } from './requests.ts';

/** The owner that most tests are. */
export const owner: Identity = { agent: 'person', type: 'person', role: 'owner' };

const hash = { hex: (text: string): string => createHash('sha256').update(text).digest('hex') };

export interface ServedOptions {
  clock?: Clock;
  store?: Store;
  engine?: Partial<EngineOptions>;
  mcp?: NonNullable<LoomServerOptions['mcp']>;
  page?: NonNullable<LoomServerOptions['page']>;
  uploads?: LoomServerOptions['uploads'];
  limits?: NonNullable<LoomServerOptions['limits']>;
  diskRoom?: NonNullable<LoomServerOptions['diskRoom']>;
  publicUrl?: string;
  pushNetwork?: NonNullable<LoomServerOptions['pushNetwork']>;
  /** Names beside its own by which the server may be called. */
  names?: readonly string[];
}

/** Reads uploads, and keeps nothing of them. */
export const noUploads: LoomServerOptions['uploads'] = {
  async receive(parts) {
    let bytes = 0;
    for await (const part of parts) bytes += part.length;
    return { upload: 'none', bytes };
  },
};

/** A server on a real socket over a store in memory, with the demo as its model. */
export interface Served {
  server: LoomServer;
  engine: LoomEngine;
  store: Store;
  tokens: Tokens;
  url: string;
  /** The owner's. */
  requests: Requests;
  /** Returns requests in the name of another agent. */
  as: (identity: Identity) => Promise<Requests>;
  failures: unknown[];
  /** Returns the records the keeper of tokens got last. */
  kept: () => readonly TokenRecord[];
}

/** Serves Loom until the test ends. */
export async function serveLoom(t: TestContext, options: ServedOptions = {}): Promise<Served> {
  const clock = options.clock ?? realClock;
  const store = options.store ?? createMemoryStore({ now: () => clock.now() });
  let kept: readonly TokenRecord[] = [];
  const keeper = { read: async () => kept, write: async (records: readonly TokenRecord[]) => void (kept = records) };
  let push: unknown;
  const pushKeeper = { read: async () => push, write: async (record: unknown) => void (push = record) };
  const tokens = await openTokens({ keeper, pushKeeper, now: () => clock.now() });
  let last = 0;
  const newId = (): string => `${String(process.hrtime.bigint()).padStart(20, '0')}-${(last += 1)}`;
  const pace = instantClock();
  const engine = new LoomEngine({
    store,
    clock,
    hash,
    ids: { next: newId },
    holder: 'test',
    providers: [createDemoProvider({ clock: pace })],
    tools: demoTools(pace),
    operations: tokenOperations(async () => tokens, plainHtml),
    credentials: { isKept: async (id) => tokens.isKept(id), isValid: async (id) => tokens.isValid(id) },
    ...options.engine,
  });
  const failures: unknown[] = [];
  const blobs = blobsOf(store);
  const server = new LoomServer({
    blobs,
    uploads: options.uploads ?? noUploads,
    engine,
    tokens,
    secrets: store,
    clock,
    newId,
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    ...(options.page === undefined ? {} : { page: options.page }),
    ...(options.pushNetwork === undefined ? {} : { pushNetwork: options.pushNetwork }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.diskRoom === undefined ? {} : { diskRoom: options.diskRoom }),
    onFailure: (error) => void failures.push(error),
  });
  const { names = [], publicUrl } = options;
  await server.listen({ port: 0, names, ...(publicUrl === undefined ? {} : { publicUrl }) });
  const url = server.ownAddress;
  t.after(async () => {
    await engine.rest();
    await server.close();
    await engine.close();
  });
  const as = async (identity: Identity): Promise<Requests> => {
    const { token } = await tokens.create({ identity, isKept: false });
    return new Requests(url, token, engine.operations);
  };
  return { server, engine, store, tokens, url, requests: await as(owner), as, failures, kept: () => kept };
}

const realClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
