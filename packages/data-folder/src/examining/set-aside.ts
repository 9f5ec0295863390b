import { join, relative } from 'node:path';
import {
  forestLogName,
  homeCodec,
  isHomeLog,
  rootCodec,
  setUnreadableAside,
  setUnreadableHomeAside,
} from '@loom/kernel/logs';
import { isAboutOneLog } from '@loom/kernel/store';
import type { UnreadableChange } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { LogRecord, LogRewrite } from '@loom/kernel/store';
import type { DamagedLog } from '@loom/stores/files';
import { encodeName } from '@loom/stores/disk';
import { machineNodeFiles, Quarantine } from '@loom/node-files';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import type { TellFolderNews } from '../folder-news.ts';
import { findStore, openStore } from '../opening/data-store.ts';
import { asOnlyWriter } from '../opening/writer-lock.ts';
import { maintenanceOf } from '../upkeep/store-maintenance.ts';
import type { SetAside } from './examination.ts';

export interface SetAsideOptions {
  news: TellFolderNews;
  /** Returns the text beside the kept changes, for people who look there. */
  describe: (log: string, changes: readonly UnreadableChange[]) => string;
}

/** Takes unreadable or misfit changes out of their logs, so that the rest of the conversations opens, and keeps each unchanged in quarantine. */
export function setAside(dataDir: string, { news, describe }: SetAsideOptions): Promise<SetAside[]> {
  return asOnlyWriter(dataDir, { holder: `doctor-${process.pid}`, news }, async () => {
    const [kind, maintenance] = [await findStore(dataDir), await maintenanceOf(dataDir)];
    if (kind === undefined || maintenance === undefined) return [];
    const store = await openStore(dataDir, kind);
    let unreadable: UnreadableLog[];
    try {
      unreadable = await findUnreadable(store, (log) => readDamaged(maintenance, log));
    } finally {
      await store.close();
    }
    const findings: SetAside[] = [];
    for (const log of unreadable) {
      const { rewrite, aside: changes, orphans } = log;
      const kept = await keep(dataDir, log, describe(rewrite.log, changes));
      await maintenance.rewrite(rewrite);
      findings.push({ type: 'set-aside', log: rewrite.log, changes, orphans, kept });
    }
    return findings;
  });
}

/** A log with unreadable changes, or one that its store cannot read. */
interface UnreadableLog {
  rewrite: LogRewrite;
  aside: readonly UnreadableChange[];
  orphans: readonly string[];
  /** The lines in it that belong to no change. */
  strays: readonly string[];
}

async function findUnreadable(
  store: Store,
  readDamaged: (log: string) => Promise<DamagedLog | undefined>,
): Promise<UnreadableLog[]> {
  const found: UnreadableLog[] = [];
  for (const log of await store.logs()) {
    if (log === forestLogName) continue;
    const whole = await readIfWhole(store, log);
    const known = whole ?? (await readDamaged(log));
    const last = known?.records.at(-1);
    if (known === undefined || last === undefined) continue;
    const { aside, orphans, ...mended } = mend(log, known.records);
    const rewrite = { log, epoch: known.epoch, lastSeq: last.seq, ...mended };
    if (aside.length > 0 || whole === undefined) found.push({ rewrite, aside, orphans, strays: known.strays });
  }
  return found;
}

type Mended = Pick<LogRewrite, 'records' | 'format'> & Pick<UnreadableLog, 'aside' | 'orphans'>;

/** Splits a log into readable records and the rest. */
function mend(log: string, records: readonly LogRecord[]): Mended {
  if (isHomeLog(log)) {
    const { changes, aside } = setUnreadableHomeAside(records);
    return { records: homeCodec.encodeBatch(changes), ...homeCodec.formatOf(changes), aside, orphans: [] };
  }
  const { changes, aside, orphans } = setUnreadableAside(log, records);
  return { records: rootCodec.encodeBatch(changes), ...rootCodec.formatOf(changes), aside, orphans };
}

/** Returns `undefined` if its store finds it damaged. */
async function readIfWhole(store: Store, log: string): Promise<Omit<DamagedLog, 'lastSeq'> | undefined> {
  try {
    const { epoch = '', records = [] } = (await store.read(log, 0)) ?? {};
    return { log, epoch, records, strays: [] };
  } catch (error) {
    if (isAboutOneLog(error)) return undefined;
    throw error;
  }
}

/** Returns `undefined` if nothing of it can be read: it stays broken, and is reported as such. */
async function readDamaged(maintenance: StoreMaintenance, log: string): Promise<DamagedLog | undefined> {
  try {
    return await maintenance.readDamaged(log);
  } catch (error) {
    if (isAboutOneLog(error)) return undefined;
    throw error;
  }
}

/** Writes the changes down, durably, before they are taken out of a log. Returns the path. */
async function keep(
  dataDir: string,
  { rewrite: { log }, aside, strays }: UnreadableLog,
  message: string,
): Promise<string> {
  const rest = strays.length === 0 ? {} : { strays };
  const bytes = Buffer.from(`${JSON.stringify({ log, changes: aside, ...rest }, null, 2)}\n`);
  const root = isHomeLog(log) ? encodeName(log) : log;
  const what = { root, file: join(root, 'log'), reason: 'unreadable-changes', message, time: Date.now() } as const;
  const { kept } = await new Quarantine(dataDir, machineNodeFiles).keep(bytes, what);
  return relative(dataDir, kept);
}
