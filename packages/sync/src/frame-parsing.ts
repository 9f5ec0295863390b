import { isPlainObject, messageBlock } from '@loom/blocks';
import type { MessageBlock, PlainObject, TextSplice } from '@loom/blocks';
import type { Cursor, FeedEvent, NodeState, Refusal, TextCursor } from '@loom/kernel';
import type { ChangeFrame, ClientFrame, RootView, Scope, ServerFrame } from './frames.ts';
import { isAtLeast, isBoolean, isEither, isExactly, isListOf, isOneOf, isString, isWhole, isWithin } from './guards.ts';
import type { Guard } from './guards.ts';

/** Something arrived that is not a frame of this protocol. */
export class FrameError extends Error {
  readonly code = 'bad-frame';

  constructor() {
    super(
      'this is not a valid frame of the feed; close the connection, and check that both sides run the same release',
    );
    this.name = 'FrameError';
  }
}

/** Reads what a client says, strictly: it comes from outside. Throws a `FrameError`. */
export function parseClientFrame(value: unknown): ClientFrame {
  if (isClientFrame(value)) return value;
  throw new FrameError();
}

/** Reads what a server says, as far as a replica relies on it. Throws a `FrameError`. */
export function parseServerFrame(value: unknown): ServerFrame {
  if (isServerFrame(value)) return value;
  throw new FrameError();
}

/** Ids are put into a log for good. */
const longestId = 200;
const isId: Guard<string> = (value): value is string => isString(value) && value !== '' && value.length <= longestId;
const isPlace: Guard<string> = (value): value is string => isString(value) && value !== '' && value.length <= 1000;

const isCursor: Guard<Cursor> = isExactly({ epoch: isString, seq: isWhole });

const isScope: Guard<Scope> = isEither(isOneOf('whole'), isExactly({ path: isPlace }), isExactly({ subtree: isPlace }));

const isClientFrame: Guard<ClientFrame> = isEither(
  isWithin({ type: isOneOf('join'), id: isId, protocol: isWhole, root: isPlace, scope: isScope }, { cursor: isCursor }),
  isExactly({ type: isOneOf('open'), id: isId, block: isPlace }),
  isExactly({
    type: isOneOf('update'),
    block: isPlace,
    client: isWhole,
    seed: isWhole,
    edits: isListOf(isExactly({ id: isId, burst: isWhole, update: isString }), 1),
  }),
  isExactly({ type: isOneOf('cursor'), block: isPlace, anchor: isWhole, head: isWhole }),
);

const isBlock: Guard<MessageBlock> = (value): value is MessageBlock => messageBlock.safeParse(value).success;
const isObject: Guard<PlainObject> = isPlainObject;
const isStatus = isOneOf('pending', 'running', 'done', 'error');

const isNode: Guard<NodeState> = (value): value is NodeState =>
  isAtLeast({
    id: isString,
    parent: isString,
    role: isOneOf('user', 'assistant', 'tool'),
    blocks: isListOf(isBlock),
    source: isObject,
    time: isWhole,
    touched: isWhole,
  })(value);

const isSplice: Guard<TextSplice> = isExactly({ at: isWhole, delete: isWhole, insert: isString });
const isTextCursor: Guard<TextCursor> = isExactly({
  agent: isString,
  block: isString,
  version: isWhole,
  anchor: isWhole,
  head: isWhole,
});

/** What the replica looks at in each kind of event. */
const isEventOf: Record<FeedEvent['type'], Guard<unknown>> = {
  'text-appended': isAtLeast({ block: isString, field: isString, version: isWhole, text: isString }),
  'text-changed': isAtLeast({ block: isString, version: isWhole, changes: isListOf(isSplice) }),
  'status-changed': isAtLeast({ block: isString, version: isWhole, status: isStatus }),
  'block-added': isAtLeast({ node: isString, index: isWhole, block: isBlock }),
  'block-changed': isAtLeast({ node: isString, block: isBlock }),
  'block-removed': isAtLeast({ node: isString, block: isString }),
  'node-added': isAtLeast({ node: isNode }),
  'node-changed': isAtLeast({ node: isNode }),
  'node-removed': isAtLeast({ node: isString }),
  'node-restored': isAtLeast({ node: isString }),
  'node-moved': isAtLeast({ node: isString, parent: isString }),
  'root-changed': isObject,
  bookmark: isAtLeast({ node: isString }),
  'turn-started': isAtLeast({ turn: isString, node: isString, provider: isString, model: isString }),
  'turn-retrying': isAtLeast({ turn: isString, reason: isString }),
  'turn-taken': isAtLeast({ turn: isString }),
  'turn-ended': isAtLeast({ turn: isString }),
  'tool-started': isAtLeast({ turn: isString, node: isString }),
  approval: isAtLeast({ turn: isString, node: isString }),
  'message-waiting': isAtLeast({
    id: isString,
    turn: isString,
    kind: isOneOf('steer', 'queue'),
    blocks: isListOf(isBlock),
  }),
  'message-taken': isAtLeast({ id: isString }),
  'client-added': isAtLeast({ client: isWhole }),
  'counters-raised': isAtLeast({ node: isWhole, others: isWhole }),
  undone: isAtLeast({ change: isWhole }),
};

const eventGuards = new Map(Object.entries(isEventOf));

const isEvent: Guard<FeedEvent> = (value): value is FeedEvent =>
  isAtLeast({ type: isString })(value) && eventGuards.get(value.type)?.(value) === true;

const isChange: Guard<ChangeFrame> = isWithin(
  {
    type: isOneOf('change'),
    epoch: isString,
    seq: isWhole,
    time: isWhole,
    agent: isString,
    events: isListOf(isEvent),
  },
  { turn: isString },
);

const isRootView: Guard<RootView> = (value): value is RootView =>
  isAtLeast({
    config: isObject,
    tags: isListOf(isString),
    deleted: isBoolean,
    bookmarks: isObject,
    turns: isListOf(isAtLeast({ turn: isString, node: isString })),
    waiting: isListOf(isAtLeast({ id: isString, blocks: isListOf(isBlock) })),
  })(value);

const isRefusal: Guard<Refusal> = (value): value is Refusal => isAtLeast({ reason: isString })(value);

const isServerFrame: Guard<ServerFrame> = isEither(
  isChange,
  isExactly({ type: isOneOf('ack'), id: isString, version: isWhole }),
  isExactly({ type: isOneOf('cursor'), cursor: isTextCursor }),
  isExactly({ type: isOneOf('gone'), agent: isString }),
  isExactly({ type: isOneOf('resync') }),
  isExactly({ type: isOneOf('refused'), id: isString, refusal: isRefusal }),
  isWithin(
    {
      type: isOneOf('opened'),
      id: isString,
      block: isString,
      client: isWhole,
      version: isWhole,
      since: isWhole,
      text: isString,
    },
    { update: isString },
  ),
  isWithin(
    { type: isOneOf('welcome'), id: isString, agent: isString, cursor: isCursor, cursors: isListOf(isTextCursor) },
    { changes: isListOf(isChange), snapshot: isExactly({ root: isRootView, nodes: isListOf(isNode) }) },
  ),
);
