import * as Y from 'yjs';
import { mergeSplices } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import type {
  BlockText,
  EditAuthor,
  LoggedEdit,
  SeedRun,
  TextCopy,
  TextEdit,
  UnitFlip,
  UpdateRefusal,
} from './block-text.ts';
import { readUpdate } from './client-update.ts';
import { CopyBook } from './copy-book.ts';
import { decodePlan, encodePlan, executePlan } from './edit-plan.ts';
import type { ClientPlan, EditPlan, PlannedInsert } from './edit-plan.ts';
import { pushRange, sortRanges } from './id-range.ts';
import type { IdRange } from './id-range.ts';
import { TextChunks } from './text-chunks.ts';
import { UndoUnits } from './undo-units.ts';
import type { UndoUnit } from './undo-units.ts';
import { createDocument, QuietDocument, rootText, seedClient, splicesOf } from './yjs-document.ts';

/** A block's text as a Yjs document. */
export class BlockDocument implements BlockText {
  readonly #doc: Y.Doc;
  readonly #text: Y.Text;
  readonly #units = new UndoUnits();
  readonly #copies = new CopyBook();
  /** None until a place in the text is asked for. */
  #chunked: TextChunks | undefined;
  /** The last plan. When its update comes back from the log, it need not be read. */
  #planned: Planned | undefined;
  /** An update of a client that was taken in before it was logged. */
  #taken: string | undefined;

  constructor(seed: string, runs: readonly SeedRun[] = []) {
    this.#doc = createDocument(seed, QuietDocument);
    this.#text = rootText(this.#doc);
    for (const run of runs) {
      const { at: clock, length } = run;
      this.#units.record(run, { inserted: [{ client: seedClient, clock, length }], deleted: [] });
    }
  }

  get text(): string {
    return this.#chunks.text;
  }

  get length(): number {
    return this.#chunks.length;
  }

  get units(): readonly UndoUnit[] {
    return this.#units.all;
  }

  offsetOfByte(byte: number): number | undefined {
    return this.#chunks.offsetOfByte(byte);
  }

  isInsidePair(offset: number): boolean {
    return this.#chunks.isInsidePair(offset);
  }

  undoable(agent: string): UndoUnit | undefined {
    return this.#units.undoable(agent);
  }

  redoable(agent: string): UndoUnit | undefined {
    return this.#units.redoable(agent);
  }

  planEdit(client: number, splices: readonly TextSplice[]): TextEdit {
    return this.#planSplices(client, splices, (place, [first]) => (first === undefined ? place : this.#before(first)));
  }

