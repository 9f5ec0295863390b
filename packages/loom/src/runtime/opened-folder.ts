import { createHash } from 'node:crypto';
import { lookIntoFolder, openFolder, takeInEdits } from '@loom/data-folder';
import type { FolderFiles, FolderOptions, TellFolderNews, WriterDoor } from '@loom/data-folder';
import { folderKind } from '../command-line/store-kind.ts';
import type { StoreChoice } from '../command-line/store-kind.ts';
import { LoomEngine } from '@loom/kernel';
import { blobsOf, StoreError } from '@loom/kernel/store';
import type {
  Clock,
  CredentialPort,
  EngineOptions,
  Hash,
  Operation,
  Provider,
  RootState,
  SpendingLimits,
  TitleModelPort,
  Tool,
} from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import type { TextIndex } from '@loom/kernel/search';
import { createDemoProvider, demoTools } from '@loom/providers/demo';
import { createTools } from '@loom/tools';
import type { Toolbox, ToolSettingsPort } from '@loom/tools';
import type { ConfigRules } from '../config/rule-port.ts';
import { hostOperations } from '../host/host-operations.ts';
import { lateSessionPort } from '../host/session-port.ts';
import { createAgents } from '../models/agents/agents.ts';
import { createScratchFolders } from '../models/agents/scratch-folders.ts';
import { createModels, type Models } from '../models/models.ts';
import type { Adoption, QuarantinedFile } from '@loom/node-files';
import { lateProcessPort } from '../processes/late-process-port.ts';
import { orFail } from '../words/refusal-error.ts';
import { keepCalls } from './call-keeping.ts';
import { chooseStore } from './chosen-store.ts';
import { copiesIn } from './folder-copies.ts';
import { describeDamaged, describeLosses, tellNews } from './files-note.ts';
import { readOldBookmarks } from './old-bookmarks.ts';
import type { Loom } from './loom.ts';
import { createSortableIds } from './sortable-ids.ts';
import { systemClock } from './system-clock.ts';
import { warn } from './warn.ts';

/** The parts of Loom, wired together over a data folder that this process has opened. */
export interface OpenedFolder extends Loom {
  engine: LoomEngine;
  store: Store;
  /** The nodes found in node files that had no log. */
  adoption: Adoption;
  /** Reads every node file of a root again, and puts right what is not as the log has it. */
  recheck: (root: string) => Promise<void>;
  /** Node files that could not be taken in, and where they are kept. */
  quarantined: () => Promise<QuarantinedFile[]>;
  /** Tells other processes that want to write where this one can be talked to, and what lets them in. */
  announce: (address: string, door: WriterDoor) => Promise<void>;
  close: () => Promise<void>;
}

/** The parts to wire an engine with. */
export interface WiringOptions {
  /** The folder whose settings hold keys; without one those of the environment are known. */
  dataDir?: string;
  /** The clock; the sample forest plays another time than the present. */
  clock?: Clock;
  /** The clock that paces the demo's words and tools. */
  pace?: Clock;
  /** By default the demo, and `models`. */
  providers?: readonly Provider[];
  /** The models of the configuration. */
  models?: Models;
  /** By default Loom's own, and those of the demo. */
  tools?: readonly Tool[];
  /** Operations beside those of the kernel. */
  operations?: readonly Operation[];
  /** Searches conversations without opening them. */
  index?: TextIndex;
  /** True for a process that serves the page: conversations get titles on their own there. Default: false. */
  givesTitles?: boolean;
  /** Knows the credentials of callers; without it nothing ends with one. */
  credentials?: CredentialPort;
}

export interface LoomOptions extends WiringOptions, Pick<FolderOptions, 'patience' | 'lock' | 'address'> {
  dataDir: string;
  /** The store for the logs, if there are none yet, or one without a folder; by default the settings decide. */
  store?: StoreChoice | undefined;
  /** True if node files are written beside the logs, and edits of them taken in; by default they are. */
  files?: boolean;
  /** Told in words what a person may want to know; by default that goes to the standard error output. */
  note?: (text: string) => void;
  /** Told the same as data, instead. */
  news?: TellFolderNews;
}

/** Runs `work` as the only writer of a data directory, which is made if it is not there. */
export async function withWriter<Result>(
  options: LoomOptions,
  work: (loom: OpenedFolder) => Promise<Result>,
): Promise<Result> {
  return closing(await openWriter(options), work);
}

