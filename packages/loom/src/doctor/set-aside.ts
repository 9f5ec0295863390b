import { join, relative } from 'node:path';
import { forestLogName, isAboutOneLog, setUnreadableAside } from '@loom/kernel';
import type { Store, UnreadableChange } from '@loom/kernel';
import { rewriteLogFiles } from '@loom/stores/files';
import { machineNodeFiles, Quarantine } from '@loom/node-files';
import { rewriteLogs } from '@loom/stores/sqlite';
import type { LogRewrite } from '@loom/stores/sqlite';
import { z } from 'zod';
import { count } from '../progress.ts';
import { asOnlyWriter, findStore, inSegments, openStore } from '@loom/data-folder';
import { printFolderNews } from '../runtime/files-note.ts';
import type { Finding } from './examination.ts';

/**
 * Takes changes out of their logs that cannot be read or do not fit, so that the rest of the conversations opens, and keeps
 * each as it is in quarantine.
 */
export function setAside(dataDir: string): Promise<Finding[]> {
  return asOnlyWriter(dataDir, { holder: `doctor-${process.pid}`, news: printFolderNews }, async () => {
    const kind = await findStore(dataDir);
    if (kind === undefined) return [];
    const store = await openStore(dataDir, kind);
    let unreadable: UnreadableLog[];
    try {
      unreadable = await findUnreadable(store);
    } finally {
      await store.close();
    }
    const findings: Finding[] = [];
    for (const { rewrite, aside, orphans } of unreadable) {
      const file = await keep(dataDir, rewrite.log, aside);
      if (kind === 'files') await rewriteLogFiles(dataDir, [rewrite]);
      else rewriteLogs(dataDir, [rewrite]);
      findings.push({ what: 'log', where: rewrite.log, message: describe(aside, orphans, file), state: 'mended' });
    }
    return findings;
  });
}

interface UnreadableLog {
  rewrite: LogRewrite;
  aside: readonly UnreadableChange[];
  orphans: readonly string[];
}

async function findUnreadable(store: Store): Promise<UnreadableLog[]> {
  const found: UnreadableLog[] = [];
  for (const log of await store.logs()) {
    if (log === forestLogName) continue;
    try {
      const contents = await store.read(log, 0);
      const last = contents?.records.at(-1);
      if (contents === undefined || last === undefined) continue;
      const { changes, aside, orphans } = setUnreadableAside(log, contents.records);
      const rewrite = { log, epoch: contents.epoch, lastSeq: last.seq, records: inSegments(changes) };
      if (aside.length > 0) found.push({ rewrite, aside, orphans });
    } catch (error) {
      // What the store itself cannot read stays broken, and is told as such.
      if (!isAboutOneLog(error)) throw error;
    }
  }
  return found;
}

/** Writes down what is taken out of a log, durably, before it is. Returns where. */
async function keep(dataDir: string, log: string, aside: readonly UnreadableChange[]): Promise<string> {
  const bytes = Buffer.from(`${JSON.stringify({ log, changes: aside }, null, 2)}\n`);
  const message = `${count(aside.length, 'change')} of the log of ${log} could not be read and ${wasOrWere(aside)} set aside`;
  const what = { root: log, file: join(log, 'log'), reason: 'unreadable-changes', message, time: Date.now() } as const;
  const { kept } = await new Quarantine(dataDir, machineNodeFiles).keep(bytes, what);
  return relative(dataDir, kept);
}

function wasOrWere({ length }: readonly unknown[]): string {
  return length === 1 ? 'was' : 'were';
}

/** How many of them are described. */
const most = 3;

function describe(aside: readonly UnreadableChange[], orphans: readonly string[], file: string): string {
  const told = aside.slice(0, most).map(({ seq, problem, value }) => `change ${seq}${whatItWas(value)}: ${problem}`);
  const rest = aside.length - told.length;
  const all = rest === 0 ? told : [...told, `and ${rest} more`];
  return `${count(aside.length, 'change')} could not be read and ${wasOrWere(aside)} set aside, kept in ${file}; the rest is as it was${describeOrphans(orphans)}. ${all.join('; ')}`;
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
