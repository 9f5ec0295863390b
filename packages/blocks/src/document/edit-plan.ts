import * as Y from 'yjs';
import { sortRanges } from './id-range.ts';
import type { IdRange } from './id-range.ts';
import { itemsIn } from './yjs-document.ts';

/** The effect of an edit on a document, by ids, so that it can be written down before it is done. */
export interface EditPlan {
  /** New texts, each between two characters that are there already. */
  readonly inserts: readonly PlannedInsert[];
  readonly deletes: readonly IdRange[];
}

export interface PlannedInsert {
  readonly left: Y.ID | null;
  readonly right: Y.ID | null;
  readonly text: string;
}

/** The update that tells other documents of a plan that a client carries out. */
export function encodePlan(text: Y.Text, client: number, clock: number, { inserts, deletes }: EditPlan): Uint8Array {
  const encoder = emptyEncoder();
  // In this version of the format every number is written alike, a length or not.
  encoder.writeLen(inserts.length > 0 ? 1 : 0);
  if (inserts.length > 0) {
    encoder.writeLen(inserts.length);
    encoder.writeClient(client);
    encoder.writeLen(clock);
  }
  let next = clock;
  for (const { left, right, text: inserted } of inserts) {
    const content = new Y.ContentString(inserted);
    new Y.Item(Y.createID(client, next), null, left, null, right, text, null, content).write(encoder, 0);
    next += inserted.length;
  }
  // A replica that has to put deletions aside for later loses some of those that are not in order.
  const byClient = Map.groupBy(sortRanges(deletes), (range) => range.client);
  encoder.writeLen(byClient.size);
  for (const [deleted, ranges] of byClient) {
    encoder.resetDsCurVal();
    encoder.writeClient(deleted);
    encoder.writeLen(ranges.length);
    for (const range of ranges) {
      encoder.writeDsClock(range.clock);
      encoder.writeDsLen(range.length);
    }
  }
  return encoder.toUint8Array();
}

/** A plan with the client that carries it out, and the clock of its first insertion. */
export interface ClientPlan {
  readonly client: number;
  readonly clock: number;
  readonly plan: EditPlan;
}

/** The plan that an update was written from. Only for updates out of a log: what clients send is not that simple. */
export function decodePlan(update: Uint8Array): ClientPlan {
  const { structs, ds } = Y.decodeUpdate(update);
  const inserts = structs.map((struct): PlannedInsert => {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentString)) {
      throw new TypeError('an update holds something other than text');
    }
    return { left: struct.origin, right: struct.rightOrigin, text: struct.content.str };
  });
  const deletes: IdRange[] = [];
  ds.clients.forEach((ranges, client) => {
    for (const { clock, len: length } of ranges) deletes.push({ client, clock, length });
  });
  const { client, clock } = structs[0]?.id ?? { client: 0, clock: 0 };
  return { client, clock, plan: { inserts, deletes } };
}

// Making an encoder takes longer than encoding a keystroke, and two plans are never encoded at once.
const reused = new Y.UpdateEncoderV1();

function emptyEncoder(): Y.UpdateEncoderV1 {
  reused.restEncoder.cpos = 0;
  reused.restEncoder.bufs = [];
  return reused;
}

/** Carries out a plan, under the document's client id. */
export function executePlan(transaction: Y.Transaction, text: Y.Text, { inserts, deletes }: EditPlan): void {
  const { doc } = transaction;
  for (const { left: leftId, right: rightId, text: inserted } of inserts) {
    const left = leftId === null ? null : Y.getItemCleanEnd(transaction, doc.store, leftId);
    const right = rightId === null ? null : Y.getItemCleanStart(transaction, rightId);
    const id = Y.createID(doc.clientID, Y.getState(doc.store, doc.clientID));
    const content = new Y.ContentString(inserted);
    new Y.Item(id, left, leftId, right, rightId, text, null, content).integrate(transaction, 0);
  }
  for (const range of deletes) for (const item of itemsIn(transaction, range)) item.delete(transaction);
}
