import * as Y from 'yjs';
import type { TextSplice } from '../text/text-splice.ts';
import type { IdRange } from './id-range.ts';

/** The client whose characters are the seed of every text. No other client ever has this id. */
export const seedClient = 1;

/** The name of the one text in a document. */
export const textName = 'text';

/** Creates a document that begins with a text. Nothing in it is ever collected: deleted text may come back. */
export function createDocument(seed: string, kind: typeof Y.Doc = Y.Doc): Y.Doc {
  // A unique name costs random bytes and is used for nothing.
  const doc = new kind({ gc: false, guid: textName });
  if (seed !== '') {
    const text = rootText(doc);
    Y.transact(doc, (transaction) => {
      const id = Y.createID(seedClient, 0);
      new Y.Item(id, null, null, null, null, text, null, new Y.ContentString(seed)).integrate(transaction, 0);
    });
  }
  return doc;
}

/** A document without listeners. Reporting an edit to no listener takes Yjs a tenth of the time that the edit does. */
export class QuietDocument extends Y.Doc {
  override emit(): void {}
}

export function rootText(doc: Y.Doc): Y.Text {
  return doc.getText(textName);
}

/** The items of a run of characters, cut so that they hold nothing else. */
export function itemsIn(transaction: Y.Transaction, { client, clock, length }: IdRange): Y.Item[] {
  const items: Y.Item[] = [];
  const end = clock + length;
  for (let next = clock; next < end;) {
    let item = Y.getItemCleanStart(transaction, Y.createID(client, next));
    if (next + item.length > end) {
      item = Y.getItemCleanEnd(transaction, transaction.doc.store, Y.createID(client, end - 1));
    }
    items.push(item);
    next += item.length;
  }
  return items;
}

/** Converts Yjs's report of a changed text to splices of the text before. */
export function splicesOf(delta: Y.YTextEvent['delta']): TextSplice[] {
  const splices: TextSplice[] = [];
  let at = 0;
  let open: { at: number; delete: number; insert: string } | undefined;
  for (const { retain, delete: deleted = 0, insert = '' } of delta) {
    if (retain !== undefined) {
      at += retain;
      open = undefined;
      continue;
    }
    if (typeof insert !== 'string') throw new TypeError('a text document holds something other than text');
    if (open === undefined) {
      open = { at, delete: 0, insert: '' };
      splices.push(open);
    }
    open.delete += deleted;
    open.insert += insert;
    at += deleted;
  }
  return splices;
}

/** Returns the ranges that an update deletes, in order. */
export function deletesIn(update: Uint8Array): IdRange[] {
  const ranges: IdRange[] = [];
  Y.decodeUpdate(update).ds.clients.forEach((items, client) => {
    for (const { clock, len: length } of items) ranges.push({ client, clock, length });
  });
  return ranges.sort((a, b) => a.client - b.client || a.clock - b.clock);
}
