import { z } from 'zod';
import { highestSeq } from '../append-verdict.ts';
import { blobHash } from '../blobs/blob-id.ts';

/** The format that is written. A reader refuses higher ones. */
export const archiveFormat = 3;

/** The number of blob bytes in one line. */
export const blobPiece = 192 * 1024;

/** A longer text of a record stands in several lines, because nothing can make one line of the longest. In UTF-16 units. */
export const textPiece = 4 * 1024 * 1024;

/** The longest line, in bytes: of a piece of text, which takes up to twelve bytes for one of its units, and of everything else. */
export const longestLine = 128 * 1024 * 1024;
/** The longest text, in UTF-16 units: JavaScript has no longer ones. */
export const longestText = 2 ** 29 - 24;
/** The largest blob, in bytes. */
const largestBlob = 1024 * 1024 * 1024;

const seq = z.int().nonnegative().max(highestSeq);
const count = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/u);
const logName = z
  .string()
  .min(1)
  .refine((name) => name.isWellFormed());
const blob = z.string().refine((id) => blobHash(id) !== undefined, { error: 'is not a blob id' });

/** The first line, as any version of the format writes it. */
export const anyHeader = z.looseObject({ type: z.literal('archive'), format: z.int().positive() });

const header = z.strictObject({
  type: z.literal('archive'),
  /** The first one knew fewer ops. */
  format: z.int().positive().max(archiveFormat),
  /** The kind of archive: an increment builds on an earlier archive. */
  kind: z.enum(['whole', 'increment']),
  time: z.iso.datetime(),
  /** The hash of the list of roots after its first change, which tells stores apart; none if nothing was ever listed. */
  origin: hash.exactOptional(),
});

export const archiveLine = z.discriminatedUnion('type', [
  header,
  /** A log begins, or goes on after a change: `hash` stands for all that comes before. */
  z.strictObject({ type: z.literal('log'), name: logName, epoch: z.string(), after: seq, hash }),
  /** A piece of the text of the next record. */
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  /** A record up to the change `seq`, with the rest of its text; `hash` stands for all changes so far. */
  z.strictObject({ type: z.literal('record'), seq, hash, text: z.string() }),
  /** A blob that the next record cites; so many bytes follow. */
  z.strictObject({ type: z.literal('blob'), id: blob, bytes: count.max(largestBlob) }),
  z.strictObject({ type: z.literal('bytes'), data: z.base64() }),
  /** The next record cites a blob that was not there. */
  z.strictObject({ type: z.literal('blob-missing'), id: blob }),
  z.strictObject({ type: z.literal('log-end'), seq, hash }),
  /** The list of roots names a log that was not there. */
  z.strictObject({ type: z.literal('log-missing'), name: logName }),
  /** The hash is of everything before this line, line breaks included. */
  z.strictObject({
    type: z.literal('end'),
    logs: count,
    records: count,
    changes: count,
    blobs: count,
    blob_bytes: count,
    hash,
  }),
]);

export type ArchiveLine = z.infer<typeof archiveLine>;
export type ArchiveHeader = z.infer<typeof header>;
export type LogLine = Extract<ArchiveLine, { type: 'log' }>;
export type EndLine = Extract<ArchiveLine, { type: 'end' }>;

/** The contents of an archive, counted. */
export type ArchiveCounts = Omit<EndLine, 'type' | 'hash'>;

export function noCounts(): ArchiveCounts {
  return { logs: 0, records: 0, changes: 0, blobs: 0, blob_bytes: 0 };
}