  /** `gap` says where text goes that stands at a place and takes the place of some ranges. */
  #planSplices(
    client: number,
    splices: readonly TextSplice[],
    gap: (place: Gap, gone: readonly IdRange[]) => Pick<Gap, 'left' | 'right'>,
  ): TextEdit {
    const merged = mergeSplices(splices);
    const inserts: PlannedInsert[] = [];
    const deletes: IdRange[] = [];
    for (const { at, delete: count, insert } of merged) {
      if (this.isInsidePair(at) || this.isInsidePair(at + count)) {
        throw new RangeError('an edit must not cut a surrogate pair');
      }
      const place = this.#placeBehind(at);
      const gone = this.#visibleFrom(place, count);
      const { left, right } = gap(place, gone);
      if (insert !== '') inserts.push({ left, right, text: insert });
      for (const range of gone) pushRange(deletes, range);
    }
    return this.#plan(client, { inserts, deletes }, merged);
  }

  planAppend(author: EditAuthor, client: number, text: string, behindUnit: boolean): TextEdit {
    const last = behindUnit ? this.#units.lastInserted(author.agent, author.unit) : undefined;
    // The current place of the character: it may have gone and come back.
    const [place] = last === undefined ? [] : this.#copies.currentOf({ ...last, length: 1 });
    const left = place ? Y.createID(place.current.client, place.current.clock) : (this.#lastItem()?.lastId ?? null);
    const { right, offset } = left === null ? { right: null, offset: 0 } : this.#behind(left);
    const isEmpty = text === '';
    const splices = isEmpty ? [] : [{ at: offset, delete: 0, insert: text }];
    return this.#plan(client, { inserts: isEmpty ? [] : [{ left, right, text }], deletes: [] }, splices);
  }

  planFlip(client: number, unit: number): UnitFlip {
    const inserts: PlannedInsert[] = [];
    const deletes: IdRange[] = [];
    const copies: TextCopy[] = [];
    let clock = Y.getState(this.#doc.store, client);
    const touched = this.#units.visibilityFlipped(unit);
    for (const { visible, ...original } of touched) {
      for (const { current, origin } of this.#copies.currentOf(original)) {
        for (const part of this.#partsOf(current)) {
          if (part.deleted !== visible) continue;
          const { client: of, clock: start, length } = part;
          if (!visible) {
            deletes.push({ client: of, clock: start, length });
            continue;
          }
          // Beside its newest tombstone, so that it stands where it stood.
          inserts.push({ left: part.left, right: Y.createID(of, start), text: part.text });
          copies.push([client, clock, length, origin.client, origin.clock + start - current.clock]);
          clock += length;
        }
      }
    }
    const { update, splices } = this.#plan(client, { inserts, deletes }, this.#splicesOfFlip(inserts, deletes));
    const flip = { unit, splices, copies };
    return inserts.length + deletes.length === 0 ? flip : { ...flip, update };
  }

  takeUpdate(author: EditAuthor, client: number, update: Uint8Array): { ok: true; edit: TextEdit } | UpdateRefusal {
    this.#refuseUnlogged();
    const read = readUpdate(this.#doc, client, update);
    if (!read.ok) return read;
    const edit = this.#take(author, client, read.plan);
    this.#taken = edit.update;
    return { ok: true, edit };
  }

  applyTogether(work: () => void): void {
    Y.transact(this.#doc, work);
  }

  applyEdit(edit: LoggedEdit): void {
    const { client, splices, update } = edit;
    if (this.#taken !== undefined && this.#taken === update) {
      this.#taken = undefined;
      return;
    }
    this.#refuseUnlogged();
    this.#execute(edit, this.#logged(update ?? this.#planSplices(client, splices, (place) => place).update));
  }

  applyFlip({ unit, update, copies }: Omit<UnitFlip, 'splices'>): void {
    this.#refuseUnlogged();
    this.#units.flip(unit);
    for (const copy of copies) this.#copies.add(copy);
    if (update !== undefined) this.#execute(undefined, this.#logged(update));
  }

  cut(offset: number): void {
    this.#refuseUnlogged();
    const deletes = this.#visibleFrom(this.#placeBehind(0), offset);
    const cutAway = this.#everythingBefore(this.#placeBehind(offset));
    const splices = [{ at: 0, delete: offset, insert: '' }];
    this.#execute(undefined, { client: seedClient, clock: 0, plan: { inserts: [], deletes }, splices });
    this.#units.cut(cutAway.flatMap((range) => this.#copies.originalsOf(range)));
  }

  encode(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc);
  }

  #plan(client: number, plan: EditPlan, splices: TextSplice[]): TextEdit {
    const clock = Y.getState(this.#doc.store, client);
    const update = toBase64(encodePlan(this.#text, client, clock, plan));
    this.#planned = { update, client, clock, plan, splices };
    return { splices, update };
  }

  /**
   * Returns the plan of an update out of the log. It need not be read if it was planned here, and nothing has happened
   * since.
   */
  #logged(update: string): LoggedPlan {
    return this.#planned?.update === update ? this.#planned : decodePlan(fromBase64(update));
  }

  #execute(author: EditAuthor | undefined, { client, clock, plan, splices }: LoggedPlan): void {
    this.#planned = undefined;
    const length = plan.inserts.reduce((sum, { text }) => sum + text.length, 0);
    if (length > 0 && clock !== Y.getState(this.#doc.store, client)) {
      throw new RangeError(`an edit of client ${client} does not follow its edits before`);
    }
    this.#doc.clientID = client;
    Y.transact(this.#doc, (transaction) => executePlan(transaction, this.#text, plan));
    this.#spliceChunks(splices);
    if (author !== undefined) this.#record(author, length === 0 ? [] : [{ client, clock, length }], plan.deletes);
  }

  /**
   * Does what a client has planned. A delete that hits an old copy of a character is carried to the live one, and the update
   * that is answered says so.
   */
  #take(author: EditAuthor, client: number, plan: EditPlan): TextEdit {
    let splices: TextSplice[] = [];
    const observer = (event: Y.YTextEvent): void => {
      splices = splicesOf(event.delta);
    };
    const clock = Y.getState(this.#doc.store, client);
    const carried: IdRange[] = [];
    this.#text.observe(observer);
    this.#planned = undefined;
    this.#doc.clientID = client;
    try {
      Y.transact(this.#doc, (transaction) => {
        executePlan(transaction, this.#text, plan);
        for (const range of plan.deletes.flatMap((hit) => this.#copies.originalsOf(hit))) {
          for (const { current } of this.#copies.currentOf(range)) {
            carried.push(...this.#partsOf(current).filter(({ deleted }) => !deleted));
          }
        }
        executePlan(transaction, this.#text, { inserts: [], deletes: carried });
      });
    } finally {
      this.#text.unobserve(observer);
    }
    this.#spliceChunks(splices);
    const length = Y.getState(this.#doc.store, client) - clock;
    // A character that another agent has deleted already is deleted by this edit too.
    const deletes = sortRanges([...plan.deletes, ...carried]);
    this.#record(author, length === 0 ? [] : [{ client, clock, length }], deletes);
    return { splices, update: toBase64(encodePlan(this.#text, client, clock, { inserts: plan.inserts, deletes })) };
  }

  get #chunks(): TextChunks {
    this.#chunked ??= new TextChunks(this.#text.toJSON());
    return this.#chunked;
  }

  /** The text has changed, in this way if that is known: else it is cut again when it is needed. */
  #spliceChunks(splices: readonly TextSplice[] | undefined): void {
    if (splices === undefined) this.#chunked = undefined;
    else for (const splice of splices.toReversed()) this.#chunked?.splice(splice);
  }

  #record(author: EditAuthor, inserted: IdRange[], deleted: readonly IdRange[]): void {
    const originals = deleted.flatMap((range) => this.#copies.originalsOf(range));
    this.#units.record(author, { inserted, deleted: originals });
  }

  #refuseUnlogged(): void {
    if (this.#taken !== undefined) throw new Error('an update of a text was taken in but not logged');
  }

  /** The place directly behind the visible character before an offset. */
  #placeBehind(offset: number): Gap {
    if (offset === 0) return { left: null, right: this.#text._start?.id ?? null, item: this.#text._start, within: 0 };
    const { item, within } = this.#characterAt(offset - 1);
    const left = Y.createID(item.id.client, item.id.clock + within);
    if (within + 1 === item.length) return { left, right: item.right?.id ?? null, item: item.right, within: 0 };
    return { left, right: Y.createID(left.client, left.clock + 1), item, within: within + 1 };
  }

  /** The place directly before a character: behind everything before it, hidden or not. */
  #before({ client, clock }: IdRange): Pick<Gap, 'left' | 'right'> {
    const right = Y.createID(client, clock);
    const item = Y.getItem(this.#doc.store, right);
    const left = clock > item.id.clock ? Y.createID(client, clock - 1) : (item.left?.lastId ?? null);
    return { left, right };
  }

  /** The next visible characters from a place on. */
  #visibleFrom(place: Gap, count: number): IdRange[] {
    const ranges: IdRange[] = [];
    let { item, within } = place;
    for (let left = count; left > 0; within = 0) {
      if (item === null) throw new RangeError(`there are no ${count} characters`);
      if (!item.deleted) {
        const length = Math.min(left, item.length - within);
        pushRange(ranges, { client: item.id.client, clock: item.id.clock + within, length });
        left -= length;
      }
      item = item.right;
    }
    return ranges;
  }

  /** All characters before a place, hidden ones included. */
  #everythingBefore(place: Gap): IdRange[] {
    const ranges: IdRange[] = [];
    for (let item = this.#text._start; item !== null; item = item.right) {
      const length = item === place.item ? place.within : item.length;
      if (length > 0) ranges.push({ client: item.id.client, clock: item.id.clock, length });
      if (item === place.item) break;
    }
    return ranges;
  }

  /** The item of a visible character, found from the nearest known character before it. */
  #characterAt(index: number): { item: Y.Item; within: number } {
    const target = this.#chunks.chunkAt(index);
    let { index: place, start: position } = target;
    let chunk = this.#chunks.chunk(place);
    while (place > 0 && chunk?.anchor === undefined) {
      place -= 1;
      chunk = this.#chunks.chunk(place);
      position -= chunk?.text.length ?? 0;
    }
    const anchor = chunk?.anchor;
    let item: Y.Item | null = this.#text._start;
    let within = 0;
    if (anchor !== undefined) {
      item = Y.getItem(this.#doc.store, Y.createID(anchor.client, anchor.clock));
      within = anchor.clock - item.id.clock;
    }
    // The chunks on the way get their anchors too: the next search on this way finds one nearby.
    let next = anchor === undefined ? place : place + 1;
    let nextStart = anchor === undefined ? position : position + (chunk?.text.length ?? 0);
    for (; item !== null; item = item.right) {
      if (!item.deleted) {
        const end = position + item.length - within;
        for (; next <= target.index && nextStart < end; next += 1) {
          const passed = this.#chunks.chunk(next);
          const clock = item.id.clock + within + nextStart - position;
          if (passed !== undefined) passed.anchor ??= { client: item.id.client, clock };
          nextStart += passed?.text.length ?? 0;
        }
        if (index < end) return { item, within: within + index - position };
        position = end;
      }
      within = 0;
    }
    throw new RangeError(`there is no character ${index} in the text`);
  }

  /** Returns the character behind another one, seen or not, and the number of visible characters up to it. */
  #behind(id: Y.ID): { right: Y.ID | null; offset: number } {
    const item = Y.getItem(this.#doc.store, id);
    const rest = item.id.clock + item.length - 1 - id.clock;
    const right = rest === 0 ? (item.right?.id ?? null) : Y.createID(id.client, id.clock + 1);
    let behind = item.deleted ? 0 : rest;
    for (let next = item.right; next !== null; next = next.right) if (!next.deleted) behind += next.length;
    return { right, offset: this.length - behind };
  }

  #lastItem(): Y.Item | null {
    let item = this.length === 0 ? this.#text._start : this.#characterAt(this.length - 1).item;
    while (item !== null && item.right !== null) item = item.right;
    return item;
  }

  /** Cuts a run of characters into parts that are deleted or not, each with the character before it. */
  #partsOf({ client, clock, length }: IdRange): Part[] {
    const parts: Part[] = [];
    const end = clock + length;
    for (let next = clock; next < end;) {
      const item = Y.getItem(this.#doc.store, Y.createID(client, next));
      const { content, deleted } = item;
      if (!(content instanceof Y.ContentString)) throw new TypeError('a text document holds something other than text');
      const from = next - item.id.clock;
      const stop = Math.min(end, item.id.clock + item.length);
      const left = from > 0 ? Y.createID(client, next - 1) : (item.left?.lastId ?? null);
      const text = content.str.slice(from, from + stop - next);
      parts.push({ client, clock: next, length: stop - next, deleted, left, text });
      next = stop;
    }
    return parts;
  }

  /** Returns the places in the text where characters go and come, in one walk over everything that is or was there. */
  #splicesOfFlip(inserts: readonly PlannedInsert[], deletes: readonly IdRange[]): TextSplice[] {
    const gone = marksByItem(
      this.#doc,
      deletes.map(({ client, clock, length }) => ({ client, clock, length })),
    );
    const come = marksByItem(
      this.#doc,
      inserts.flatMap(({ right, text }) =>
        right === null ? [] : [{ client: right.client, clock: right.clock, length: 0, text }],
      ),
    );
    const splices: TextSplice[] = [];
    let position = 0;
    for (let item = this.#text._start; item !== null; item = item.right) {
      for (const { clock, length } of gone.get(item) ?? []) {
        splices.push({ at: position + clock - item.id.clock, delete: length, insert: '' });
      }
      for (const { text = '' } of come.get(item) ?? []) splices.push({ at: position, delete: 0, insert: text });
      if (!item.deleted) position += item.length;
    }
    return mergeSplices(splices);
  }
}

type Planned = TextEdit & ClientPlan;

/** A plan, and its effect on the text if that is known. */
interface LoggedPlan extends ClientPlan {
  readonly splices?: readonly TextSplice[];
}

/** A place between two characters, and the character behind it. */
interface Gap {
  readonly left: Y.ID | null;
  readonly right: Y.ID | null;
  readonly item: Y.Item | null;
  readonly within: number;
}

interface Part extends IdRange {
  readonly deleted: boolean;
  readonly left: Y.ID | null;
  readonly text: string;
}

type Mark = IdRange & { readonly text?: string };

/** Marks by the item that they are in, in the order of their places there. */
function marksByItem(doc: Y.Doc, marks: readonly Mark[]): Map<Y.Item, Mark[]> {
  const byItem = Map.groupBy(marks, ({ client, clock }) => Y.getItem(doc.store, Y.createID(client, clock)));
  for (const group of byItem.values()) group.sort((a, b) => a.clock - b.clock);
  return byItem;
}
