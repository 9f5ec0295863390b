import { messageBlock } from '@loom/blocks';
import { anyObject, listOf, oneOf, optional, shape, shapeByType, text, truth, whole } from './checks.ts';
import type { Check } from './checks.ts';
import { FrameError } from './frame-error.ts';
import type { ServerFrame } from './frames.ts';
import type { WireEvent } from './room/wire-events.ts';

/** Reads a frame from a server, as far as a replica relies on it. Throws a `FrameError`. */
export function parseServerFrame(value: unknown): ServerFrame {
  assertServerFrame(value);
  return value;
}

function assertServerFrame(value: unknown): asserts value is ServerFrame {
  const problem = serverFrame(value);
  if (problem !== undefined) throw new FrameError(problem);
}

const block: Check = (value) => (messageBlock.safeParse(value).success ? undefined : 'must be a block');

const node = shape({
  id: text,
  parent: text,
  role: oneOf('user', 'assistant', 'tool'),
  blocks: listOf(block),
  source: anyObject,
  time: whole,
  touched: whole,
});

const cursor = shape({ epoch: text, seq: whole });
const textCursor = shape({ agent: text, block: text, version: whole, anchor: whole, head: whole });
const splice = shape({ at: whole, delete: whole, insert: text });
const turn = shape({ turn: text, node: text });
const waiting = { id: text, blocks: listOf(block) };

/** The fields that the replica looks at in each kind of event. */
const events: Record<WireEvent['type'], Check> = {
  'text-appended': shape({ block: text, field: text, version: whole, text }),
  'text-changed': shape({ block: text, version: whole, changes: listOf(splice) }),
  output: shape({ block: text, field: oneOf('stdout', 'stderr'), version: whole, bytes: whole, tail: text }),
  'status-changed': shape({ block: text, version: whole, status: oneOf('pending', 'running', 'done', 'error') }),
  'block-added': shape({ node: text, index: whole, block }),
  'block-changed': shape({ node: text, block }),
  'block-removed': shape({ node: text, block: text }),
  'node-added': shape({ node }),
  'node-changed': shape({
    node: text,
    set: anyObject,
    blocks: optional(listOf((value) => (typeof value === 'string' ? undefined : block(value)))),
  }),
  'node-removed': shape({ node: text }),
  'node-restored': shape({ node: text }),
  'node-moved': shape({ node: text, parent: text }),
  'root-changed': anyObject,
  bookmark: shape({ node: text }),
  'turn-started': shape({ turn: text, node: text, provider: text, model: text }),
  'turn-retrying': shape({ turn: text, reason: text }),
  'turn-ended': shape({ turn: text }),
  'tool-started': turn,
  approval: turn,
  'message-waiting': shape({ ...waiting, turn: text, kind: oneOf('steer', 'queue') }),
  'message-taken': shape({ id: text }),
  'files-undone': shape({ turn: text, to: oneOf('undone', 'done'), files: listOf(text) }),
};

const root = shape({
  config: anyObject,
  tags: listOf(text),
  deleted: truth,
  archived: optional(truth),
  project: optional(text),
  bookmarks: anyObject,
  turns: listOf(turn),
  endings: listOf(turn),
  waiting: listOf(shape(waiting)),
});

const frames: Record<ServerFrame['type'], Check> = {
  change: shape({
    epoch: text,
    seq: whole,
    time: whole,
    agent: text,
    // A newer server may tell more; what a client does not know it passes over.
    events: listOf(shapeByType(events, undefined)),
    turn: optional(text),
  }),
  ack: shape({ id: text, version: whole }),
  cursor: shape({ cursor: textCursor }),
  here: shape({ agent: text }),
  gone: shape({ agent: text }),
  resync: anyObject,
  refused: shape({ id: text, refusal: shape({ reason: text }) }),
  opened: shape({
    id: text,
    block: text,
    client: whole,
    version: whole,
    since: whole,
    text,
    update: optional(text),
  }),
  welcome: shape({
    id: text,
    agent: text,
    cursor,
    here: listOf(text),
    cursors: listOf(textCursor),
    snapshot: optional(
      shape({ root, leaf: optional(text), nodes: listOf(node), others: whole, drafts: optional(listOf(node)) }),
    ),
  }),
  outline: shape({
    nodes: listOf(shape({ id: text, parent: text, role: text, time: whole, touched: whole })),
    isLast: truth,
  }),
  nodes: shape({ id: text, nodes: listOf(node), gone: listOf(text) }),
};

const serverFrame = shapeByType(frames, 'must be of a known type');
