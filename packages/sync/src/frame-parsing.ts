import { messageBlock } from '@loom/blocks';
import type { NodeState, Refusal } from '@loom/kernel';
import { z } from 'zod';
import { readFrame } from './frame-error.ts';
import type { ClientFrame, RootView, ServerFrame } from './frames.ts';
import type { SentOutlineNode } from './room/outline.ts';
import type { WireEvent } from './room/wire-events.ts';

/** Reads what a client says, strictly: it comes from outside. Throws a `FrameError`. */
export function parseClientFrame(value: unknown): ClientFrame {
  return readFrame(clientFrame, value);
}

/** Reads what a server says, as far as a replica relies on it. Throws a `FrameError`. */
export function parseServerFrame(value: unknown): ServerFrame {
  return readFrame(serverFrame, value);
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
    edits: z.array(edit).min(1),
  }),
  z.strictObject({ type: z.literal('cursor'), block: place, anchor: whole, head: whole }),
]);

const text = z.string();
const anyObject = z.record(z.string(), z.unknown());

const nodeShape = z.looseObject({
  id: text,
  parent: text,
  role: z.enum(['user', 'assistant', 'tool']),
  blocks: z.array(messageBlock),
  source: anyObject,
  time: whole,
  touched: whole,
});
const node = z.custom<NodeState>((value) => nodeShape.safeParse(value).success, 'must be a node');

const textCursor = z.strictObject({ agent: text, block: text, version: whole, anchor: whole, head: whole });
const splice = z.strictObject({ at: whole, delete: whole, insert: text });
const turn = z.looseObject({ turn: text, node: text });
const waiting = z.looseObject({ id: text, blocks: z.array(messageBlock) });

/** What the replica looks at in each kind of event. */
const eventShapes: Record<WireEvent['type'], z.ZodType> = {
  'text-appended': z.looseObject({ block: text, field: text, version: whole, text }),
  'text-changed': z.looseObject({ block: text, version: whole, changes: z.array(splice) }),
  'status-changed': z.looseObject({
    block: text,
    version: whole,
    status: z.enum(['pending', 'running', 'done', 'error']),
  }),
  'block-added': z.looseObject({ node: text, index: whole, block: messageBlock }),
  'block-changed': z.looseObject({ node: text, block: messageBlock }),
  'block-removed': z.looseObject({ node: text, block: text }),
  'node-added': z.looseObject({ node }),
  'node-changed': z.looseObject({
    node: text,
    set: anyObject,
    blocks: z.array(z.union([text, messageBlock])).exactOptional(),
  }),
  'node-removed': z.looseObject({ node: text }),
  'node-restored': z.looseObject({ node: text }),
  'node-moved': z.looseObject({ node: text, parent: text }),
  'root-changed': anyObject,
  bookmark: z.looseObject({ node: text }),
  'turn-started': turn.extend({ provider: text, model: text }),
  'turn-retrying': z.looseObject({ turn: text, reason: text }),
  'turn-ended': z.looseObject({ turn: text }),
  'tool-started': turn,
  approval: turn,
  'message-waiting': waiting.extend({ turn: text, kind: z.enum(['steer', 'queue']) }),
  'message-taken': z.looseObject({ id: text }),
};

const shapes = new Map<unknown, z.ZodType>(Object.entries(eventShapes));
const named = z.looseObject({ type: text });
const event = z.custom<WireEvent>((value) => {
  const { data } = named.safeParse(value);
  if (data === undefined) return false;
  // A newer server may tell more; what a client does not know it passes over.
  return shapes.get(data.type)?.safeParse(value).success ?? true;
}, 'must be an event of the feed');

const change = z.looseObject({
  type: z.literal('change'),
  epoch: text,
  seq: whole,
  time: whole,
  agent: text,
  events: z.array(event),
  turn: text.exactOptional(),
});

const outlineShape = z.looseObject({ id: text, parent: text, role: text, time: whole, touched: whole });
const outlineNode = z.custom<SentOutlineNode>(
  (value) => outlineShape.safeParse(value).success,
  'must be a node of an outline',
);

const rootShape = z.looseObject({
  config: anyObject,
  tags: z.array(text),
  deleted: z.boolean(),
  bookmarks: anyObject,
  turns: z.array(turn),
  endings: z.array(turn),
  waiting: z.array(waiting),
});
const root = z.custom<RootView>((value) => rootShape.safeParse(value).success, 'must be a root');

const refusalShape = z.looseObject({ reason: text });
const refusal = z.custom<Refusal>((value) => refusalShape.safeParse(value).success, 'must be a refusal');

const serverFrame: z.ZodType<ServerFrame> = z.discriminatedUnion('type', [
  change,
  z.looseObject({ type: z.literal('ack'), id: text, version: whole }),
  z.looseObject({ type: z.literal('cursor'), cursor: textCursor }),
  z.looseObject({ type: z.literal('here'), agent: text }),
  z.looseObject({ type: z.literal('gone'), agent: text }),
  z.looseObject({ type: z.literal('resync') }),
  z.looseObject({ type: z.literal('refused'), id: text, refusal }),
  z.looseObject({
    type: z.literal('opened'),
    id: text,
    block: text,
    client: whole,
    version: whole,
    since: whole,
    text,
    update: text.exactOptional(),
  }),
  z.looseObject({
    type: z.literal('welcome'),
    id: text,
    agent: text,
    cursor,
    here: z.array(text),
    cursors: z.array(textCursor),
    snapshot: z.strictObject({ root, leaf: text.exactOptional(), nodes: z.array(node), others: whole }).exactOptional(),
  }),
  z.looseObject({ type: z.literal('outline'), nodes: z.array(outlineNode), isLast: z.boolean() }),
  z.looseObject({ type: z.literal('nodes'), id: text, nodes: z.array(node), gone: z.array(text) }),
]);
