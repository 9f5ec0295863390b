/** The remains of a database after a power cut: the file and its write-ahead log. */
export interface DiskImage {
  database: Buffer;
  wal: Buffer;
}

/**
 * Yields every state in which the power may be cut while a disk goes from one image, which is all synced, to another by one commit, and
 * perhaps the checkpoint behind it. SQLite makes a new header of the log durable before it overwrites old frames; then frames are written
 * and synced; then pages of the database. Writes between two syncs reach the disk sector by sector, in any order.
 */
export function* crashImages(before: DiskImage, after: DiskImage, random: () => number): Generator<DiskImage> {
  let start = before.wal;
  if (!start.subarray(0, headerSize).equals(after.wal.subarray(0, headerSize))) {
    start = write(start, after.wal, [{ from: 0, to: headerSize }]);
    yield { database: before.database, wal: start };
  }
  for (const wal of partialWrites(start, after.wal, frameEnds(after.wal.length), random)) {
    yield { database: before.database, wal };
  }
  for (const database of partialWrites(before.database, after.database, [], random)) {
    yield { database, wal: after.wal };
  }
  yield after;
}

const headerSize = 32;
const pageSize = 4096;
const frameSize = 24 + pageSize;
const sectorSize = 512;

interface Range {
  from: number;
  to: number;
}

/** A file with some of the sectors that are about to change: cut after each, or without one of them, or any of them. */
function* partialWrites(
  before: Buffer,
  after: Buffer,
  cuts: readonly number[],
  random: () => number,
): Generator<Buffer> {
  const sectors = changedSectors(before, after);
  if (sectors.length === 0) return;
  const [first, last] = [sectors[0]?.from ?? 0, sectors.at(-1)?.to ?? 0];
  for (let count = 0; count <= sectors.length; count += 1) yield write(before, after, sectors.slice(0, count));
  // A frame that is whole, to the byte, and the next one not begun.
  for (const cut of cuts) if (cut > first && cut < last) yield write(before, after, [{ from: first, to: cut }]);
  for (const lost of sectors)
    yield write(
      before,
      after,
      sectors.filter((sector) => sector !== lost),
    );
  for (let subset = 0; subset < 8; subset += 1)
    yield write(
      before,
      after,
      sectors.filter(() => random() < 0.5),
    );
}

function changedSectors(before: Buffer, after: Buffer): Range[] {
  const changed: Range[] = [];
  for (let from = 0; from < after.length; from += sectorSize) {
    const to = Math.min(from + sectorSize, after.length);
    if (!before.subarray(from, to).equals(after.subarray(from, to))) changed.push({ from, to });
  }
  return changed;
}

function frameEnds(length: number): number[] {
  const count = Math.max(0, Math.floor((length - headerSize) / frameSize));
  return Array.from({ length: count }, (_, index) => headerSize + (index + 1) * frameSize);
}

/** Copies a file with some new ranges; the unwritten part of a longer file is zeros. */
function write(before: Buffer, after: Buffer, ranges: readonly Range[]): Buffer {
  const file = Buffer.alloc(Math.max(before.length, ...ranges.map(({ to }) => Math.min(to, after.length))));
  before.copy(file);
  for (const { from, to } of ranges) after.copy(file, from, from, to);
  return file;
}
