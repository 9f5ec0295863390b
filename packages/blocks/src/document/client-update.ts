import * as Y from 'yjs';
import type { UpdateRefusal } from './block-text.ts';
import type { EditPlan, PlannedInsert } from './edit-plan.ts';
import type { IdRange } from './id-range.ts';
import { isHigh, isLow } from '../text/utf8.ts';
import { textName } from './yjs-document.ts';

/**
 * The door for updates that clients have made: everything in it was inserted under the client's own id, nothing that it
 * builds on is missing, and it holds only text and deletions that leave whole characters behind. Returns the new part of it,
 * to be encoded afresh: Yjs reads the same bytes in more than one way, and a client may insert twice under one id, with
 * another text the second time.
 */
export function readUpdate(
  doc: Y.Doc,
  client: number,
  update: Uint8Array,
): { ok: true; plan: EditPlan } | UpdateRefusal {
  let decoded: ReturnType<typeof Y.decodeUpdate>;
  try {
    decoded = Y.decodeUpdate(update);
  } catch (error) {
    return refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const known = Y.getState(doc.store, client);
  const inserts: PlannedInsert[] = [];
  // The insertions, character by character, so that a look at one costs the same wherever it is.
  const fresh: number[] = [];
  const characterAt = (id: Y.ID): number | undefined => {
    if (id.client === client && id.clock >= known) return fresh[id.clock - known];
    return id.clock >= 0 && id.clock < Y.getState(doc.store, id.client) ? characterOf(doc, id) : undefined;
  };
  for (const struct of decoded.structs) {
    const { client: author, clock } = struct.id;
    if (!(struct instanceof Y.Item)) return refuse('holds something other than inserted text');
    if (author !== client) return refuse(`inserts as client ${author}, and this is client ${client}`);
    const next = known + fresh.length;
    if (clock > next) return refuse(`begins at ${clock}, but only ${next} characters of client ${client} are known`);
    const { content } = struct;
    if (!(content instanceof Y.ContentString)) return refuse('holds something other than inserted text');
    const text = content.str.slice(next - clock);
    if (!content.str.isWellFormed() || !text.isWellFormed() || content.str.includes('\0')) {
      return refuse('holds half a character, or NUL');
    }
    if (struct.parentSub !== null || !belongsToText(struct)) return refuse('changes something other than the text');
    // Only items that stand before it in the update, or are in the document already, are known here.
    const [before, after] = [struct.origin, struct.rightOrigin].map((id) => (id === null ? 0 : characterAt(id)));
    if (before === undefined || after === undefined) return refuse('builds on text that is not there');
    if (isHigh(before) || isLow(after)) return refuse('inserts in the middle of a character');
    if (text === '') continue;
    inserts.push({
      left: clock < next ? Y.createID(client, next - 1) : struct.origin,
      right: struct.rightOrigin,
      text,
    });
    for (let index = 0; index < text.length; index += 1) fresh.push(text.charCodeAt(index));
  }
  const deletes: IdRange[] = [];
  for (const [author, ranges] of decoded.ds.clients) {
    for (const { clock, len: length } of ranges) {
      const first = characterAt(Y.createID(author, clock));
      const last = characterAt(Y.createID(author, clock + length - 1));
      if (length === 0 || first === undefined || last === undefined) return refuse('deletes text that is not there');
      if (isLow(first) || isHigh(last)) return refuse('deletes half a character');
      deletes.push({ client: author, clock, length });
    }
  }
  return { ok: true, plan: { inserts, deletes } };
}

function refuse(problem: string): UpdateRefusal {
  return { ok: false, problem };
}

/**
 * Returns true if an item belongs to the text: one with a neighbor belongs where that one does; else it names its parent.
 */
function belongsToText({ origin, rightOrigin, parent }: Y.Item): boolean {
  // An item that was decoded and not integrated has a name for a parent, despite its type.
  const name: unknown = parent;
  return origin !== null || rightOrigin !== null || name === textName;
}

function characterOf(doc: Y.Doc, id: Y.ID): number | undefined {
  const { content, id: start } = Y.getItem(doc.store, id);
  return content instanceof Y.ContentString ? content.str.charCodeAt(id.clock - start.clock) : undefined;
}
