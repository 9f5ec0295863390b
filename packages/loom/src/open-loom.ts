import type { z } from 'zod';
import type { FolderOptions, TellFolderNews } from '@loom/data-folder';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { LoomEngine } from '@loom/kernel';
import type {
  Caller,
  Cursor,
  FeedEvent,
  FeedItem,
  Operation,
  Outcome,
  ParamsOf,
  ResultOf,
  RootState,
} from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { resolveDataDir } from './command-line/data-dir.ts';
import { openWriter, wire } from './runtime/opened-folder.ts';
import type { WiringOptions } from './runtime/opened-folder.ts';
import { ConfigError } from './config/config-error.ts';
import { createModels } from './models/models.ts';
import { systemClock } from './runtime/system-clock.ts';

export interface OpenLoomOptions<Own extends readonly Operation[] = []>
  extends Pick<WiringOptions, 'clock' | 'providers' | 'tools'>, Pick<FolderOptions, 'patience' | 'address'> {
  /** Operations beside those of the kernel. */
  operations?: Own;
  /** The data folder, which is made if it is not there; by default LOOM_DATA_DIR, else ~/.loom. */
  dataDir?: string;
  /** A store to use instead of a data folder. It stays open when Loom is closed. */
  store?: Store;
  /** The store for the logs of a new data folder; by default its settings decide. */
  storeKind?: StoreKind;
  /** The name under which changes are kept; by default `person`. */
  agent?: string;
  /** Receives news about the data folder that a person may want to know; by default there are none. */
  news?: TellFolderNews;
}

/** Loom, opened by a program: its operations, and the events of its conversations. */
export interface Loom<Own extends readonly Operation[] = []> extends AsyncDisposable {
  /** Asks for an operation, in the name of the program that has opened Loom. */
  call<Name extends string>(name: Name, params: Params<Own, Name>): Promise<Outcome<Result<Own, Name>>>;
  /** All operations that `call` takes. */
  readonly operations: readonly Operation[];
  /** Opens a conversation, after closing turns that a killed process has left open. Valid until the next await. Refuses one that does not exist. */
  open(root: string): Promise<Outcome<RootState>>;
  /** Returns the events of a conversation from a place in its log on, or from the answer on, as they become durable. */
  feed(root: string, cursor?: Cursor): Promise<Outcome<AsyncIterable<FeedItem<FeedEvent>>>>;
  readonly engine: LoomEngine;
  /** Ends running turns, writes the rest and lets other writers in. Idempotent. */
  close(): Promise<void>;
}

/** The parameters and result of an operation, of those that the opener has added or of the kernel's. */
type Params<Own extends readonly Operation[], Name extends string> = Name extends Own[number]['name']
  ? z.input<Extract<Own[number], { name: Name }>['params']>
  : ParamsOf<Name>;
type Result<Own extends readonly Operation[], Name extends string> = Name extends Own[number]['name']
  ? z.output<Extract<Own[number], { name: Name }>['result']>
  : ResultOf<Name>;

/**
 * Opens Loom over a data folder, as its only writer, or over a given store. Another process that wants to write to the folder meanwhile is
 * refused with a `FolderError` that names this one, as this one is if another one writes.
 */
export async function openLoom<const Own extends readonly Operation[] = []>(
  options: OpenLoomOptions<Own> = {},
): Promise<Loom<Own>> {
  const { agent = 'person' } = options;
  const opened = options.store === undefined ? await openOverFolder(options) : openOverStore(options.store, options);
  const { engine } = opened;
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => (closing ??= opened.close());
  const caller = (): Caller => ({ agent, type: 'person', role: 'owner', id: opened.newId(), door: 'library' });
  function call<Name extends string>(name: Name, params: Params<Own, Name>): Promise<Outcome<Result<Own, Name>>>;
  function call(name: string, params: unknown): Promise<Outcome<unknown>> {
    return engine.call(name, caller(), params);
  }
  return {
    engine,
    operations: engine.operations,
    open: (root) => engine.open(root),
    call,
    feed: (root, cursor) => engine.feed(root, cursor),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

function orConfigError(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
}

interface Opened {
  engine: LoomEngine;
  close: () => Promise<void>;
  newId: () => string;
}

async function openOverFolder(options: OpenLoomOptions<readonly Operation[]>): Promise<Opened> {
  const { storeKind, news = () => {} } = options;
  const dataDir = resolveDataDir(options.dataDir, process.env);
  const models = createModels({ dataDir, env: process.env, clock: options.clock ?? systemClock });
  // Settings that cannot be read do not hinder the opening; the next call of a model reports the problem.
  if (options.providers === undefined) await models.load().catch(orConfigError);
  const loom = await openWriter({ ...options, dataDir, store: storeKind, news, models });
  loom.watch();
  return loom;
}

/** Other processes may write to a store that is given: turns are left to the one that holds their lease. */
function openOverStore(store: Store, options: OpenLoomOptions<readonly Operation[]>): Opened {
  const { toolbox, ...parts } = wire(options);
  const engine = new LoomEngine({ store, ...parts });
  engine.keepWatch();
  return {
    engine,
    newId: () => parts.ids.next(),
    async close() {
      await engine.close();
      await toolbox.close();
    },
  };
}
