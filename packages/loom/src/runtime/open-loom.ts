import { createHash } from 'node:crypto';
import { blocksWithoutTurn, isAboutOneLog, LoomEngine, StoreError } from '@loom/kernel';
import type { Clock, EngineOptions, Hash, Operation, Request, RootState, Store, Tool } from '@loom/kernel';
import { createDemoProvider, demoTools } from '@loom/providers/demo';
import type { LostLog, TornWrite } from '@loom/stores/files';
import { createMemoryStore } from '@loom/stores/memory';
import { finishMigration, machineNodeFiles, NodeFiles, openAdoptingReader, openAdoptingStore } from '@loom/node-files';
import type { Adoption, AdoptionOptions, FilesReport, QuarantinedFile } from '@loom/node-files';
import { Progress } from '../progress.ts';
import type { HeldLock } from '@loom/data-folder/files';
import type { StoreKind } from '@loom/data-folder/store-kind';
import {
  asOnlyWriter,
  findStore,
  findWriter,
  forgetWrites,
  guardFiles,
  guardStore,
  openStore,
  openStoreToLook,
  settleRestoration,
} from '@loom/data-folder';
import type { StoreNews, WriterOptions } from '@loom/data-folder';
import { chooseStore } from './chosen-store.ts';
import { takeInEdits } from './hand-edits.ts';
import { readOldBookmarks } from './old-bookmarks.ts';
import {
  describeAdopted,
  describeDamaged,
  describeDamagedList,
  describeFilesReport,
  describeLost,
  describeLosses,
  describeProblems,
  describeTorn,
  mostLines,
  printFolderNews,
} from './files-note.ts';
import { createSortableIds } from './sortable-ids.ts';

/** The parts of Loom, wired together for one command. */
export interface Loom {
  engine: LoomEngine;
  store: Store;
  clock: Clock;
  /** What was found in node files that had no log. */
  adoption: Adoption;
  /** Logs that turned out to be gone although something in them had been acknowledged, by name. */
  lost: ReadonlyMap<string, LostLog>;
  tools: readonly Tool[];
  hash: Hash;
  /** A new request of the person at the terminal. */
  request: () => Request;
  /** Takes in what other programs have written into the files of a root; `open` does so. */
  check: (root: string) => Promise<void>;
  /** A root as it is once nothing is open any more that a killed process has left. */
  open: (root: string) => Promise<RootState>;
  /** Reads every node file of a root again, and puts right what is not as the log has it. */
  recheck: (root: string) => Promise<void>;
  /** Node files that could not be taken in, and where they are kept. */
  quarantined: () => Promise<QuarantinedFile[]>;
  /** Takes in edits of node files as they are made, from now on: for commands that stay for a while. */
  watch: () => void;
  close: () => Promise<void>;
}

export interface LoomOptions {
  dataDir: string;
  /** What shall keep the logs, if there are none yet; by default the settings say. */
  store?: StoreKind | undefined;
  /** What time it is; the sample forest plays another time than the present. */
  clock?: Clock;
  /** Operations beside the kernel's own. */
  operations?: readonly Operation[];
  /** What paces the demo's words and tools. */
  pace?: Clock;
  /** Whether node files are written beside the logs, and edits of them taken in; by default they are. */
  files?: boolean;
  /** Told what has happened to node files that a person may want to know; by default that goes to the standard error output. */
  note?: (text: string, report: FilesReport) => void;
  /** Told when a write that was cut short has been put aside; by default that goes to the standard error output, too. */
  torn?: (torn: TornWrite) => void;
  /** Told when a log is gone that the node files have to stand in for; by default that goes there, too. A reader is told at the end. */
  lost?: (lost: LostLog) => void;
  /** Told when the list of conversations is damaged and made again; by default that goes there, too. */
  damagedList?: StoreNews['damagedList'];
  /** How long to wait for another writer, in milliseconds; by default so long that a command which is about to end does not refuse. */
  patience?: number;
  /** What keeps other writers out. */
  lock?: WriterOptions['lock'];
}

/** The same for readers; what they are told about files may also be that these were not taken in. */
export type ReaderOptions = Omit<LoomOptions, 'note' | 'lost' | 'damagedList'> & { note?: (text: string) => void };

