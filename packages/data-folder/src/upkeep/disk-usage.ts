import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../files/disk.ts';
import { maintenanceOf } from './store-maintenance.ts';

/** The parts of a data folder's disk usage, in the order of display. */
export const usageParts = [
  'log',
  'snapshots',
  'other derived data',
  'unused pages',
  'write-ahead log',
  'search index',
  'node files',
  'blobs',
  'quarantine',
  'other files',
  'backups beside it',
] as const;

export type UsagePart = (typeof usageParts)[number];

/** Bytes by part. Sizes are apparent ones: the contents of files, not their blocks on a disk. */
export type Usage = Record<UsagePart, number>;

/** Measures a data folder. Other processes may use it meanwhile. */
export async function measureUsage(dataDir: string): Promise<Usage> {
  const usage: Usage = {
    log: 0,
    snapshots: 0,
    'other derived data': 0,
    'unused pages': 0,
    'write-ahead log': 0,
    'search index': 0,
    'node files': 0,
    blobs: 0,
    quarantine: 0,
    'other files': 0,
    'backups beside it': 0,
  };
  const inside = (await maintenanceOf(dataDir))?.sizes?.();
  if (inside !== undefined) {
    usage.log = inside.log;
    usage.snapshots = inside.snapshots;
    usage['other derived data'] = inside.otherDerived;
    usage['unused pages'] = inside.unused;
    usage['write-ahead log'] = inside.writeAheadLog;
  }
  await eachEntry(dataDir, async (entry) => {
    const part = partOf(entry.name);
    if (part === 'node files') await measureFolder(dataDir, entry, usage);
    else if (part !== undefined) await add(usage, part, sizeOf(dataDir, entry));
  });
  await eachEntry(dirname(dataDir), async (entry) => {
    if (isBackup(entry.name, basename(dataDir))) await add(usage, 'backups beside it', sizeOf(dirname(dataDir), entry));
  });
  return usage;
}

/** Several are measured at once: so the sum is read after the wait, not before. */
async function add(usage: Usage, part: UsagePart, size: Promise<number>): Promise<void> {
  const bytes = await size;
  usage[part] += bytes;
}

/** Measures the folder of a conversation: its node files, and its log and derived data if no database has them. */
async function measureFolder(parent: string, folder: Dirent, usage: Usage): Promise<void> {
  if (!folder.isDirectory()) return add(usage, 'node files', sizeOf(parent, folder));
  const path = join(parent, folder.name);
  await eachEntry(path, (entry) => add(usage, partOfFolder(entry.name), sizeOf(path, entry)));
}

function partOfFolder(name: string): UsagePart {
  if (name.startsWith('log.jsonl')) return 'log';
  if (name.startsWith('projection-state.jsonl')) return 'snapshots';
  return name.startsWith('projection-') ? 'other derived data' : 'node files';
}

/** Returns the part that an entry of the data folder belongs to; `undefined` for the database, which is measured from within. */
function partOf(name: string): UsagePart | undefined {
  if (/^loom\.db(?:-wal)?$/u.test(name)) return undefined;
  if (name === 'blobs' || name === 'quarantine') return name;
  if (/search/u.test(name) && name.startsWith('loom')) return 'search index';
  if (/^(?:loom\.|config\b|uploads$|client-ids\.json|leases\.json|\.)/u.test(name)) return 'other files';
  return 'node files';
}

/** Copies that Loom makes beside the folder: before a migration, and before a restore. */
function isBackup(name: string, folder: string): boolean {
  return ['.backup-', '.before-restore-', '.migration', '.restore-'].some((end) => name.startsWith(`${folder}${end}`));
}

/** Visits the entries of a folder, some at a time: a data folder has one for each conversation. A missing folder has none. */
async function eachEntry(folder: string, visit: (entry: Dirent) => Promise<void>): Promise<void> {
  const entries = await entriesIn(folder);
  for (let start = 0; start < entries.length; start += atOnce) {
    await Promise.all(entries.slice(start, start + atOnce).map(visit));
  }
}

const atOnce = 16;

async function entriesIn(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the size of a file, or of all files below a folder. Links count as themselves. Files that vanish meanwhile count nothing. */
async function sizeOf(folder: string, entry: Dirent): Promise<number> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) {
    let sum = 0;
    await eachEntry(path, async (below) => {
      const bytes = await sizeOf(path, below);
      sum += bytes;
    });
    return sum;
  }
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
