import { setTimeout as delay } from 'node:timers/promises';
import { findWriter } from '@loom/data-folder';
import type { Writer } from '@loom/data-folder';

/** The process that has a folder, once it lets others in. */
export async function untilShared(dataDir: string): Promise<Writer & Required<Pick<Writer, 'address' | 'door'>>> {
  for (;;) {
    const writer = await findWriter(dataDir);
    if (writer?.address !== undefined && writer.door !== undefined) {
      return { ...writer, address: writer.address, door: writer.door };
    }
    await delay(20);
  }
}
