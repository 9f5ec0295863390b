import { diffSplices } from '@loom/blocks';
import { ClientText } from '@loom/blocks/document';
import { EditQueue } from '../replica/edit-queue.ts';
import type { Cursor, NodeState } from '@loom/kernel';
import { ConversationView } from '../replica/conversation-view.ts';
import { FeedPlace } from '../feed-place.ts';
import { FrameRing } from '../room/frame-ring.ts';
import type { ChangeFrame } from '../frames.ts';
import { EncodedFrame } from '../room/encoded-frame.ts';
import { parseServerFrame } from '../server-frame-parsing.ts';
import type { SentOutlineNode } from '../room/outline.ts';
import { WaitingFrames } from '../room/waiting-frames.ts';
import type { SentFrame } from '../room/waiting-frames.ts';
import { SharedText } from '../replica/shared-text.ts';
import { SharedTexts } from '../replica/shared-texts.ts';

/** A fault that is active while a test runs. */
export type PlantedFault = <T>(run: () => Promise<T>) => Promise<T>;

/** The first change after a client was told to join again is empty. */
export const forgettingAfterResync: PlantedFault = (run) => {
  const forgetful = new WeakSet<object>();
  return replacing(
    WaitingFrames.prototype,
    {
      resync: (original) =>
        function (this: object) {
          forgetful.add(this);
          return call(original, this);
        },
      push: (original) =>
        function (this: object, sent: SentFrame) {
          const isForgotten = sent.frame.type === 'change' && forgetful.delete(this);
          return call(original, this, isForgotten ? { ...sent, frame: withoutEvents(sent.frame) } : sent);
        },
    },
    run,
  );
};

function withoutEvents({ text }: EncodedFrame): EncodedFrame {
  const frame = parseServerFrame(JSON.parse(text));
  return new EncodedFrame(frame.type === 'change' ? { ...frame, events: [] } : frame);
}

/** Makes a returning client miss the oldest of the changes that it has missed. */
export const skippingInTheRing: PlantedFault = (run) =>
  replacing(
    FrameRing.prototype,
    {
      since: (original) =>
        function (this: FrameRing, cursor: Cursor) {
          const frames = call(original, this, cursor);
          return Array.isArray(frames) ? frames.slice(1) : frames;
        },
    },
    run,
  );

/** Takes the former knowledge of a node for its current state. */
export const keepingOldNodes: PlantedFault = (run) =>
  replacing(
    ConversationView.prototype,
    {
      addOutline: (original) =>
        function (this: ConversationView, nodes: readonly SentOutlineNode[], isLast: boolean) {
          const known = nodes.map((node) => ({ ...node, touched: lastTouched.get(node.id) ?? node.touched }));
          return call(original, this, known, isLast);
        },
      set: (original) =>
        function (this: ConversationView, node: NodeState) {
          if (!lastTouched.has(node.id)) lastTouched.set(node.id, node.touched);
          return call(original, this, node);
        },
    },
    run,
  );

const lastTouched = new Map<string, number>();

/** The last page of an outline never comes whole: one of its nodes is missing. */
export const losingOutlines: PlantedFault = (run) =>
  replacing(
    ConversationView.prototype,
    {
      addOutline: (original) =>
        function (this: ConversationView, nodes: readonly SentOutlineNode[], isLast: boolean) {
          return call(original, this, isLast ? nodes.slice(1) : nodes, isLast);
        },
    },
    run,
  );

/** A client applies a change as often as it arrives. */
export const applyingTwice: PlantedFault = (run) =>
  replacing(
    FeedPlace.prototype,
    {
      judge: (original) =>
        function (this: FeedPlace, change: ChangeFrame) {
          return change.seq === this.cursor?.seq ? 'next' : call(original, this, change);
        },
    },
    run,
  );

/** A client goes on with the document that it had, though it has missed something. */
export const keepingOldDocuments: PlantedFault = (run) =>
  replacing(SharedText.prototype, { reopen: () => () => {} }, run);

/** Makes a client that connects again repeat its frames under other ids. */
export const repeatingUnderOtherIds: PlantedFault = (run) => {
  let times = 0;
  return replacing(
    EditQueue.prototype,
    {
      rewind: () =>
        function (this: EditQueue) {
          const edits = [...this.edits];
          this.clear();
          for (const edit of edits) this.add({ ...edit, id: `${edit.id}+${(times += 1)}` }, 0);
        },
    },
    run,
  );
};

/** A client that comes after another one knows nothing of what that one could not save. */
export const forgettingWhatWasLeft: PlantedFault = (run) =>
  replacing(SharedTexts.prototype, { restore: () => () => {} }, run);

/** Shifts the changes of others by one character for an editor. */
export const misplacingSplices: PlantedFault = (run) =>
  replacing(
    ClientText.prototype,
    {
      apply: (original) =>
        function (this: ClientText, update: string) {
          const before = this.text;
          call(original, this, update);
          return diffSplices(before, this.text).map((splice) => ({ ...splice, at: splice.at + 1 }));
        },
    },
    run,
  );

/** Sends a redo made without a connection, but does not show it. */
export const reinstatingNothing: PlantedFault = (run) =>
  replacing(ClientText.prototype, { reinstate: () => () => [] }, run);

/** Removes an undo made without a connection from the text, but sends the undone words all the same. */
export const sendingWhatWasTakenBack: PlantedFault = (run) =>
  replacing(
    EditQueue.prototype,
    {
      takeBack: (original) =>
        function (this: EditQueue, client: number) {
          const edits = call(original, this, client);
          if (Array.isArray(edits)) this.putBack(edits);
          return edits;
        },
    },
    run,
  );

/** Makes a client without a connection take back edits that it has sent, without telling the server. */
export const takingBackWhatWasSent: PlantedFault = (run) =>
  replacing(
    EditQueue.prototype,
    {
      takeBack: () =>
        function (this: EditQueue) {
          const last = this.edits.at(-1);
          if (last !== undefined) this.acknowledge(last.id);
          return last === undefined ? [] : [last];
        },
    },
    run,
  );

type Method = (...values: never[]) => unknown;

/** Puts something else in the place of methods for as long as something runs. */
async function replacing<T>(
  object: object,
  replacements: Readonly<Record<string, (original: Method) => Method>>,
  run: () => Promise<T>,
): Promise<T> {
  const originals = Object.keys(replacements).map((name): [string, unknown] => [name, Reflect.get(object, name)]);
  for (const [name, original] of originals) {
    if (isMethod(original)) Reflect.set(object, name, replacements[name]?.(original));
  }
  try {
    return await run();
  } finally {
    for (const [name, original] of originals) Reflect.set(object, name, original);
  }
}

function call(method: Method, object: object, ...values: unknown[]): unknown {
  return Reflect.apply(method, object, values);
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
