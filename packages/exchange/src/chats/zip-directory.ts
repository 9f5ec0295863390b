import { Buffer } from 'node:buffer';
import { ChatExportError } from './chat-export-error.ts';
import type { RandomAccess } from './random-access.ts';

/** An entry as the directory of the archive describes it. Its name is only ever compared. */
export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Lengths in bytes, according to the directory. */
  readonly packed: number;
  readonly unpacked: number;
  readonly checksum: number;
  readonly offset: number;
}

/** Reads the directory at the end of an archive. Overlapping entries are refused: only bombs have them. */
export async function readDirectory(file: RandomAccess, mostEntries: number): Promise<ZipEntry[]> {
  const { count, offset, size } = await findDirectory(file);
  if (count > mostEntries)
    throw new ChatExportError(
      'zip-bomb',
      'The archive has more entries than are read of one. Nothing was taken in. If you trust it, unpack it, and import what is in it.',
    );
  if (offset + size > file.size || size > largestDirectory) throw damaged();
  const bytes = Buffer.from(await file.read(offset, size));
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + entryHeader > bytes.length || bytes.readUInt32LE(at) !== entrySignature) throw damaged();
    const length = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const [nameLength = 0, extraLength = 0, commentLength = 0] = length;
    const nameAt = at + entryHeader;
    if (nameAt + nameLength + extraLength > bytes.length) throw damaged();
    const extra = bytes.subarray(nameAt + nameLength, nameAt + nameLength + extraLength);
    const [unpacked, packed, start] = withLongFields(
      extra,
      [24, 20, 42].map((field) => bytes.readUInt32LE(at + field)),
    );
    entries.push({
      name: bytes.toString('utf8', nameAt, nameAt + nameLength),
      method: bytes.readUInt16LE(at + 10),
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      packed: packed ?? 0,
      unpacked: unpacked ?? 0,
      checksum: bytes.readUInt32LE(at + 16),
      offset: start ?? 0,
    });
    at = nameAt + nameLength + extraLength + commentLength;
  }
  refuseOverlaps(entries, offset);
  return entries;
}

/** Finds the directory by the end of the archive; a comment may follow it. */
async function findDirectory(file: RandomAccess): Promise<{ count: number; offset: number; size: number }> {
  const length = Math.min(file.size, endRecord + longestComment);
  const tail = Buffer.from(await file.read(file.size - length, length));
  for (let at = tail.length - endRecord; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    const [count, size, offset] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const isLong = count === 0xffff || size === 0xffffffff || offset === 0xffffffff;
    const locator = at - locatorRecord;
    if (!isLong || locator < 0 || tail.readUInt32LE(locator) !== locatorSignature) return { count, size, offset };
    return readLongEnd(file, Number(tail.readBigUInt64LE(locator + 8)));
  }
  throw new ChatExportError('zip-broken', 'The file is not an archive, or it was cut off. Get the export again.');
}

async function readLongEnd(file: RandomAccess, at: number): Promise<{ count: number; offset: number; size: number }> {
  if (at + longEndRecord > file.size) throw damaged();
  const record = Buffer.from(await file.read(at, longEndRecord));
  if (record.length < longEndRecord || record.readUInt32LE(0) !== longEndSignature) throw damaged();
  const [count, size, offset] = [32, 40, 48].map((field) => Number(record.readBigUInt64LE(field)));
  return { count: count ?? 0, size: size ?? 0, offset: offset ?? 0 };
}

/** Lengths that do not fit into their field stand in an extra field, in this order. */
function withLongFields(extra: Buffer, fields: readonly number[]): number[] {
  if (!fields.includes(0xffffffff)) return [...fields];
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    let next = at + 4;
    at = next + length;
    if (id !== longExtra || at > extra.length) continue;
    return fields.map((field) => {
      if (field !== 0xffffffff || next + 8 > at) return field;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
  }
  return [...fields];
}

function refuseOverlaps(entries: readonly ZipEntry[], directory: number): void {
  const places = [...entries].sort((a, b) => a.offset - b.offset);
  for (const [index, { offset, packed }] of places.entries()) {
    const next = places[index + 1]?.offset ?? directory;
    if (offset + localHeader + packed <= next) continue;
    throw new ChatExportError(
      'zip-bomb',
      'Entries of the archive lie over each other, as in archives that are made to do harm. Nothing was taken in. Get the export again.',
    );
  }
}

function damaged(): ChatExportError {
  return new ChatExportError('zip-broken', 'The directory of the archive is damaged. Get the export again.');
}

const largestDirectory = 64 * 1024 * 1024;
const entryHeader = 46;
const localHeader = 30;
const endRecord = 22;
const longEndRecord = 56;
const locatorRecord = 20;
const longestComment = 0xffff;
const longExtra = 1;
const entrySignature = 0x02014b50;
const endSignature = 0x06054b50;
const longEndSignature = 0x06064b50;
const locatorSignature = 0x07064b50;
