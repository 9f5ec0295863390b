import { join } from 'node:path';
import type { FilesPort } from '../../disk/files-port.ts';
import { failedWith } from '../../disk/files-port.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import type { LostLog } from '../../lost-log.ts';
import { DataDirectory } from '../data-directory.ts';
import { readAcknowledged } from '../log/acknowledged-mark.ts';
import { isLoss, logOfDirectory } from '../log/log-directory.ts';
import { forReading } from '../reading-port.ts';

interface LossFile {
  folder: string;
  file: string;
}

/** The losses that earlier writers have found in a directory of logs, and that no person has acknowledged. */
export async function keptLosses(directory: string, files: FilesPort = machineFiles): Promise<LostLog[]> {
  const losses: LostLog[] = [];
  const data = new DataDirectory(forReading(files), directory, { othersWrite: true });
  for (const { folder, file } of await lossFiles(directory, files)) {
    const named = logOfDirectory(folder);
    const log = typeof named === 'object' ? named.log : folder;
    const lost = await readAcknowledged(files, join(directory, folder, file));
    const end = await data
      .log(log)
      .end()
      // Its reader reports what is wrong with it now.
      .catch(() => undefined);
    // The one that was lost is back.
    if (lost !== undefined && lost.epoch !== end?.epoch)
      losses.push({ log, epoch: lost.epoch, seq: lost.seq, isKept: true });
  }
  return losses;
}

/** Stops the recorded losses from being reported. The files stay, under other names. Returns true if there were any. */
export async function acknowledgeLosses(directory: string, files: FilesPort = machineFiles): Promise<boolean> {
  const found = await lossFiles(directory, files);
  for (const { folder, file } of found) {
    const kept = join(directory, folder, file);
    await files.rename(kept, join(directory, folder, file.replace('log.jsonl.lost-', 'log.jsonl.acknowledged-loss-')));
  }
  return found.length > 0;
}

async function lossFiles(directory: string, files: FilesPort): Promise<LossFile[]> {
  const folders = (await listed(files, directory)).filter((name) => logOfDirectory(name) !== undefined);
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await listed(files, join(directory, folder))).filter(isLoss).map((file): LossFile => ({ folder, file })),
    ),
  );
  return found.flat();
}

/** Lists a folder; the reader of the log reports one that may not be opened. */
async function listed(files: FilesPort, folder: string): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].some((code) => failedWith(error, code))) return [];
    throw error;
  }
}
