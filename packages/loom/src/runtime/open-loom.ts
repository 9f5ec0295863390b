import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { blocksWithoutTurn, LoomEngine, StoreError } from '@loom/kernel';
import type { Clock, EngineOptions, Hash, Request, RootState, Store, Tool } from '@loom/kernel';
import { createDemoProvider, demoTools } from '@loom/providers/demo';
import { createMemoryStore } from '@loom/stores/memory';
import { openSqliteStore } from '@loom/stores/sqlite';
import { LoomError } from '../failure.ts';
import { forgetWrites } from './forgetful-store.ts';
import { createSortableIds } from './sortable-ids.ts';
import { asOnlyWriter, findWriter } from './writer-lock.ts';

/** The parts of Loom, wired together for one command. */
export interface Loom {
  engine: LoomEngine;
  tools: readonly Tool[];
  hash: Hash;
  /** A new request of the person at the terminal. */
  request: () => Request;
  /** A root as it is once nothing is open any more that a dead process has left. */
  open: (root: string) => Promise<RootState>;
}

export interface LoomOptions {
  dataDir: string;
  /** What time it is; the sample forest plays another time than the present. */
  clock?: Clock;
  /** What paces the demo's words and tools. */
  pace?: Clock;
}

/** Runs `work` as the only writer of a data directory, which is made if it is not there. */
export function withWriter<Result>(options: LoomOptions, work: (loom: Loom) => Promise<Result>): Promise<Result> {
  const { dataDir } = options;
  const parts = wire(options);
  return asOnlyWriter(dataDir, parts.holder, () =>
    withStore(
      () => openSqliteStore({ directory: dataDir }),
      (store) => connect(store, parts, () => Promise.resolve(true)),
      work,
    ),
  );
}

/** Runs `work` with a forest that is only looked at. Takes no lock and makes nothing: where there is none, it is empty. */
export async function withReader<Result>(options: LoomOptions, work: (loom: Loom) => Promise<Result>): Promise<Result> {
  const { dataDir } = options;
  const isOwnerless = async (state: RootState): Promise<boolean> => {
    const writer = await findWriter(dataDir);
    if (writer !== undefined && blocksWithoutTurn(state).length > 0) return false;
    return [...state.liveTurns].every((turn) => state.turns.get(turn)?.holder !== writer?.holder);
  };
  return withStore(
    async () => (existsSync(join(dataDir, 'loom.db')) ? openSqliteStore({ directory: dataDir }) : createMemoryStore()),
    (store) => connect(forgetWrites(store), wire(options), isOwnerless),
    work,
  );
}

async function withStore<Result>(
  open: () => Promise<Store>,
  connectTo: (store: Store) => Loom,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  try {
    const store = await open();
    const loom = connectTo(store);
    try {
      return await work(loom);
    } finally {
      await loom.engine.close();
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new LoomError(error.code, error.message, { advice: error.advice, cause: error });
  }
}

type Parts = Omit<EngineOptions, 'store'>;

function wire({ clock = systemClock, pace = clock }: LoomOptions): Parts {
  const ids = createSortableIds();
  return {
    clock,
    ids,
    hash,
    providers: [createDemoProvider({ clock: pace })],
    tools: demoTools(pace),
    holder: `loom-${process.pid}-${ids.next()}`,
    // Only writers run turns, and a writer has the directory for itself.
    exclusive: true,
  };
}

function connect(store: Store, parts: Parts, isOwnerless: (state: RootState) => Promise<boolean>): Loom {
  const engine = new LoomEngine({ store, ...parts });
  return {
    engine,
    tools: parts.tools,
    hash,
    request: () => ({ agent: 'person', id: parts.ids.next() }),
    async open(root) {
      const log = engine.forest.log(root);
      const state = await log.state();
      const isOpen = state.liveTurns.size > 0 || blocksWithoutTurn(state).length > 0;
      if (!isOpen || !(await isOwnerless(state))) return state;
      await engine.recover(root);
      return log.state();
    },
  };
}

const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

const hash: Hash = { hex: (text) => createHash('sha256').update(text).digest('hex') };
