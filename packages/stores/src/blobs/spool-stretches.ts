import { crc32 } from 'node:zlib';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { TailFile } from './tail-file.ts';

/**
 * The file beside a spool that tells which of its bytes are good: after a power cut a file may be longer than the data that reached the
 * disk. Each entry is about the stretch behind the one before it: length, CRC-32, and a CRC-32 over all entries up to this one. Nothing
 * that was synced is written again; an entry that was not may be, so that small appends do not make it long, and never lies in two sectors.
 */
export class StretchFile {
  readonly #file: TailFile;
  /** The position of the last stretch's entry, and its contents. */
  #position = 0;
  #length = 0;
  #sum = 0;
  /** The checksum of the entries before the last one. */
  #before = 0;

  private constructor(file: TailFile) {
    this.#file = file;
  }

  static async create(files: FilesPort, path: string): Promise<StretchFile> {
    return new StretchFile(await TailFile.create(files, path));
  }

  /** Takes note of bytes that have just been written behind all others. */
  async add(bytes: Uint8Array): Promise<void> {
    if (this.#length >= stretchBytes) this.#next();
    this.#sum = crc32(bytes, this.#sum);
    this.#length += bytes.length;
    await this.#file.write(encodeEntry(this.#length, this.#sum, this.#before), this.#position);
  }

  async sync(): Promise<void> {
    if (this.#length > 0) this.#next();
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #next(): void {
    this.#before = sealOf(encodeEntry(this.#length, this.#sum, this.#before));
    this.#position += entryBytes;
    this.#length = 0;
    this.#sum = 0;
  }
}

/** The stretches of a spool that are as they were appended, in order, up to the first that is not. */
export async function* readStretches(
  files: FilesPort,
  { bytes, sums }: { bytes: string; sums: string },
): AsyncGenerator<Uint8Array> {
  const entries = await readOrNothing(files, sums);
  let [position, before] = [0, 0];
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    const view = new DataView(entries.buffer, entries.byteOffset + at, entryBytes);
    const [length, sum] = [view.getUint32(0), view.getUint32(4)];
    const expected = encodeEntry(length, sum, before);
    if (length === 0 || sealOf(expected) !== view.getUint32(8)) return;
    const stretch = await readOrNothing(files, bytes, position, position + length);
    if (stretch.length < length || crc32(stretch) !== sum) return;
    yield stretch;
    position += length;
    before = sealOf(expected);
  }
}

async function readOrNothing(files: FilesPort, path: string, from?: number, to?: number): Promise<Uint8Array> {
  try {
    return await files.read(path, from, to);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return new Uint8Array();
    throw error;
  }
}

function encodeEntry(length: number, sum: number, before: number): Uint8Array {
  const entry = new DataView(new ArrayBuffer(entryBytes));
  entry.setUint32(0, length);
  entry.setUint32(4, sum);
  entry.setUint32(8, crc32(new Uint8Array(entry.buffer, 0, 8), before));
  return new Uint8Array(entry.buffer);
}

function sealOf(entry: Uint8Array): number {
  return new DataView(entry.buffer, entry.byteOffset).getUint32(8);
}

/** A part of a sector, so that a power cut leaves the old entry or the new one. */
const entryBytes = 16;
const stretchBytes = 64 * 1024;