/**
 * Runs `work` with a forest that is only looked at. Makes nothing: where there is none, it is empty. Takes no lock, but for the
 * moment in which edits of the files of a root that is opened are taken in.
 */
export async function withReader<Result>(
  options: LoomOptions,
  work: (loom: OpenedFolder) => Promise<Result>,
): Promise<Result> {
  const { note = printNote } = options;
  return closing(await openReader(options), (loom) => tellingDamage(loom, note, work));
}

async function closing<Result>(loom: OpenedFolder, work: (loom: OpenedFolder) => Promise<Result>): Promise<Result> {
  try {
    return await work(loom);
  } finally {
    await loom.close();
  }
}

/** Opens a data folder as its only writer, and wires an engine over it. */
export async function openWriter(options: LoomOptions): Promise<OpenedFolder> {
  const { dataDir, models = createModels({ dataDir, env: process.env, clock: options.clock ?? systemClock }) } =
    options;
  const parts = wire({ ...options, models, operations: withHost(models, options) });
  const folder = await openFolder({ ...options, ...parts, ...folderParts(options) });
  try {
    let takeIn = nothingToTakeIn;
    const beforeOpen = (root: string): Promise<void> => takeIn(root);
    // A writer has the folder for itself.
    const isOwnerless = (): Promise<boolean> => Promise.resolve(true);
    const late: { files?: FolderFiles } = {};
    const copies = copiesIn(dataDir, { blobs: blobsOf(folder.store), index: options.index, files: () => late.files });
    const opened = connect({ ...folder, ...parts, dataDir, exclusive: true, isOwnerless, beforeOpen, copies });
    const loom: OpenedFolder = { ...opened, announce: (address, door) => folder.announce(address, door) };
    const { engine } = loom;
    const files = options.files === false ? undefined : await folder.keepFiles(engine.forest);
    if (files === undefined) return loom;
    late.files = files;
    takeIn = (root) => files.check(root);
    return {
      ...loom,
      ...files,
      async open(root) {
        // Edits of the files by other programs come first.
        await files.check(root);
        return loom.open(root);
      },
      async close() {
        try {
          await engine.rest();
          await files.close();
        } finally {
          await loom.close();
        }
      },
    };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Opens a data folder to look at it, and wires an engine over it. */
export async function openReader(options: LoomOptions): Promise<OpenedFolder> {
  const { dataDir, models = createModels({ dataDir, env: process.env, clock: options.clock ?? systemClock }) } =
    options;
  // Most commands that read ask for none of the host's, and their schemas take a moment to make.
  const wired = wire(options);
  const late = (): readonly Operation[] => [...withHost(models, options), ...wired.toolbox.operations];
  const parts = { ...wired, operations: options.operations === undefined ? late : late() };
  const folder = await lookIntoFolder({ ...parts, ...folderParts(options) });
  let takeIn = nothingToTakeIn;
  const beforeOpen = (root: string): Promise<void> => takeIn(root);
  const snapshots = { snapshotEvery: Infinity, usesSnapshots: true };
  const loom = connect({ ...folder, ...parts, dataDir, exclusive: true, ...snapshots, beforeOpen });
  if (options.files === false) return loom;
  const edited = withEdits(loom, options);
  takeIn = edited.check;
  return edited;
}

function withHost(models: Models, { operations = [] }: WiringOptions): readonly Operation[] {
  return [...hostOperations(models), ...operations];
}

/** An engine is there before the files that belong to its forest. */
function nothingToTakeIn(_root: string): Promise<void> {
  return Promise.resolve();
}

function folderParts(options: LoomOptions): Pick<FolderOptions, 'dataDir' | 'chooseStore' | 'bookmarks' | 'news'> {
  const { dataDir, store, note = printNote, news = tellNews(note) } = options;
  return {
    dataDir,
    news,
    chooseStore: () => chooseStore(dataDir, folderKind(store)),
    bookmarks: () => readOldBookmarks(dataDir),
  };
}

/** Prints a remark for a person, apart from the results. */
export function printNote(text: string): void {
  process.stderr.write(text);
}

/** Afterwards says what could not be read, unless that is why it failed. */
async function tellingDamage<Result>(
  loom: OpenedFolder,
  note: (text: string) => void,
  work: (loom: OpenedFolder) => Promise<Result>,
): Promise<Result> {
  let isTold = false;
  try {
    return await work(loom);
  } catch (error) {
    isTold = error instanceof StoreError;
    throw error;
  } finally {
    const { damaged } = loom;
    const lost = [...loom.lost.values()].filter(({ log }) => !damaged.has(log));
    if (!isTold) note(`${describeDamaged(damaged)}${describeLosses(lost)}`);
  }
}

/** The same, with what people have written into the files of a root before it is opened, and what is wrong with them. */
function withEdits(loom: OpenedFolder, options: LoomOptions): OpenedFolder {
  const { dataDir, news } = folderParts(options);
  const { engine, store, adoption } = loom;
  const checked = new Map<string, Promise<void>>();
  let told = 0;
  const take = async (root: string): Promise<void> => {
    const isTaken = await takeInEdits({ dataDir, store, root, news }, () =>
      withWriter({ ...options, patience: briefly }, (writer) => writer.check(root)),
    );
    // The state read before is out of date.
    if (isTaken) await engine.forest.log(root).release();
  };
  const check = (root: string): Promise<void> => {
    // A command that reads everything there is does not wait for a check of every file.
    if (checked.size === mostChecked && !checked.has(root)) return Promise.resolve();
    const checking = checked.get(root) ?? take(root);
    checked.set(root, checking);
    return checking;
  };
  return {
    ...loom,
    check,
    async open(root) {
      await check(root);
      const state = await loom.open(root);
      const problems = adoption.problems.slice(told);
      told = adoption.problems.length;
      if (problems.length > 0) news({ type: 'unreadable-files', problems });
      return state;
    },
  };
}

/** The files of so many roots are looked at by one command. */
export const mostChecked = 20;
/** The longest wait of a reader, in milliseconds: no longer than another reader takes; a running chat takes edits in itself. */
const briefly = 250;

type Parts = Omit<EngineOptions, 'store'> & { toolbox: Toolbox };

/** Returns the parts of an engine besides a store. */
export function wire(options: WiringOptions): Parts {
  const {
    clock = systemClock,
    pace = clock,
    providers,
    models,
    tools,
    operations = [],
    index,
    dataDir,
    credentials,
    givesTitles = false,
  } = options;
  const demo = createDemoProvider({ clock: pace });
  const ids = createSortableIds();
  const processes = lateProcessPort(clock);
  const { env: environment } = models?.source ?? process;
  const rules = dataDir === undefined ? undefined : lateRules(dataDir, clock);
  const place = dataDir === undefined ? {} : { dataDir };
  const kept = rules === undefined ? {} : { rules };
  const settings = dataDir === undefined || models === undefined ? {} : { settings: lateToolSettings(dataDir, models) };
  const made = createTools({
    clock,
    processes,
    environment,
    platform: process.platform,
    ...place,
    ...kept,
    ...settings,
  });
  const close = async (): Promise<void> => {
    await made.close();
    await rules?.close();
  };
  const toolbox = { ...made, close };
  const changes = toolbox.turnChanges;
  const own = tools ?? [...toolbox.tools, ...demoTools(pace)];
  const agents = models === undefined ? [] : createAgents({ models, clock, processes, changes });
  return {
    clock,
    ids,
    hash,
    toolbox,
    agentPrompts: toolbox.prompts,
    folders: toolbox.folders,
    providers: () => [...(providers ?? [demo, ...(models?.providers() ?? []), ...agents]), ...toolbox.providers],
    ...(models === undefined
      ? {}
      : {
          catalogue: models.limits,
          tokenizer: models.tokenizer,
          spendingLimits: () => spendingLimits(models),
          titleModels: lateTitleModels(models, givesTitles),
        }),
    tools: () => toolbox.withServers(own),
    ...('settings' in settings ? { toolsReady: toolbox.toolsReady, isToolOff: toolbox.isToolOff } : {}),
    operations: [...operations, ...toolbox.operations],
    sessions: lateSessionPort(environment['HOME'] ?? process.cwd()),
    processes,
    ...(models === undefined ? {} : { scratch: createScratchFolders(environment) }),
    ...kept,
    ...(index === undefined ? {} : { index }),
    ...(credentials === undefined ? {} : { credentials }),
    keepCalls: keepCalls(dataDir),
    holder: `loom-${process.pid}-${ids.next()}`,
    random: Math.random,
    // A defect, but none that may end the process: the log goes on, and so do all other listeners.
    listenerFailed: warn,
  };
}

/** Chooses models for titles; its code is loaded when the first is wanted. */
function lateTitleModels(models: Models, isServing: boolean): TitleModelPort {
  const port = async (): Promise<TitleModelPort> =>
    (await import('../models/title-models.ts')).titleModels(models, isServing);
  return {
    usual: async () => (await port()).usual(),
    afterAnswer: async (provider) => (isServing ? (await port()).afterAnswer(provider) : undefined),
  };
}

/** Returns the limits of the settings as they are now. */
async function spendingLimits(models: Models): Promise<SpendingLimits> {
  const { limits } = await models.config();
  return { turn: limits.turn_usd, day: limits.day_usd };
}

/** Keeps the settings about tools; its code is loaded when they are first needed. */
function lateToolSettings(dataDir: string, models: Models): ToolSettingsPort {
  let loading: Promise<ToolSettingsPort> | undefined;
  const load = async (): Promise<ToolSettingsPort> =>
    (await import('../host/tool-settings.ts')).configToolSettings({ dataDir, read: () => models.config() });
  const port = (): Promise<ToolSettingsPort> => (loading ??= load());
  return {
    read: async () => (await port()).read(),
    switchTools: async (names, isOn) => (await port()).switchTools(names, isOn),
    readSeen: async () => (await port()).readSeen(),
    writeSeen: async (server, tools) => (await port()).writeSeen(server, tools),
  };
}

/** Keeps permissions in config.toml; its code is loaded when they are first needed. */
function lateRules(dataDir: string, clock: Clock): ConfigRules {
  let loading: Promise<ConfigRules> | undefined;
  const load = async (): Promise<ConfigRules> =>
    (await import('../config/rule-port.ts')).configRules({ dataDir, clock });
  const port = (): Promise<ConfigRules> => (loading ??= load());
  return {
    list: async () => (await port()).list(),
    add: async (rule, by) => (await port()).add(rule, by),
    remove: async (id) => (await port()).remove(id),
    uses: async () => (await port()).uses(),
    used: (rule) => void port().then((rules) => rules.used(rule)),
    close: async () => (await loading)?.close(),
  };
}

interface Connection extends EngineOptions, Pick<OpenedFolder, 'dataDir' | 'lost' | 'close'> {
  acknowledgeLosses?: () => Promise<number>;
  toolbox: Toolbox;
}

interface FolderConnection extends Connection, Pick<OpenedFolder, 'adoption'> {
  isOwnerless: (state: RootState) => Promise<boolean>;
}

function connect({ adoption, ...parts }: FolderConnection): OpenedFolder {
  return { ...connectEngine(parts), adoption };
}

/** Makes an engine over a store, and of it what commands work with. */
export function connectEngine({
  dataDir,
  lost,
  close,
  acknowledgeLosses,
  toolbox,
  ...parts
}: Connection): Omit<OpenedFolder, 'adoption'> {
  // A process that only looks changes nothing, not even which losses are reported.
  const losses = { lost, acknowledge: acknowledgeLosses ?? (() => Promise.resolve(0)) };
  const engine = new LoomEngine({ ...parts, losses });
  const { store, clock, ids } = parts;
  const newId = (): string => ids.next();
  return {
    dataDir,
    engine,
    store,
    clock,
    lost,
    hash,
    damaged: engine.forest.damaged,
    newId,
    call: (name, params, agent = 'person') =>
      engine.call(name, { agent, type: 'person', role: 'owner', id: newId(), door: 'command' }, params),
    peek: (root) => engine.forest.stateUnlessDamaged(root),
    verify: (root) => engine.forest.verify(root),
    check: () => Promise.resolve(),
    recheck: () => Promise.resolve(),
    quarantined: () => Promise.resolve([]),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (id) => store.getBlob(id),
    async follow(root, hearing) {
      const { RoomFeed } = await import('./room-feed.ts');
      return new RoomFeed({ engine, clock, newId }, root, hearing);
    },
    async turnOver(turn) {
      await engine.turns.wait(turn);
    },
    idle: () => engine.turns.idle(),
    watch: () => {},
    announce: () => Promise.resolve(),
    async close() {
      try {
        await engine.close();
        await toolbox.close();
      } finally {
        await close();
      }
    },
    open: async (root) => orFail(await engine.open(root)),
  };
}

const hash: Hash = { hex: (text) => createHash('sha256').update(text).digest('hex') };
