import * as Y from 'yjs';
import { cleanText } from '../text/clean-text.ts';
import { mergeSplices } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { decodePlan, encodePlan } from './edit-plan.ts';
import { sortRanges } from './id-range.ts';
import type { IdRange } from './id-range.ts';
import { TextChunks } from './text-chunks.ts';
import { CharacterSet, effectOf } from './update-effect.ts';
import { createDocument, deletesIn, itemsIn, rootText, seedClient, splicesOf, textName } from './yjs-document.ts';

/** The text that a client begins with, and the whole document in base64 if there is one already. */
export interface ClientSeed {
  readonly text: string;
  readonly update?: string;
  /**
   * With an update: the length of the text that every client begins with, if that still grows by appends
   * (`ClientText.growing`).
   */
  readonly growing?: number;
}

/**
 * The text of one block at a client that edits along. It takes in the edits of others and makes updates of the typing here,
 * in base64; either way it returns the splices by which the text has changed, in UTF-16 offsets of the text before, so that
 * an editor follows without comparing texts. A client id belongs to one such text and is never used for another document of
 * the block.
 */
export class ClientText {
  readonly client: number;
  readonly #chunks: TextChunks;
  /** The text as one string, once it was asked for. */
  #joined: string | undefined;
  /** Built for the first edit: until then the text itself is all there is to know. */
  #doc: Y.Doc | undefined;
  #growing: number | undefined;
  /** The deletions of others while something that was typed here may still be taken back. */
  #deletedByOthers = new CharacterSet();
  /** Insertions that were taken back, as updates that delete the inserted text. */
  #hollow: Uint8Array[] = [];

  constructor(client: number, { text, update, growing }: ClientSeed) {
    this.client = client;
    if (update === undefined) {
      this.#growing = text.length;
      this.#chunks = new TextChunks(text);
    } else {
      const doc = new Y.Doc({ gc: false, guid: textName });
      // Under this id, which is in no document yet: Yjs takes another one when it meets its own.
      doc.clientID = client;
      Y.applyUpdate(doc, fromBase64(update));
      this.#doc = doc;
      this.#growing = growing;
      this.#chunks = new TextChunks(rootText(doc).toJSON());
    }
  }

  get text(): string {
    this.#joined ??= this.#chunks.text;
    return this.#joined;
  }

  /** The length of the text that every client's document begins with; `undefined` once an update has come. */
  get growing(): number | undefined {
    return this.#growing;
  }

