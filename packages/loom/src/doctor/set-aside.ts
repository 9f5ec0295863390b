import { join, relative } from 'node:path';
import { forestLogName, setUnreadableAside } from '@loom/kernel/logs';
import { isAboutOneLog } from '@loom/kernel/store';
import type { UnreadableChange } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { DamagedLog, LogRewrite } from '@loom/stores/files';
import { machineNodeFiles, Quarantine } from '@loom/node-files';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import { z } from 'zod';
import { count } from '../progress.ts';
import { asOnlyWriter, findStore, openStore } from '@loom/data-folder';
import { inSegments, maintenanceOf } from '@loom/data-folder/upkeep';
import { printFolderNews } from '../runtime/files-note.ts';
import type { Finding } from './examination.ts';

/**
 * Takes changes out of their logs that cannot be read or do not fit, so that the rest of the conversations opens, and keeps
 * each as it is in quarantine.
 */
export function setAside(dataDir: string): Promise<Finding[]> {
  return asOnlyWriter(dataDir, { holder: `doctor-${process.pid}`, news: printFolderNews }, async () => {
    const [kind, maintenance] = [await findStore(dataDir), await maintenanceOf(dataDir)];
    if (kind === undefined || maintenance === undefined) return [];
    const store = await openStore(dataDir, kind);
    let unreadable: UnreadableLog[];
    try {
      unreadable = await findUnreadable(store, (log) => readDamaged(maintenance, log));
    } finally {
      await store.close();
    }
    const findings: Finding[] = [];
    for (const log of unreadable) {
      const { rewrite } = log;
      const file = await keep(dataDir, log);
      await maintenance.rewrite([rewrite], 'damaged');
      findings.push({ what: 'log', where: rewrite.log, message: describe(log, file), state: 'mended' });
    }
    return findings;
  });
}

/** A log with changes that cannot be read, or one that its store cannot read. */
interface UnreadableLog {
  rewrite: LogRewrite;
  aside: readonly UnreadableChange[];
  orphans: readonly string[];
  /** What stands in it and belongs to no change. */
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
    const { changes, aside, orphans } = setUnreadableAside(log, known.records);
    const rewrite = { log, epoch: known.epoch, lastSeq: last.seq, records: inSegments(changes) };
    if (aside.length > 0 || whole === undefined) found.push({ rewrite, aside, orphans, strays: known.strays });
  }
  return found;
}

/** `undefined` if its store finds it damaged. */
async function readIfWhole(store: Store, log: string): Promise<Omit<DamagedLog, 'lastSeq'> | undefined> {
  try {
    const { epoch = '', records = [] } = (await store.read(log, 0)) ?? {};
    return { log, epoch, records, strays: [] };
  } catch (error) {
    if (isAboutOneLog(error)) return undefined;
    throw error;
  }
}

/** `undefined` if nothing of it can be read: it stays broken, and is told as such. */
async function readDamaged(maintenance: StoreMaintenance, log: string): Promise<DamagedLog | undefined> {
  try {
    return await maintenance.readDamaged(log);
  } catch (error) {
    if (isAboutOneLog(error)) return undefined;
    throw error;
  }
}

/** Writes down what is taken out of a log, durably, before it is. Returns where. */
async function keep(dataDir: string, { rewrite: { log }, aside, strays }: UnreadableLog): Promise<string> {
  const rest = strays.length === 0 ? {} : { strays };
  const bytes = Buffer.from(`${JSON.stringify({ log, changes: aside, ...rest }, null, 2)}\n`);
  const message = `${whatIsBad(aside)} of the log of ${log} could not be read and ${wasOrWere(aside)} set aside`;
  const what = { root: log, file: join(log, 'log'), reason: 'unreadable-changes', message, time: Date.now() } as const;
  const { kept } = await new Quarantine(dataDir, machineNodeFiles).keep(bytes, what);
  return relative(dataDir, kept);
}

/** Where every change can be read it is something around them. */
function whatIsBad({ length }: readonly unknown[]): string {
  return length === 0 ? 'something beside the changes' : count(length, 'change');
}

function wasOrWere({ length }: readonly unknown[]): string {
  return length < 2 ? 'was' : 'were';
}

/** How many of them are described. */
const most = 3;

function describe({ aside, orphans }: UnreadableLog, file: string): string {
  const told = aside.slice(0, most).map(({ seq, problem, value }) => `change ${seq}${whatItWas(value)}: ${problem}`);
  const rest = aside.length - told.length;
  const all = rest === 0 ? told : [...told, `and ${rest} more`];
  return `${whatIsBad(aside)} could not be read and ${wasOrWere(aside)} set aside, kept in ${file}; the rest is as it was${describeOrphans(orphans)}. ${all.join('; ')}`.trim();
}

function describeOrphans(orphans: readonly string[]): string {
  if (orphans.length === 0) return '';
  const named = orphans.slice(0, most).join(', ');
  const rest = orphans.length > most ? ` and ${orphans.length - most} more` : '';
  return `, except that ${named}${rest}, which answered what was set aside, now ${orphans.length === 1 ? 'begins a branch' : 'begin branches'} of the conversation`;
}

const shape = z.looseObject({
  time: z.number().optional(),
  agent: z.string().optional(),
  ops: z.array(z.looseObject({ type: z.string() })),
});

function whatItWas(value: unknown): string {
  const parsed = shape.safeParse(value);
  if (!parsed.success) return '';
  const { agent = 'an unknown agent', time, ops } = parsed.data;
  const when = time === undefined ? '' : ` of ${new Date(time).toISOString()}`;
  return ` (${ops.map(({ type }) => type).join(', ')} by ${agent}${when})`;
}
