import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../files/disk.ts';
import { maintenanceOf } from './store-maintenance.ts';

/** What takes room in a data folder, in the order in which it is shown. */
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

/** Bytes by part. Sizes are apparent ones: what files hold, not what a disk gives them. */
export type Usage = Record<UsagePart, number>;

/** Measures a data folder. Others may work with it meanwhile. */
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
  for (const name of await namesIn(dataDir)) {
    const part = partOf(name);
    if (part === 'node files') await measureFolder(join(dataDir, name), usage);
    else if (part !== undefined) usage[part] += await sizeOf(join(dataDir, name));
  }
  for (const name of await namesIn(dirname(dataDir))) {
    if (isBackup(name, basename(dataDir))) usage['backups beside it'] += await sizeOf(join(dirname(dataDir), name));
  }
  return usage;
}

/** The folder of a conversation: its node files, and its log and what is derived from that if no database has them. */
async function measureFolder(folder: string, usage: Usage): Promise<void> {
  const names = (await isFolder(folder)) ? await namesIn(folder) : [''];
  for (const name of names) usage[partOfFolder(name)] += await sizeOf(join(folder, name));
}

function partOfFolder(name: string): UsagePart {
  if (name.startsWith('log.jsonl')) return 'log';
  if (name.startsWith('projection-state.jsonl')) return 'snapshots';
  return name.startsWith('projection-') ? 'other derived data' : 'node files';
}

/** What an entry of the data folder belongs to; `undefined` for the database, which is measured from within. */
function partOf(name: string): UsagePart | undefined {
  if (/^loom\.db(?:-wal)?$/u.test(name)) return undefined;
  if (name === 'blobs' || name === 'quarantine') return name;
  if (/search/u.test(name) && name.startsWith('loom')) return 'search index';
  if (/^(?:loom\.|config\b|client-ids\.json|leases\.json|\.)/u.test(name)) return 'other files';
  return 'node files';
}

/** Copies that Loom makes beside the folder: before a migration, and before a restore. */
function isBackup(name: string, folder: string): boolean {
  return ['.backup-', '.before-restore-', '.migration', '.restore-'].some((end) => name.startsWith(`${folder}${end}`));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Of a file, or of all that is below a folder. Links count as themselves. What vanishes meanwhile counts nothing. */
async function sizeOf(path: string): Promise<number> {
  try {
    const found = await lstat(path);
    if (!found.isDirectory()) return found.size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
  let sum = 0;
  for (const name of await namesIn(path)) sum += await sizeOf(join(path, name));
  return sum;
}
