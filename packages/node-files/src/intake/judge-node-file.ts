import { contentFields, editableText, isJson, isPlainObject, stableDeepEqual, withText } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { normalizeMessage } from '@loom/blocks/legacy';
import { nodeJson } from '@loom/kernel';
import type { NodeJson, RootState } from '@loom/kernel';
import type { RootLog } from '@loom/kernel/logs';
import type { FileEntry } from '../file-ledger.ts';
import type { MergedFile } from './merged-file.ts';
import { isTooDeep, tooDeep } from '../reading/json-file.ts';
import { formatOfNode, newerFormat } from '../newer-format.ts';
import { compareNode, compareVersions, isEmpty } from './node-edits.ts';
import type { ChildRule, NodeEdits } from './node-edits.ts';
import { linksSum } from '../node-links-sum.ts';
import type { PastStates } from './past-states.ts';
import type { QuarantineReason } from './quarantine.ts';

/** The verdict on a node file that is not as Loom left it. */
export type NodeVerdict =
  /** It matches the log, now or at its own seq. `isOlder`: now, and in the form of an older generation. */
  | { type: 'same'; isOlder: boolean }
  /** `merged`: the version to compare with if an editor continues from it; nothing continues from an older version that was put back. */
  | { type: 'edited'; edits: NodeEdits; merged: MergedFile | undefined }
  | { type: 'bad'; reason: QuarantineReason; message: string }
  /** A newer Loom has written it. */
  | { type: 'newer'; format: number }
  /** The log has no such node. */
  | { type: 'unknown' };

export interface FileHistory {
  /** The file's state when Loom last wrote it. */
  entry: FileEntry | undefined;
  /** Its state when edits of another program were last merged. */
  merged: MergedFile | undefined;
  past: PastStates;
}

/** Judges a node file by the log: unchanged, edited by hand against the text at the file's own seq, or unusable. Changes nothing. */
export async function judgeNodeFile(
  log: RootLog,
  id: string,
  bytes: Uint8Array,
  history: FileHistory,
): Promise<NodeVerdict> {
  const now = (await log.read((state) => viewNode(state, id))).value;
  if (now === undefined) return { type: 'unknown' };
  const reading = readObject(bytes, formatOfNode);
  if (!reading.ok) return reading.verdict;
  const file = reading.value;
  const { seq } = isPlainObject(file['metadata']) ? file['metadata'] : {};
  const times = (history.merged?.times ?? 0) + 1;
  if (isOlderForm(file))
    return judgeOlderForm(file, await viewAt(log, history.past, id, history.entry?.seq, now), now.json, times);
  const knownLinks = linksSum(file['parent_id'], file['child_ids']);
  const linksAreKnown =
    knownLinks === history.entry?.links || knownLinks === linksSum(now.json.parent_id, now.json.child_ids);
  const present = compareNode(file, now.json, linksAreKnown ? anyChild(file) : childRule(now, now));
  if (present.ok && isEmpty(present.edits)) return { type: 'same', isOlder: false };

  const own = typeof seq === 'number' ? seq : undefined;
  const { merged } = history;
  // A new child gives a node no new seq, so a file with other children may be from before they came.
  const base = await viewAt(log, history.past, id, own ?? history.entry?.seq, now, linksAreKnown);
  if (base === undefined) return bad('not-editable', describeUnknown(own, (await log.cursor()).seq));
  const rule = linksAreKnown ? anyChild(file) : childRule(base, now);
  const isSequel = merged !== undefined && merged.seq === own;
  const compared = compareNode(file, isSequel ? merged.said : base.json, rule);
  if (!compared.ok)
    return bad(
      'not-editable',
      `${compared.faults.join('; ')}; only texts, contents, title, tags and custom_data can be edited in files`,
    );
  const said = applyEdits(isSequel ? merged.said : base.json, compared.edits);
  const additions = compared.edits.additions.filter(
    (added) => !isSequel || !merged.additions.some((known) => stableDeepEqual(known, added)),
  );
  const edits = { ...compared.edits, additions };
  if (isEmpty(edits))
    return isSequel ? { type: 'same', isOlder: false } : judgeOlderVersion(log, id, base, now, history);
  return {
    type: 'edited',
    edits,
    merged: { seq: own, said, additions: compared.edits.additions, times },
  };
}

/** Returns the reason a file's original version cannot be found. */
function describeUnknown(seq: number | undefined, last: number): string {
  if (seq === undefined || seq <= last) return `metadata.seq is ${String(seq)}, when there was no such node`;
  return `it was written at change ${seq}, and the log ends at change ${last}: the log has lost changes, or the file is of another one`;
}

/**
 * Judges a file of an earlier change in the place of a newer one: a user has put it back, for example with git. If nothing shows that the newer one
 * was written, Loom may have been cut off before it wrote.
 */
async function judgeOlderVersion(
  log: RootLog,
  id: string,
  older: NodeView,
  now: NodeView,
  { entry, past }: FileHistory,
): Promise<NodeVerdict> {
  const isReplaced = entry !== undefined && older.json.metadata.seq < entry.seq;
  const newer = isReplaced ? await viewAt(log, past, id, entry.seq, now) : undefined;
  if (newer === undefined) return { type: 'same', isOlder: false };
  const compared = compareVersions(older.json, newer.json);
  if (!compared.ok)
    return bad('not-editable', `${compared.faults.join('; ')}; the history of the text goes back there`);
  if (isEmpty(compared.edits)) return { type: 'same', isOlder: false };
  return { type: 'edited', edits: compared.edits, merged: undefined };
}

/** A node and its children, deleted ones included. */
interface NodeView {
  json: NodeJson;
  children: readonly string[];
}

