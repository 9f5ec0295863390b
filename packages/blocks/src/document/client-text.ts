import * as Y from 'yjs';
import { cleanText } from '../text/clean-text.ts';
import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import type { IdRange } from './id-range.ts';
import { isHigh, isLow } from '../text/utf8.ts';
import { createDocument, deletesIn, rootText, seedClient, splicesOf, textName } from './yjs-document.ts';

/** What a client begins with: the text, and the whole document in base64 if there is one already. */
export interface ClientSeed {
  readonly text: string;
  readonly update?: string;
}

/**
 * The text of one block at a client that edits along. It takes in what others have done and makes updates of what is
 * typed here, in base64. A client id belongs to one such text and is never used for another document of the block.
 */
export class ClientText {
  readonly client: number;
  #text: string;
  /** Built for the first edit: until then the text itself is all there is to know. */
  #doc: Y.Doc | undefined;
  /** How long the text was that every client's document begins with; none once the document has begun. */
  #growing: number | undefined;

  constructor(client: number, { text, update }: ClientSeed) {
    this.client = client;
    this.#text = text;
    if (update === undefined) {
      this.#growing = text.length;
    } else {
      const doc = new Y.Doc({ gc: false, guid: textName });
      // Under this id, which is in no document yet: Yjs takes another one when it meets its own.
      doc.clientID = client;
      Y.applyUpdate(doc, fromBase64(update));
      this.#doc = doc;
      this.#text = rootText(doc).toJSON();
    }
  }

  get text(): string {
    return this.#text;
  }

  /** Replaces parts of the text, in offsets of the text before; returns the update for the others. */
  edit(splices: readonly TextSplice[]): string {
    const doc = this.#document();
    const text = rootText(doc);
    const ordered = [...splices].sort((a, b) => a.at - b.at);
    for (const { at, delete: count } of ordered) {
      if (at < 0 || count < 0 || at + count > this.#text.length)
        throw new RangeError('an edit must lie within the text');
      if (isInsidePair(this.#text, at) || isInsidePair(this.#text, at + count)) {
        throw new RangeError('an edit must not cut a surrogate pair');
      }
    }
    const cleaned = ordered.map((splice) => ({ ...splice, insert: cleanText(splice.insert) }));
    const updates: Uint8Array[] = [];
    const note = (update: Uint8Array): void => void updates.push(update);
    doc.clientID = this.client;
    doc.on('update', note);
    Y.transact(doc, () => {
      for (const { at, delete: count, insert } of cleaned.toReversed()) {
        if (count > 0) text.delete(at, count);
        if (insert !== '') text.insert(at, insert);
      }
    });
    doc.off('update', note);
    this.#text = spliceText(this.#text, cleaned);
    return toBase64(updates.length === 1 && updates[0] !== undefined ? updates[0] : Y.mergeUpdates(updates));
  }

  /** Takes in an update that every client gets: repeating it does no harm. */
  apply(update: string): void {
    this.#integrate(update);
    this.#growing = undefined;
  }

  /** Takes in an update that was made here, in an earlier document of this text, and that others may not have yet. */
  restore(update: string): void {
    this.#integrate(update);
  }

  /**
   * Text came to the end of what every client begins with. False if there have been updates: from then on they alone say
   * where text goes, and the caller has to start over.
   */
  grow(added: string): boolean {
    if (this.#growing === undefined) return false;
    const length = this.#growing;
    this.#growing += added.length;
    const doc = this.#doc;
    if (doc === undefined) {
      this.#text += added;
    } else if (added !== '') {
      // As if it came from elsewhere: Yjs forgets where it last was in the text only then.
      Y.transact(doc, (transaction) => growSeed(transaction, length, added), undefined, false);
      this.#text = rootText(doc).toJSON();
    }
    return true;
  }

  /** The text without these updates, which were made here. What others have deleted as well counts as there. */
  without(updates: readonly string[]): string {
    if (this.#doc === undefined || updates.length === 0) return this.#text;
    const [inserted, deleted] = [new CharacterSet(), new CharacterSet()];
    for (const update of updates.map(fromBase64)) {
      for (const { id, length } of Y.decodeUpdate(update).structs) {
        inserted.add({ client: id.client, clock: id.clock, length });
      }
      for (const range of deletesIn(update)) deleted.add(range);
    }
    let text = '';
    for (let item = rootText(this.#doc)._start; item !== null; item = item.right) {
      if (!(item.content instanceof Y.ContentString)) continue;
      for (let offset = 0; offset < item.length; offset += 1) {
        const [client, clock] = [item.id.client, item.id.clock + offset];
        const isThere = (!item.deleted || deleted.has(client, clock)) && !inserted.has(client, clock);
        if (isThere) text += item.content.str.charAt(offset);
      }
    }
    return text;
  }

  /** The whole document, in base64, for the time after this one: another client id goes on with it. */
  encode(): string {
    return toBase64(Y.encodeStateAsUpdate(this.#document()));
  }

  #integrate(update: string): void {
    const doc = this.#document();
    const text = rootText(doc);
    let splices: TextSplice[] = [];
    const observer = (event: Y.YTextEvent): void => void (splices = splicesOf(event.delta));
    text.observe(observer);
    // It may hold characters of this client, at which Yjs would take fright; of the seed's it never does.
    doc.clientID = seedClient;
    Y.applyUpdate(doc, fromBase64(update));
    text.unobserve(observer);
    this.#text = spliceText(this.#text, splices);
  }

  #document(): Y.Doc {
    this.#doc ??= createDocument(this.#text);
    return this.#doc;
  }
}

/** Puts text behind the last character of the seed, in front of whatever others have put there. */
function growSeed(transaction: Y.Transaction, length: number, added: string): void {
  const { doc } = transaction;
  const left = length === 0 ? null : Y.getItemCleanEnd(transaction, doc.store, Y.createID(seedClient, length - 1));
  const content = new Y.ContentString(added);
  const id = Y.createID(seedClient, length);
  new Y.Item(id, left, left?.lastId ?? null, null, null, rootText(doc), null, content).integrate(transaction, 0);
}

/** Ids of characters. */
class CharacterSet {
  readonly #clocks = new Map<number, Set<number>>();

  add({ client, clock, length }: IdRange): void {
    const clocks = this.#clocks.get(client) ?? new Set();
    this.#clocks.set(client, clocks);
    for (let offset = 0; offset < length; offset += 1) clocks.add(clock + offset);
  }

  has(client: number, clock: number): boolean {
    return this.#clocks.get(client)?.has(clock) === true;
  }
}

function isInsidePair(text: string, offset: number): boolean {
  return offset > 0 && isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}
