import { dirname, join } from 'node:path';
import { withFile, writeDurably, writeFully } from '../disk/durable-files.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { isLoss } from './log-directory.ts';
import { sealFields, unsealFields } from './sealed-line.ts';
import { checksum } from '../disk/checksum.ts';

/** How far a log is known to have been on the disk. */
export interface Acknowledged {
  epoch: string;
  seq: number;
}

/**
 * A note beside a log, written over after each append that was synced and before it is answered. It is not synced itself, so that it
 * costs no wait for the disk: after a power cut it may be an older one or none, but it never names what the disk did not have. A log
 * that ends before it is damaged, however much its end looks like a write that was cut short.
 */
export class AcknowledgedMark {
  readonly #files: FilesPort;
  readonly #path: string;

  /** The path is that of the log. */
  constructor(files: FilesPort, path: string) {
    this.#files = files;
    this.#path = `${path}.acknowledged`;
  }

  get path(): string {
    return this.#path;
  }

  /** What it says; `undefined` if there is none, or none that can be relied on. */
  read(): Promise<Acknowledged | undefined> {
    return readAcknowledged(this.#files, this.#path);
  }

  /** Never fails: without it the log is as good as it was, and damage to its last write is found less often. */
  async write({ epoch, seq }: Acknowledged): Promise<void> {
    // What a longer one leaves behind the newline is not read.
    const bytes = encoder.encode(sealFields({ epoch, seq }));
    const write = (how: 'create' | 'change'): Promise<void> =>
      withFile(this.#files, this.#path, how, (file) => writeFully(file, bytes, 0));
    try {
      await write('change').catch((error: unknown) => {
        if (!failedWith(error, 'ENOENT')) throw error;
        return write('create');
      });
    } catch {
      // The one before it still holds.
    }
  }
}

/**
 * Keeps in mind that a log is gone of which this had been acknowledged, before another one takes its place: in a file beside it, which
 * stays until a person removes it.
 */
export async function keepLoss(files: FilesPort, path: string, { epoch, seq }: Acknowledged): Promise<void> {
  const kept = `${path}.lost-${seq}-${checksum(epoch)}`;
  await writeDurably(files, {
    path: kept,
    bytes: encoder.encode(sealFields({ epoch, seq })),
  });
}

/** Removes what keeps the loss of a log in mind that is back. */
export async function forgetLoss(files: FilesPort, path: string, epoch: string): Promise<void> {
  const folder = dirname(path);
  for (const file of (await files.list(folder)).filter(isLoss)) {
    const kept = join(folder, file);
    if ((await readAcknowledged(files, kept))?.epoch === epoch) await files.remove(kept);
  }
}

/** What a note, or a file that keeps a loss in mind, says; `undefined` if there is none, or none that can be relied on. */
export async function readAcknowledged(files: FilesPort, path: string): Promise<Acknowledged | undefined> {
  try {
    const bytes = await files.read(path);
    const { epoch, seq } = unsealFields(bytes.subarray(0, bytes.indexOf(0x0a)), path) ?? {};
    return typeof epoch === 'string' && typeof seq === 'number' ? { epoch, seq } : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();
