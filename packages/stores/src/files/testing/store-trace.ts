import type { Store } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import type { FilesPort } from '../../disk/files-port.ts';
import type { SimulationPlan } from '../../testing/simulated-files.ts';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { seededRandom } from '@loom/kernel/testing';
import { openFileSystemStore } from '../index.ts';
import { StoreHistory } from './store-history.ts';

/** The parameters of a trace: everything follows from the seed, and from the planned failures. */
export interface TraceOptions {
  seed: number;
  plan?: SimulationPlan;
  /** Puts a mistake between the store and its files. */
  plant?: (files: FilesPort) => FilesPort;
}

/** The outcome of a trace. */
export interface TraceEnd {
  /** The number of calls made before the end. */
  calls: number;
  /** The number of works that failed with a `StoreError`. */
  failures: number;
}

/**
 * A random life of a store on a simulated disk: appends beside each other, folds, reads, leases, client ids, blobs, and a process that
 * is killed in between. At the planned crash the power is cut, sometimes after another process has read what the first one left.
 * Throws if anything that was acknowledged or read is lost, torn or doubled.
 */
export async function runTrace({ seed, plan = {}, plant = (files) => files }: TraceOptions): Promise<TraceEnd> {
  const random = seededRandom(seed);
  const disk = new SimulatedFiles(seededRandom(seed + 7919 * (plan.crashAt ?? plan.fail?.at ?? 0)), plan);
  const open = (): Promise<Store> =>
    openFileSystemStore({ directory: '/home/data', files: plant(disk.boot()), now: () => disk.calls });
  const history = new StoreHistory(() => disk.crashed);
  let failures = 0;
  // A failure may be the planned one; a work that was begun after it has no reason to fail.
  const survive = async (work: () => Promise<unknown>): Promise<void> => {
    const before = failures;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreError) || !['store-failed', 'store-denied'].includes(error.code)) throw error;
      if (!disk.crashed && (plan.fail === undefined || before > 0)) throw error;
      failures += 1;
    }
  };
  let store: Store | undefined;
  const reopen = (): Promise<void> => survive(async () => (store = await open()));
  for (let step = 0; step < steps && !disk.crashed; step += 1) {
    if (store === undefined) await reopen();
    else if (random() < 0.1) await reopen();
    else await Promise.all(chooseWorks(history, store, random).map(survive));
  }
  const { calls } = disk;
  if (disk.crashed && random() < 0.3) await history.check(await open(), logs);
  disk.cutPower();
  store = await open();
  await history.check(store, logs);
  // Now and then also that it goes on from there.
  if (random() < 0.3) {
    for (const log of logs) await history.append(store, log, [history.newText(9)], await history.read(store, log));
    disk.cutPower();
    await history.check(await open(), logs);
  }
  return { calls, failures };
}

const steps = 10;
const logs = ['root-1', 'forest'];

type Work = () => Promise<unknown>;

/** Chooses the works that run at the same time in one step. */
function chooseWorks(history: StoreHistory, store: Store, random: () => number): Work[] {
  const number = (below: number): number => Math.floor(random() * below);
  const works: Work[] = [];
  const count = 1 + number(3);
  for (let index = 0; index < count; index += 1) {
    const log = logs[number(2)] ?? '';
    const appends = Array.from({ length: 1 + number(3) }, () =>
      Array.from({ length: 1 + number(3) }, () => history.newText(number(4) === 0 ? 900 : number(60))),
    );
    const [kind, folded] = [number(14), random()];
    if (kind === 0) works.push(() => history.takeClientId(store));
    else if (kind === 1) works.push(() => history.takeLease(store));
    else if (kind === 2) works.push(() => history.putBlob(store));
    else if (kind === 3) works.push(() => foldSome(history, store, log, folded));
    else if (kind === 4) works.push(() => history.writeBlob(store));
    else if (kind <= 6) works.push(() => history.growSpool(store, `spool ${kind}`, folded));
    else if (kind === 7) works.push(() => history.sweepBlobs(store));
    else works.push(() => appendAll(history, store, log, appends));
  }
  return works;
}

/** Appends after each other without waiting for the answers, as a kernel does that writes on its pending tip. */
async function appendAll(history: StoreHistory, store: Store, log: string, appends: string[][]): Promise<void> {
  const known = await history.read(store, log);
  let seq = known?.seq ?? 0;
  const answers = appends.map((texts, index) => {
    const answer = history.append(store, log, texts, known && { epoch: known.epoch, seq });
    if (known !== undefined) seq += texts.length;
    // Behind one that was too late it knows more than there is.
    return index === 0 ? answer : answer.catch(ignoreLoss);
  });
  for (const answer of await Promise.allSettled(answers)) if (answer.status === 'rejected') throw answer.reason;
}

function ignoreLoss(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== 'store-corrupt') throw error;
}

async function foldSome(history: StoreHistory, store: Store, log: string, choice: number): Promise<void> {
  const known = await history.read(store, log);
  if (known === undefined) return;
  const ends = [0, ...known.ends];
  const start = Math.floor(choice * known.ends.length);
  const [after = 0, seq = 0] = [ends[start], ends[Math.min(start + 2, known.ends.length)]];
  if (seq > after) await history.fold(store, log, { epoch: known.epoch, after, seq });
}