function viewNode(state: RootState, id: string): NodeView | undefined {
  const json = nodeJson(state, id);
  return json && { json, children: [...(state.children.get(id) ?? [])] };
}

/** Returns the node at a seq. Looking back is expensive; usually nothing happened to the node since, and if `isAsNow` it is the present one. */
async function viewAt(
  log: RootLog,
  past: PastStates,
  id: string,
  seq: number | undefined,
  now: NodeView,
  isAsNow = true,
): Promise<NodeView | undefined> {
  if (seq === undefined || (isAsNow && seq === now.json.metadata.seq)) return now;
  const { seq: last } = await log.cursor();
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > last) return undefined;
  return past.read(seq, (state) => viewNode(state, id));
}

/** Children that existed then and exist now must be named; any that were ever visible may be. */
function childRule(base: NodeView, now: NodeView): ChildRule {
  const present = new Set(now.json.child_ids);
  return {
    required: base.json.child_ids.filter((id) => present.has(id)),
    allowed: new Set([...base.children, ...now.children]),
  };
}

function anyChild({ child_ids }: PlainObject): ChildRule {
  const ids: readonly unknown[] = Array.isArray(child_ids) ? child_ids : [];
  return { required: [], allowed: new Set(ids.filter((id) => typeof id === 'string')) };
}

function applyEdits(written: NodeJson, { texts, contents, fields }: NodeEdits): NodeJson {
  const content = written.message.content.map((block): MessageBlock => {
    const text = texts.find(({ block: id }) => id === block.block_id);
    if (text !== undefined) return withText(block, text.to);
    return contents.find(({ block: id }) => id === block.block_id)?.to ?? block;
  });
  const { title, tags, custom_data, ...metadata } = written.metadata;
  const [newTitle, newTags, newData] = [
    fields.title === undefined ? title : fields.title,
    fields.tags === undefined ? tags : fields.tags,
    fields.custom_data === undefined ? custom_data : fields.custom_data,
  ];
  return {
    ...written,
    message: { ...written.message, content },
    metadata: {
      ...metadata,
      ...(newTitle === undefined || newTitle === null ? {} : { title: newTitle }),
      ...(newTags === undefined || newTags === null ? {} : { tags: newTags }),
      ...(newData === undefined || newData === null ? {} : { custom_data: newData }),
    },
  };
}

/** Returns the content of a file of any kind, if it is a JSON object and not of a newer format. */
export function readObject(
  bytes: Uint8Array,
  formatOf: (file: PlainObject) => unknown,
): { ok: true; value: PlainObject } | { ok: false; verdict: Extract<NodeVerdict, { type: 'bad' | 'newer' }> } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, verdict: bad('json-invalid', `it is not JSON (${reason})`) };
  }
  if (!isPlainObject(value)) return { ok: false, verdict: bad('shape-invalid', 'it is not a JSON object') };
  // Checked before any other fault: only the newer Loom knows what is right in it.
  const format = newerFormat(formatOf(value));
  if (format !== undefined) return { ok: false, verdict: { type: 'newer', format } };
  if (isTooDeep(value)) return { ok: false, verdict: bad('shape-invalid', `it ${tooDeep}`) };
  if (!isJson(value))
    return { ok: false, verdict: bad('shape-invalid', 'it holds numbers that are too large for Loom') };
  return { ok: true, value };
}

function bad(reason: QuarantineReason, message: string): Extract<NodeVerdict, { type: 'bad' }> {
  return { type: 'bad', reason, message };
}

/** Returns true if a file has no field of the present format. */
function isOlderForm({ message, metadata }: PlainObject): boolean {
  if (isPlainObject(metadata) && (Object.hasOwn(metadata, 'format') || Object.hasOwn(metadata, 'seq'))) return false;
  const content = isPlainObject(message) ? message['content'] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return !blocks.some((block) => isPlainObject(block) && Object.hasOwn(block, 'block_id'));
}

/** Only the texts of an older generation's file can be edited: the rest was read once, in its own way. */
function judgeOlderForm(file: PlainObject, base: NodeView | undefined, now: NodeJson, times: number): NodeVerdict {
  let blocks: readonly MessageBlock[];
  try {
    const message = normalizeMessage(file['message']);
    if (message.role !== now.message.role) return bad('not-editable', 'its role was changed');
    blocks = message.content;
  } catch (error) {
    return bad(
      'shape-invalid',
      `its message cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
  const present = compareOlder(blocks, now.message.content);
  if (present?.length === 0) return { type: 'same', isOlder: true };
  const texts = base && compareOlder(blocks, base.json.message.content);
  if (base === undefined || texts === undefined) {
    return bad('not-editable', 'more than texts was changed; of files in the current format more can be edited');
  }
  if (texts.length === 0) return { type: 'same', isOlder: false };
  const edits: NodeEdits = { texts, contents: [], additions: [], fields: {} };
  return {
    type: 'edited',
    edits,
    merged: { seq: undefined, said: applyEdits(base.json, edits), additions: [], times },
  };
}

/** Returns the texts that differ, or `undefined` if something else does. */
function compareOlder(blocks: readonly MessageBlock[], known: readonly MessageBlock[]): NodeEdits['texts'] | undefined {
  if (blocks.length !== known.length) return undefined;
  const texts: NodeEdits['texts'] = [];
  for (const [index, block] of blocks.entries()) {
    const before = known[index];
    if (before === undefined) return undefined;
    if (stableDeepEqual(contentFields(block), contentFields(before))) continue;
    const [from, to] = [editableText(before), editableText(block)];
    if (from === undefined || to === undefined || before.type !== block.type) return undefined;
    if (!stableDeepEqual(contentFields(withText(before, to)), contentFields(block))) return undefined;
    texts.push({ block: before.block_id ?? '', from, to });
  }
  return texts;
}
