import { setTimeout as delay } from 'node:timers/promises';
import type { ServerPlace } from '@loom/client';
import { findWriter } from '@loom/data-folder';
import type { Writer } from '@loom/data-folder';
import { FolderError } from '@loom/data-folder/files';
import { LoomError } from '../../command-line/failure.ts';
import { ownVersion } from '../../command-line/own-version.ts';
import { openWriter, type LoomOptions, type OpenedFolder } from '../opened-folder.ts';

/** The longest wait for a process that writes and lets no other in, in milliseconds: it is about to end, or to listen. */
const usualPatience = 2500;
/** The wait for the lock between two checks that its holder listens by now, in milliseconds. */
const oneTry = 50;

/** A data folder that this process has now, or the place where the process that has it lets others in. */
export type HeldFolder = { opened: OpenedFolder } | { place: ServerPlace };

/** Takes a data folder, or finds the process that has it. */
export async function takeOrFind(options: LoomOptions): Promise<HeldFolder> {
  const { dataDir, patience = usualPatience } = options;
  const deadline = performance.now() + patience;
  for (;;) {
    const place = await findPlace(dataDir);
    if (place !== undefined) return { place };
    const left = deadline - performance.now();
    try {
      return { opened: await openWriter({ ...options, patience: Math.max(0, Math.min(left, oneTry)) }) };
    } catch (error) {
      if (!(error instanceof FolderError) || error.code !== 'locked' || left <= 0) throw error;
      await delay(oneTry);
    }
  }
}

/** Finds the server of the process that has a data folder; `undefined` if there is none, or it lets no other in. */
export async function findPlace(dataDir: string): Promise<ServerPlace | undefined> {
  const writer = await findWriter(dataDir);
  if (writer?.address === undefined || writer.door === undefined) return undefined;
  if (writer.door.version !== ownVersion) throw otherVersion(dataDir, writer, writer.door.version);
  return { url: writer.address, token: writer.door.token };
}

function otherVersion(folder: string, { pid, address }: Writer, version: string): LoomError {
  return new LoomError(
    'other-version',
    `process ${pid} at ${address} has ${folder} open with Loom ${version}, and this is Loom ${ownVersion}`,
    {
      advice: `End that process, or use its version of Loom here. Commands that only read (ls, show, tree, read, search, …) work meanwhile.`,
      details: { folder, pid, address, version },
    },
  );
}
