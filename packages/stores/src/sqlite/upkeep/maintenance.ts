import { StoreError } from '@loom/kernel/store';
import type { LostLog } from '../../lost-log.ts';
import type { StoreMaintenance, StoreProblem, StoreUsage } from '../../store-maintenance.ts';
import { readDamagedLog } from './damaged-log.ts';
import { checkIntegrity } from './integrity-check.ts';
import { findDatabase, inspectLosses, lossFiles } from './losses.ts';
import { remakeDatabase } from './remade-database.ts';
import { rewriteLogs } from './rewrite-log.ts';
import { openSqliteTextIndex } from '../search/text-index.ts';
import { sharesOf } from './size-report.ts';

/** Returns the upkeep of the database in a data folder. */
export function sqliteMaintenance(directory: string): StoreMaintenance {
  return {
    mend: (now) => remakeIfDamaged(directory, now),
    check: (complaintAbout) => check(directory, complaintAbout),
    describeLoss: (lost) => describeLoss(directory, lost),
    readDamaged: async (log) => readDamagedLog(directory, log),
    rewrite: async (rewrite) => rewriteLogs(directory, [rewrite]),
    sizes: () => usageOf(directory),
    index: () => openSqliteTextIndex({ directory }),
  };
}

/** Makes the database anew out of its logs, if only data derived from them is damaged. */
async function remakeIfDamaged(directory: string, now: number): Promise<StoreProblem[]> {
  if (findDatabase(directory) !== 'present') return [];
  const { problems } = await checkIntegrity(directory);
  if (problems.every(({ part }) => part !== 'database')) return [];
  try {
    const kept = await remakeDatabase(directory, now);
    const message = `an index or a table of what is derived from the logs was damaged and made again; what was there is kept as ${kept}`;
    return [{ what: 'database', where: 'loom.db', message, state: 'mended' }];
  } catch (error) {
    // Then it stays as it is, and a check tells it as broken.
    if (error instanceof StoreError) return [];
    throw error;
  }
}

async function check(directory: string, complaintAbout: (text: string) => string | undefined): Promise<StoreProblem[]> {
  const losses = await inspectLosses(directory, { kept: true });
  const found: StoreProblem[] = losses.map((loss) => ({
    what: 'lost-log',
    where: loss.log,
    message: describeLoss(directory, loss),
    state: 'broken',
  }));
  if (findDatabase(directory) !== 'present') return found;
  for (const { part, name, message } of (await checkIntegrity(directory, complaintAbout)).problems) {
    // Data derived from a log is made again as soon as it is needed.
    if (part === 'projection') found.push({ what: 'snapshot', where: name ?? '', message, state: 'mended' });
    else found.push({ what: part, where: name ?? 'loom.db', message, state: 'broken' });
  }
  return found;
}

function describeLoss(directory: string, { seq, end = 0 }: LostLog): string {
  // The replacement of a lost part may have grown beyond it.
  const ending = end < seq ? `its log ended at change ${end}` : 'a part of its log was lost';
  const state = end === 0 ? 'its log is gone' : ending;
  const kept = lossFiles(directory).join(', ') || 'loom.db.acknowledged';
  return `${state}, and change ${seq} of it had been acknowledged: loom.db or loom.db-wal was damaged, emptied, removed or replaced by an older one. What its node files have is taken in, and what does not fit is in quarantine; earlier versions and what could be undone stood nowhere else. Put an undamaged loom.db back, with its loom.db-wal, or restore a backup; or remove ${kept} if you can do without.`;
}

function usageOf(directory: string): StoreUsage {
  const { files, pages, projections } = sharesOf(directory);
  // Projections share their pages, by how much each of them keeps there.
  const kept = projections.reduce((sum, { bytes }) => sum + bytes, 0);
  const state = projections.find(({ name }) => name === 'state')?.bytes ?? 0;
  const snapshots = kept === 0 ? 0 : Math.round((pages.projections * state) / kept);
  return {
    log: pages.records + pages.logs + pages.coordination + pages.structure,
    snapshots,
    otherDerived: pages.projections - snapshots,
    unused: pages.free,
    writeAheadLog: files.writeAheadLog,
  };
}
