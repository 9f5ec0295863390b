import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

/** Thrown when an archive would have more than its format can say. */
class ArchiveTooLarge extends Error {}

/** Writes a zip archive in memory: each file is packed as it comes, and only that is kept. */
export class ZipWriter {
  readonly #parts: Buffer[] = [];
  readonly #directory: Buffer[] = [];
  #offset = 0;

  /** Adds a file; its name has slashes between folders. */
  async add(name: string, bytes: Uint8Array, time: Date): Promise<void> {
    const path = Buffer.from(name);
    const packed = await pack(bytes);
    const end = this.#offset + localHeader + path.length + packed.length;
    if (this.#directory.length >= mostFiles || end > mostBytes)
      throw new ArchiveTooLarge(
        `The archive would have more than ${mostFiles} files or ${mostBytes / 1_000_000_000} GB. Export fewer conversations at once.`,
      );
    const fields = Buffer.alloc(22);
    fields.writeUInt16LE(deflated, 0);
    fields.writeUInt16LE((time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1), 2);
    fields.writeUInt16LE(
      (Math.max(0, time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate(),
      4,
    );
    fields.writeUInt32LE(crc32(bytes), 6);
    fields.writeUInt32LE(packed.length, 10);
    fields.writeUInt32LE(bytes.length, 14);
    fields.writeUInt16LE(path.length, 18);
    this.#parts.push(Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, utf8Names]), fields, path, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(this.#offset, 10);
    this.#directory.push(
      Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0, 20, 0, 0, utf8Names]), fields, place, path]),
    );
    this.#offset = end;
  }

  end(): Buffer {
    const entries = Buffer.concat(this.#directory);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#directory.length, 8);
    end.writeUInt16LE(this.#directory.length, 10);
    end.writeUInt32LE(entries.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    return Buffer.concat([...this.#parts, entries, end]);
  }
}

const pack = promisify<Uint8Array, Buffer>(deflateRaw);

const localHeader = 30;
/** The method, and the second byte of the flags: names are UTF-8. */
const [deflated, utf8Names] = [8, 8];
/** Beyond these the fields of the format have no room. */
const [mostFiles, mostBytes] = [65_000, 2_000_000_000];
