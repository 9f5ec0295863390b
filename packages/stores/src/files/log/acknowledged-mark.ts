import { dirname, join } from 'node:path';
import type { LogHead } from '@loom/kernel/store';
import { withFile, writeDurably, writeFully } from '../../disk/durable-files.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { failedWith } from '../../disk/files-port.ts';
import { isLoss } from './log-directory.ts';
import { sealFields, unsealFields } from '../sealed-line.ts';
import { checksum } from '../../disk/checksum.ts';

/** The point up to which a log is known to have been on the disk. */
export interface Acknowledged {
  epoch: string;
  seq: number;
}

/** The same, with the head of the log up to that point. */
export interface NotedLog extends Acknowledged {
  /** The length of the log's file, which shows without a look inside that the head is about all of it; 0 if unknown. */
  end: number;
  head: LogHead | undefined;
}

/**
 * A note beside a log, overwritten after each append that was synced and before it is acknowledged. It is not synced itself, so that it
 * costs no wait for the disk: after a power cut it may be older or missing, but it never names what the disk did not have. A log that ends
 * before it is damaged, however much its end looks like a torn write. The head of the log is a separate line behind it, so that a crash in
 * the middle of a long one takes nothing from the note.
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

  /** Reads the note; `undefined` if there is none, or none that can be relied on. */
  async read(): Promise<NotedLog | undefined> {
    try {
      return readNote(await this.#files.read(this.#path), this.#path);
    } catch {
      return undefined;
    }
  }

  /** Removes the note, with the remains of longer ones in it. */
  async remove(): Promise<void> {
    await this.#files.remove(this.#path).catch((error: unknown) => {
      if (!failedWith(error, 'ENOENT')) throw error;
    });
  }

  /** Writes the note. Never fails: without it the log is as good as it was, and damage to its last write is found less often. */
  async write({ epoch, seq, end, head }: NotedLog): Promise<void> {
    // The remains of a longer note behind the last newline are not read.
    const bytes = encoder.encode(
      head === undefined
        ? sealFields({ epoch, seq, end })
        : `${sealFields({ epoch, seq, end, head: true })}${sealFields({ seq, ...head })}`,
    );
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
 * Records the loss of a log of which this had been acknowledged, before another one takes its place: in a file beside it, which stays until
 * a person removes it.
 */
export async function keepLoss(files: FilesPort, path: string, { epoch, seq }: Acknowledged): Promise<void> {
  const kept = `${path}.lost-${seq}-${checksum(epoch)}`;
  await writeDurably(files, {
    path: kept,
    bytes: encoder.encode(sealFields({ epoch, seq })),
  });
}

/** Removes the record of a loss once the log is back. */
export async function forgetLoss(files: FilesPort, path: string, epoch: string): Promise<void> {
  const folder = dirname(path);
  for (const file of (await files.list(folder)).filter(isLoss)) {
    const kept = join(folder, file);
    if ((await readAcknowledged(files, kept))?.epoch === epoch) await files.remove(kept);
  }
}

/** Reads a note, or a file that records a loss; `undefined` if there is none, or none that can be relied on. */
export async function readAcknowledged(files: FilesPort, path: string): Promise<Acknowledged | undefined> {
  try {
    return readNote(await files.read(path), path);
  } catch {
    return undefined;
  }
}

function readNote(bytes: Uint8Array, path: string): NotedLog | undefined {
  const [note, rest] = splitLine(bytes);
  const { epoch, seq, end = 0, head } = unsealFields(note, path) ?? {};
  if (typeof epoch !== 'string' || typeof seq !== 'number' || typeof end !== 'number') return undefined;
  return { epoch, seq, end, head: head === true ? readHead(rest, seq, path) : undefined };
}

function readHead(bytes: Uint8Array, due: number, path: string): LogHead | undefined {
  const { seq, time, text } = unsealFields(splitLine(bytes)[0], path) ?? {};
  return seq === due && typeof time === 'number' && typeof text === 'string' ? { time, text } : undefined;
}

function splitLine(bytes: Uint8Array): [line: Uint8Array, rest: Uint8Array] {
  const end = bytes.indexOf(0x0a);
  return [bytes.subarray(0, end), bytes.subarray(end + 1)];
}

const encoder = new TextEncoder();