/** Runs `work` as the only writer of a data directory, which is made if it is not there. */
export function withWriter<Result>(options: LoomOptions, work: (loom: Loom) => Promise<Result>): Promise<Result> {
  const { dataDir, patience, lock } = options;
  const parts = wire(options);
  const writing = {
    ...parts,
    news: printFolderNews,
    ...(patience === undefined ? {} : { patience }),
    ...(lock === undefined ? {} : { lock }),
  };
  return asOnlyWriter(dataDir, writing, (held) =>
    withStore(
      async () => {
        await finishMigration(dataDir);
        const kind = (await findStore(dataDir)) ?? (await chooseStore(dataDir, options.store));
        const {
          torn = (told: TornWrite) => printNote(describeTorn(told)),
          lost: tell = tellOfFew(),
          damagedList = (kept: string | undefined) => printNote(describeDamagedList(kept)),
        } = options;
        const { lost, take } = collectLost(tell);
        const store = guardStore(await openStore(dataDir, kind, { torn, lost: take, damagedList }), held, dataDir);
        const adopting = openAdoptingStore({ store, ...adoptionOptions(dataDir, parts.clock), lost: take });
        return { ...(await orClose(store, adopting)), lost };
      },
      async (opened) => {
        const loom = connect(opened, parts, () => Promise.resolve(true));
        return options.files === false ? loom : withNodeFiles(loom, options, held);
      },
      work,
    ),
  );
}

/** The same, with files beside its logs that people can read and edit. */
async function withNodeFiles(loom: Loom, { dataDir, note = printNote }: LoomOptions, lock: HeldLock): Promise<Loom> {
  const { engine, store, clock, adoption } = loom;
  const progress = new Progress(process.stderr.isTTY ? printNote : () => {});
  const report = (told: FilesReport): void => {
    if (told.type === 'writing') progress.tick(() => describeFilesReport(told).trimEnd());
    // What is wrong with its log is told by the caller that opens it, and a lock that was lost by the log.
    else if (told.type !== 'failed' || !(isAboutOneLog(told.error) || !lock.isInPlace()))
      note(describeFilesReport(told), told);
  };
  const files = await NodeFiles.open({
    directory: dataDir,
    forest: engine.forest,
    store,
    clock,
    files: guardFiles(machineNodeFiles, lock, dataDir),
    takeLedger: (root) => adoption.takeLedger(root),
    report,
  });
  return {
    ...loom,
    check: (root) => files.checkRoot(root),
    async open(root) {
      // What other programs have written into the files comes first.
      await files.checkRoot(root);
      return loom.open(root);
    },
    recheck: (root) => files.recheckRoot(root),
    async quarantined() {
      // What is about to be put aside is waited for; what cannot be written is reported by itself.
      await files.flush().catch(() => {});
      return files.quarantined();
    },
    watch: () => void files.start(),
    async close() {
      const text = describeAdopted(adoption.roots);
      if (text !== '') printNote(text);
      await engine.rest();
      await files.close();
      await loom.close();
    },
  };
}

function printNote(text: string): void {
  process.stderr.write(text);
}

/**
 * Runs `work` with a forest that is only looked at. Makes nothing: where there is none, it is empty. Takes no lock, but for the
 * moment in which edits of the files of a root that is opened are taken in.
 */
export async function withReader<Result>(
  options: ReaderOptions,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = options;
  const isOwnerless = async (state: RootState): Promise<boolean> => {
    const writer = await findWriter(dataDir);
    if (writer !== undefined && blocksWithoutTurn(state).length > 0) return false;
    return [...state.liveTurns].every((turn) => state.turns.get(turn)?.holder !== writer?.holder);
  };
  const parts = wire(options);
  return withStore(
    async () => {
      await settleRestoration(dataDir, printFolderNews);
      const damagedList = (): void => (options.note ?? printNote)(describeDamagedList(undefined));
      const kind = await findStore(dataDir);
      const { lost, take } = collectLost();
      const logs = kind && (await openStoreToLook(dataDir, kind, { lost: take, damagedList }));
      const adopting = { store: createMemoryStore(), ...adoptionOptions(dataDir, parts.clock), lost: take };
      const opening = openAdoptingReader(logs, adopting, { findsUnlisted: kind === 'sqlite' });
      return { ...(await orClose(logs, opening)), lost };
    },
    ({ store, ...opened }) => {
      const looking = { ...parts, snapshotEvery: Infinity, usesSnapshots: true };
      const loom = connect({ store: forgetWrites(store), ...opened }, looking, isOwnerless);
      return Promise.resolve(options.files === false ? loom : withEdits(loom, options));
    },
    (loom) => tellingDamage(loom, options.note ?? printNote, work),
  );
}

