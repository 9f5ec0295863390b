import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';
import type { RandomAccess } from '../random-access.ts';

export interface ZippedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The length that the directory claims, if it lies. */
  readonly said?: number;
  readonly isStored?: boolean;
  readonly flags?: number;
}

/** An archive of these files. */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, said = bytes.length, isStored = false, flags = 0 } of files) {
    const packed = isStored ? Buffer.from(bytes) : deflateRawSync(bytes);
    const method = isStored ? 0 : 8;
    const fields = Buffer.alloc(22);
    fields.writeUInt16LE(method, 0);
    fields.writeUInt32LE(crc32(bytes), 6);
    fields.writeUInt32LE(packed.length, 10);
    fields.writeUInt32LE(said, 14);
    fields.writeUInt16LE(Buffer.byteLength(name), 18);
    const local = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, flags, 0]);
    parts.push(local, fields, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 0, 20, 0, flags, 0]), fields, rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

/** Bytes as a file. */
export function fileOf(content: Uint8Array | string): RandomAccess {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}
