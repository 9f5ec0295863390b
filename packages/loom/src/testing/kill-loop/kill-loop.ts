import { rounds } from '@loom/blocks/testing';
import { LoomEngine } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { openStore } from '@loom/data-folder';
import { createSortableIds } from '../../runtime/sortable-ids.ts';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { Acknowledged } from './acknowledged.ts';
import type { Acknowledgement } from './acknowledgement.ts';
import { WriterProcess } from './writer-process.ts';

/** The report of a loop of kills. */
export interface KillReport {
  kills: number;
  acknowledged: number;
  /** The acknowledged records that are missing, and those that should not be there. */
  findings: string[];
}

export interface KillLoopOptions {
  directory: string;
  /** The store of the logs. */
  store: StoreKind;
  kills: number;
  /** A number from 0 up to a limit; decides when a writer is killed. */
  below: (limit: number) => number;
  /** The planted fault: acknowledgements that come too early, or no recovery of turns left open. */
  fault?: 'early' | 'unrecovered';
  /** The share of the deep run's remaining time. Default: as much as the kills take. */
  share?: number;
}

/**
 * Starts a process that writes as fast as it can, kills it at some moment, and looks whether everything that it had acknowledged
 * is there and nothing is left open; again and again on the same data folder.
 */
export async function runKillLoop({
  directory,
  store,
  kills,
  below,
  fault,
  share = Infinity,
}: KillLoopOptions): Promise<KillReport> {
  const report: KillReport = { kills: 0, acknowledged: 0, findings: [] };
  const acknowledged = new Acknowledged();
  for (const round of rounds((done) => done >= kills, share)) {
    report.kills = round;
    const writer = new WriterProcess({ directory, store, manner: fault ?? 'plain' });
    const least = 1 + below(80);
    await writer.writeUntil((heard) => heard.length > least && (fault !== 'unrecovered' || isAnswering(heard)));
    await writer.writeFor(below(20));
    await writer.kill();
    report.acknowledged += writer.heard.length;
    for (const told of writer.heard) acknowledged.take(told);
    if (writer.heard.length === 0 || acknowledged.root === undefined) continue;
    const state = await openAfterCrash(await openStore(directory, store), acknowledged.root, fault !== 'unrecovered');
    const findings = acknowledged.findings(state);
    report.findings.push(...findings.map((finding) => `after kill ${round}: ${finding}`));
    if (findings.length > 0) break;
  }
  return report;
}

/** Returns true if an answer has begun: nothing else can be left open. */
function isAnswering(heard: readonly Acknowledgement[]): boolean {
  return heard.some(({ type }) => type === 'words');
}

/** The number of acknowledgements for each kill that makes the loop worth something. */
export const worthwhile = 5;

/** The conversation as the next process finds it. */
async function openAfterCrash(store: Store, root: string, recovers: boolean): Promise<RootState> {
  const ids = createSortableIds();
  const clock = { now: Date.now, after: () => () => {} };
  const hash = { hex: (text: string) => String(text.length) };
  const options = { store, clock, ids, hash, providers: [], tools: [], holder: 'looker', exclusive: true };
  const engine = new LoomEngine(options);
  if (recovers) await engine.recover(root);
  const log = engine.forest.log(root);
  const state = await log.state();
  const whole = await new LoomEngine({ ...options, snapshotEvery: Infinity }).forest.log(root).state();
  if (whole.seq !== state.seq || whole.nodes.size !== state.nodes.size) throw new Error('the snapshot is not the log');
  await engine.close();
  await store.close();
  return state;
}
