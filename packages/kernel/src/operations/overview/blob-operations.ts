import { z } from 'zod';
import { blobId } from '@loom/blocks';
import { showsBlob } from '../../forest/reading/shown-blobs.ts';
import { refuseValue } from '../../refusal.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { blockToolDoors } from '../doors.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';

/** The bytes read at once by default, and at most: an answer has to fit into the context of a model. */
const usualLength = 16 * 1024;
const mostLength = 64 * 1024;

/** No character of UTF-8 has more bytes behind its first. */
const longestRest = 3;

const readBlob = defineOperation({
  name: 'blob.read',
  summary:
    'Reads a range of a long output as text. A block that shows only the beginning and the end of its output names the blob and its length. One call reads 16 KB, or up to 64 KB if you say so; next says where to go on.',
  params: () =>
    z.strictObject({
      blob: blobId.describe('The blob, as sha256:<64 hex digits>.'),
      start: z.int().nonnegative().exactOptional().describe('The first byte, counted from 0; 0 without it.'),
      end: z.int().nonnegative().exactOptional().describe('The byte behind the last one.'),
    }),
  result: () =>
    z.strictObject({
      text: z.string(),
      start: z.int().nonnegative().describe('The first byte of the text: characters are never cut.'),
      end: z.int().nonnegative(),
      bytes: z.int().nonnegative().describe('The length of the whole.'),
      next: z.int().nonnegative().exactOptional().describe('Where the rest begins; absent at the end.'),
    }),
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, { blob, start = 0, end = start + usualLength }) => {
    const bytes = (await mayRead(engine, caller, blob)) ? await engine.blobs.size(blob) : undefined;
    // A blob that the caller may not read counts as missing: the refusal does not tell if it exists elsewhere.
    if (bytes === undefined) return refuseValue(['blob'], 'names nothing that a conversation of yours shows');
    if (end < start) return refuseValue(['end'], 'must not be below start');
    const from = Math.min(start, bytes);
    const to = Math.min(end, bytes, from + mostLength);
    const read =
      (await engine.blobs.get(blob, { start: from, end: Math.min(bytes, to + longestRest) })) ?? new Uint8Array();
    if (read.includes(0)) return refuseValue(['blob'], 'holds bytes that are not text');
    const [first, last] = wholeCharacters(read, to - from);
    const reached = from + last;
    return {
      ok: true,
      value: {
        text: decoder.decode(read.subarray(first, last)),
        start: from + first,
        end: reached,
        bytes,
        ...(reached < bytes ? { next: reached } : {}),
      },
    };
  },
});

/** Returns true if a caller may read a blob: for a caller limited to some conversations, one of them has to show it. */
async function mayRead({ forest }: LoomEngine, { roots }: Caller, blob: string): Promise<boolean> {
  if (roots === undefined) return true;
  for (const root of roots) if (await showsBlob(forest, root, blob)) return true;
  return false;
}

/** Returns the start and the end of the characters that begin within so many bytes; the last one is read to its end. */
function wholeCharacters(bytes: Uint8Array, length: number): [first: number, last: number] {
  let first = 0;
  while (first < Math.min(length, longestRest) && isRest(bytes[first])) first += 1;
  let last = length;
  while (last < bytes.length && isRest(bytes[last])) last += 1;
  return [first, last];
}

/** Returns true if a byte continues a character: 10xxxxxx. */
function isRest(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const blobOperations = [readBlob] as const;
