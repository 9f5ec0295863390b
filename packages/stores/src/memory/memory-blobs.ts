import type { BlobSweep, BlobWriter, ByteRange, FinishedBlob, Spool, SweptBlobs } from '@loom/kernel/store';
import { checkLeaseTime } from '../append-verdict.ts';
import { blobHash, blobId } from '../blobs/blob-id.ts';
import { boundsOf } from '../blobs/byte-range.ts';
import { NamedBlobs } from '../blobs/named-blobs.ts';
import { checkSpoolName } from '../blobs/spool-name.ts';

/** Blobs and spools that live as long as the process. */
export class MemoryBlobs {
  readonly #blobs = new Map<string, { bytes: Uint8Array; time: number }>();
  readonly #now: () => number;
  readonly named = new NamedBlobs();
  readonly #spools = new Map<string, KeptSpool>();

  constructor(now: () => number) {
    this.#now = now;
  }

  put(bytes: Uint8Array): string {
    const kept = Uint8Array.from(bytes);
    const id = blobId(kept);
    this.#blobs.set(id, { bytes: kept, time: this.#now() });
    return id;
  }

  get(id: string, range: ByteRange = {}): Uint8Array | undefined {
    const kept = blobHash(id) === undefined ? undefined : this.#blobs.get(id)?.bytes;
    const { start, end } = boundsOf(range, kept?.length ?? 0);
    return kept?.slice(start, end);
  }

  async sweep({ unusedFor, isCited }: BlobSweep): Promise<SweptBlobs> {
    checkLeaseTime(unusedFor);
    const swept: SweptBlobs = { blobs: 0, bytes: 0 };
    const before = this.#now() - unusedFor;
    const stopNoting = this.named.begin();
    const spooled = new Set([...this.#spools.values()].map(({ blob }) => blob?.id));
    try {
      for (const [id, { bytes }] of this.#blobs) {
        const isOld = (): boolean => (this.#blobs.get(id)?.time ?? Infinity) <= before;
        if (!isOld() || spooled.has(id) || (await isCited(id)) || this.named.has(id) || !isOld()) continue;
        this.#blobs.delete(id);
        swept.blobs += 1;
        swept.bytes += bytes.length;
      }
    } finally {
      stopNoting();
    }
    return swept;
  }

  /** `check` throws once the handle that it belongs to is closed. */
  create(check: () => void): BlobWriter {
    const bytes = new GrowingBytes();
    let blob: FinishedBlob | undefined;
    let isAbandoned = false;
    const checkOpen = (): void => {
      check();
      if (isAbandoned) throw new TypeError('this blob was abandoned');
    };
    return {
      write: async (added) => {
        checkOpen();
        if (blob !== undefined) throw new TypeError('this blob is finished');
        bytes.add(added);
      },
      finish: async () => {
        checkOpen();
        blob ??= { id: this.put(bytes.all), bytes: bytes.all.length };
        return blob;
      },
      abandon: async () => void (isAbandoned = blob === undefined),
    };
  }

  openSpool(name: string, check: () => void): Spool {
    checkSpoolName(name);
    const left = this.#spools.get(name);
    // A copy: bytes that an earlier writer adds to its own are lost.
    const own: KeptSpool = { bytes: new GrowingBytes(left?.bytes.all), blob: left?.blob };
    this.#spools.set(name, own);
    const live = (): KeptSpool => {
      check();
      if (own.isDropped === true) throw new TypeError(`the spool ${name} was dropped`);
      return own;
    };
    return {
      get size() {
        return own.bytes.all.length;
      },
      append: async (added) => {
        if (live().blob !== undefined) throw new TypeError(`the spool ${name} is finished`);
        own.bytes.add(added);
      },
      sync: async () => void live(),
      read: async (range = {}) => {
        const { all } = live().bytes;
        const { start, end } = boundsOf(range, all.length);
        return all.slice(start, end);
      },
      finish: async () => {
        const spool = live();
        spool.blob ??= { id: this.put(spool.bytes.all), bytes: spool.bytes.all.length };
        return spool.blob;
      },
      drop: async () => {
        check();
        own.isDropped = true;
        if (this.#spools.get(name) === own) this.#spools.delete(name);
      },
    };
  }

  spoolNames(): string[] {
    return [...this.#spools.keys()].sort();
  }
}

interface KeptSpool {
  bytes: GrowingBytes;
  blob: FinishedBlob | undefined;
  isDropped?: boolean;
}

/** Bytes that double their room when it is used up. */
class GrowingBytes {
  #room: Uint8Array<ArrayBuffer>;
  #length: number;

  constructor(bytes = new Uint8Array()) {
    this.#room = Uint8Array.from(bytes);
    this.#length = bytes.length;
  }

  get all(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#room.length) {
      const room = new Uint8Array(Math.max(length, 2 * this.#room.length));
      room.set(this.all);
      this.#room = room;
    }
    this.#room.set(bytes, this.#length);
    this.#length = length;
  }
}