  /** Replaces parts of the text, in offsets of the text before. Returns the update for the others, and the splices made. */
  edit(splices: readonly TextSplice[]): { update: string; splices: TextSplice[] } {
    const doc = this.#document();
    const text = rootText(doc);
    const ordered = mergeSplices(splices);
    for (const { at, delete: count } of ordered) {
      if (at < 0 || count < 0 || at + count > this.#chunks.length)
        throw new RangeError('an edit must lie within the text');
      if (this.#chunks.isInsidePair(at) || this.#chunks.isInsidePair(at + count)) {
        throw new RangeError('an edit must not cut a surrogate pair');
      }
    }
    const cleaned = ordered.map((splice) => ({ ...splice, insert: cleanText(splice.insert) }));
    // Insertions that were taken back have used ids up, and a server takes none whose predecessors it does not know.
    const updates = this.#hollow;
    this.#hollow = [];
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
    this.#splice(cleaned);
    const [first] = updates;
    return {
      update: toBase64(updates.length === 1 && first !== undefined ? first : Y.mergeUpdates(updates)),
      splices: cleaned,
    };
  }

  /** Takes in an update that every client gets: repeating it does no harm. */
  apply(update: string): TextSplice[] {
    const bytes = fromBase64(update);
    for (const range of deletesIn(bytes)) this.#deletedByOthers.add(range);
    const splices = this.#integrate(bytes);
    this.#growing = undefined;
    return splices;
  }

  /** Takes in an update that was made here, in an earlier document of this text, and that others may not have yet. */
  restore(update: string): TextSplice[] {
    const bytes = fromBase64(update);
    for (const range of deletesIn(bytes)) this.#noteDeleted(range);
    return this.#integrate(bytes);
  }

  /**
   * Appends text to the end of what every client begins with. `undefined` if there have been updates: from then on they
   * alone say where text goes, and the caller has to start over.
   */
  grow(added: string): TextSplice[] | undefined {
    if (this.#growing === undefined) return undefined;
    const length = this.#growing;
    this.#growing += added.length;
    if (added === '') return [];
    const doc = this.#doc;
    // Applied as if it came from elsewhere: only then does Yjs forget its last place in the text.
    const splices =
      doc === undefined
        ? [{ at: this.#chunks.length, delete: 0, insert: added }]
        : observe(doc, () => Y.transact(doc, (transaction) => growSeed(transaction, length, added), undefined, false));
    this.#splice(splices);
    return splices;
  }

  /**
   * Takes back the last edits that were made here, given by their updates, as if they had not been typed. Only for edits
   * that no one else has seen and will see: others are undone by the server, which knows what else they touch.
   */
  retract(updates: readonly string[]): TextSplice[] {
    const bytes = updates.map(fromBase64);
    const { inserted, deleted } = effectOf(bytes);
    const own = new CharacterSet(inserted);
    const back = sortRanges(deleted).flatMap((range) => own.outside(range));
    this.#hollow.push(this.#hollowOf(bytes));
    return this.#turn(
      sortRanges(inserted),
      back.flatMap((range) => this.#deletedByOthers.outside(range)),
    );
  }

  /** Makes edits again that were retracted last, if nothing was typed since. */
  reinstate(updates: readonly string[]): TextSplice[] {
    const { inserted, deleted } = effectOf(updates.map(fromBase64));
    const gone = new CharacterSet(deleted);
    this.#hollow.pop();
    return this.#turn(
      sortRanges(deleted),
      sortRanges(inserted).flatMap((range) => gone.outside(range)),
    );
  }

  /** Notes that nothing typed here so far will be retracted: the deletions of others meanwhile need not be known. */
  settle(): void {
    this.#deletedByOthers = new CharacterSet();
  }

  /**
   * Returns the text without these updates, which were made here. Characters that others have deleted as well count as
   * there.
   */
  without(updates: readonly string[]): string {
    if (this.#doc === undefined || updates.length === 0) return this.text;
    const effect = effectOf(updates.map(fromBase64));
    const [inserted, deleted] = [new CharacterSet(effect.inserted), new CharacterSet(effect.deleted)];
    let text = '';
    for (let item = rootText(this.#doc)._start; item !== null; item = item.right) {
      const { content, id, length } = item;
      if (!(content instanceof Y.ContentString)) continue;
      const others = inserted.outside({ client: id.client, clock: id.clock, length });
      const there = item.deleted ? others.flatMap((range) => deleted.within(range)) : others;
      for (const part of there) text += content.str.slice(part.clock - id.clock, part.clock - id.clock + part.length);
    }
    return text;
  }

  /** The whole document, in base64, for the time after this one: another client id goes on with it. */
  encode(): string {
    return toBase64(Y.encodeStateAsUpdate(this.#document()));
  }

  #integrate(update: Uint8Array): TextSplice[] {
    const doc = this.#document();
    // The update may hold characters of this client, which would make Yjs change its id; it never holds characters of the
    // seed.
    doc.clientID = seedClient;
    const splices = observe(doc, () => Y.applyUpdate(doc, update));
    this.#splice(splices);
    return splices;
  }

  /** Remembers the characters of a run to delete that are deleted already. */
  #noteDeleted({ client, clock, length }: IdRange): void {
    const { store } = this.#document();
    const end = Math.min(clock + length, Y.getState(store, client));
    for (let next = clock; next < end;) {
      const item = Y.getItem(store, Y.createID(client, next));
      const stop = Math.min(end, item.id.clock + item.length);
      if (item.deleted) this.#deletedByOthers.add({ client, clock: next, length: stop - next });
      next = stop;
    }
  }

  /** An update that inserts what updates of this client insert, deleted at once: it does nothing but use up the ids. */
  #hollowOf(updates: readonly Uint8Array[]): Uint8Array {
    const plans = updates.map(decodePlan).filter(({ client }) => client === this.client);
    const inserts = plans.flatMap(({ plan }) => plan.inserts);
    const [clock, length] = [plans[0]?.clock ?? 0, inserts.reduce((sum, { text }) => sum + text.length, 0)];
    const deletes = length === 0 ? [] : [{ client: this.client, clock, length }];
    return encodePlan(rootText(this.#document()), this.client, clock, { inserts, deletes });
  }

  /** Hides characters and shows others again, at this client alone. */
  #turn(hidden: readonly IdRange[], shown: readonly IdRange[]): TextSplice[] {
    const doc = this.#document();
    const text = rootText(doc);
    const splices: TextSplice[] = [];
    // Applied as if it came from elsewhere: only then does Yjs forget its last place in the text.
    const turn = (transaction: Y.Transaction): void => {
      const gone = new Set(hidden.flatMap((range) => itemsIn(transaction, range)).filter((item) => !item.deleted));
      const come = new Set(shown.flatMap((range) => itemsIn(transaction, range)).filter((item) => item.deleted));
      let at = 0;
      let open: TextSplice | undefined;
      for (let item = text._start; item !== null; item = item.right) {
        const isMoved = gone.has(item) || come.has(item);
        if (isMoved && open === undefined) splices.push((open = { at, delete: 0, insert: '' }));
        if (open !== undefined && gone.has(item)) open.delete += item.length;
        if (open !== undefined && come.has(item) && item.content instanceof Y.ContentString)
          open.insert += item.content.str;
        if (!item.deleted) at += item.length;
        if (!item.deleted && !isMoved) open = undefined;
      }
      for (const item of gone) item.delete(transaction);
      for (const item of come) {
        item.deleted = false;
        text._length += item.length;
      }
      if (text._searchMarker !== null) text._searchMarker.length = 0;
    };
    Y.transact(doc, turn, undefined, false);
    this.#splice(splices);
    return splices;
  }

  /** Follows the changes of the document. */
  #splice(splices: readonly TextSplice[]): void {
    if (splices.length > 0) this.#joined = undefined;
    for (const splice of splices.toReversed()) this.#chunks.splice(splice);
  }

  #document(): Y.Doc {
    this.#doc ??= createDocument(this.text);
    return this.#doc;
  }
}

/** Does something to the text of a document; returns how the text has changed. */
function observe(doc: Y.Doc, work: () => void): TextSplice[] {
  const text = rootText(doc);
  let splices: TextSplice[] = [];
  const observer = (event: Y.YTextEvent): void => void (splices = splicesOf(event.delta));
  text.observe(observer);
  try {
    work();
  } finally {
    text.unobserve(observer);
  }
  return splices;
}

/** Puts text behind the last character of the seed, in front of any text that others have put there. */
function growSeed(transaction: Y.Transaction, length: number, added: string): void {
  const { doc } = transaction;
  const left = length === 0 ? null : Y.getItemCleanEnd(transaction, doc.store, Y.createID(seedClient, length - 1));
  const content = new Y.ContentString(added);
  const id = Y.createID(seedClient, length);
  new Y.Item(id, left, left?.lastId ?? null, null, null, rootText(doc), null, content).integrate(transaction, 0);
}