/** Afterwards says what could not be read, unless that is why it failed. */
async function tellingDamage<Result>(
  loom: Loom,
  note: (text: string) => void,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  let isTold = false;
  try {
    return await work(loom);
  } catch (error) {
    isTold = error instanceof StoreError;
    throw error;
  } finally {
    const { damaged } = loom.engine.forest;
    const lost = [...loom.lost.values()].filter(({ log }) => !damaged.has(log));
    if (!isTold) note(`${describeDamaged(damaged)}${describeLosses(lost)}`);
  }
}

/** Tells of logs that are lost, until it has told of a few. */
function tellOfFew(): (lost: LostLog) => void {
  let told = 0;
  return (lost) => {
    told += 1;
    if (told <= mostLines) printNote(describeLost(lost));
    else if (told === mostLines + 1) printNote('The same is true of more logs: loom doctor lists them all.\n');
  };
}

/** Remembers what logs are lost, and passes it on. */
function collectLost(tell: (lost: LostLog) => void = () => {}): Pick<OpenedStore, 'lost'> & { take: typeof tell } {
  const lost = new Map<string, LostLog>();
  const take = (told: LostLog): void => {
    if (lost.has(told.log)) return;
    lost.set(told.log, told);
    tell(told);
  };
  return { lost, take };
}

/** The same, with what people have written into the files of a root before it is opened, and what is wrong with them. */
function withEdits(loom: Loom, options: ReaderOptions): Loom {
  const { dataDir, note = printNote } = options;
  const { engine, store, adoption } = loom;
  const checked = new Map<string, Promise<void>>();
  let told = 0;
  const take = async (root: string): Promise<void> => {
    const isTaken = await takeInEdits({ dataDir, store, root, note }, () =>
      withWriter({ ...options, patience: briefly }, (writer) => writer.check(root)),
    );
    // Whatever was read of it before is from before.
    if (isTaken) await engine.forest.log(root).unload();
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
      const text = describeProblems(problems);
      if (text !== '') note(text);
      return state;
    },
  };
}

/** The files of so many roots are looked at by one command. */
export const mostChecked = 20;
/** A reader waits no longer than another reader takes; a chat that runs takes edits in by itself. */
const briefly = 250;

async function withStore<Result>(
  open: () => Promise<OpenedStore>,
  connectTo: (opened: OpenedStore) => Promise<Loom>,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  const opened = await open();
  const loom = await orClose(opened.store, connectTo(opened));
  try {
    return await work(loom);
  } finally {
    await loom.close();
    await opened.store.close();
  }
}

type OpenedStore = Pick<Loom, 'store' | 'adoption' | 'lost'>;

/** A store that is never used is closed. */
async function orClose<Opened>(store: Store | undefined, opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening;
  } catch (error) {
    await store?.close();
    throw error;
  }
}

function adoptionOptions(dataDir: string, clock: Clock): Omit<AdoptionOptions, 'store'> {
  return { directory: dataDir, clock, bookmarks: () => readOldBookmarks(dataDir) };
}

type Parts = Omit<EngineOptions, 'store' | 'tools'> & { tools: readonly Tool[] };

function wire({
  clock = systemClock,
  pace = clock,
  operations = [],
}: Pick<LoomOptions, 'clock' | 'pace' | 'operations'>): Parts {
  const ids = createSortableIds();
  return {
    clock,
    ids,
    hash,
    providers: [createDemoProvider({ clock: pace })],
    tools: demoTools(pace),
    operations,
    holder: `loom-${process.pid}-${ids.next()}`,
    // Only writers run turns, and a writer has the directory for itself.
    exclusive: true,
    // A defect, but none that may end the process: the log goes on, and so do all other listeners.
    listenerFailed: (error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)),
  };
}

function connect(
  { store, adoption, lost }: OpenedStore,
  parts: Parts,
  isOwnerless: (state: RootState) => Promise<boolean>,
): Loom {
  const engine = new LoomEngine({ store, ...parts, isOwnerless });
  return {
    engine,
    store,
    clock: parts.clock,
    adoption,
    lost,
    tools: parts.tools,
    hash,
    request: () => ({ agent: 'person', id: parts.ids.next() }),
    check: () => Promise.resolve(),
    recheck: () => Promise.resolve(),
    quarantined: () => Promise.resolve([]),
    watch: () => {},
    close: () => engine.close(),
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
