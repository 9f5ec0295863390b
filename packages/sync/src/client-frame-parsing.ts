import { z } from 'zod';
import { readFrame } from './frame-error.ts';
import type { ClientFrame } from './frames.ts';

/** Reads what a client says, strictly: it comes from outside. Throws a `FrameError`. */
export function parseClientFrame(value: unknown): ClientFrame {
  return readFrame(clientFrame, value);
}

// Ids are put into a log for good.
const id = z.string().min(1).max(200);
const place = z.string().min(1).max(1000);
/** A count, a version, an offset. */
const whole = z.int().nonnegative();
const cursor = z.strictObject({ epoch: z.string(), seq: whole });
const scope = z.union([z.literal('whole'), z.strictObject({ path: place }), z.strictObject({ subtree: place })]);
/** More nodes than fit into a page need not be asked for. */
const mostFetched = 500;
const edit = z.strictObject({ id, burst: whole, update: z.string() });
const flip = z.strictObject({ id, flip: z.enum(['undo', 'redo']) });

const clientFrame: z.ZodType<ClientFrame> = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('join'),
    id,
    protocol: whole,
    root: place,
    scope,
    cursor: cursor.exactOptional(),
    leaf: place.exactOptional(),
  }),
  z.strictObject({ type: z.literal('fetch'), id, nodes: z.array(place).min(1).max(mostFetched) }),
  z.strictObject({ type: z.literal('open'), id, block: place }),
  z.strictObject({
    type: z.literal('update'),
    block: place,
    client: whole,
    seed: whole,
    edits: z.array(z.union([edit, flip])).min(1),
  }),
  z.strictObject({ type: z.literal('cursor'), block: place, anchor: whole, head: whole }),
]);
