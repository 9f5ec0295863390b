import { contentFields, editableText, isPlainObject, messageBlock, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeJson } from '@loom/kernel';
import { isTextList } from '../text-list.ts';

/** The changes in a node file, each beside the previous value. */
export interface NodeEdits {
  texts: { block: string; from: string; to: string }[];
  /** Blocks whose content has no text to merge. */
  contents: { block: string; from: PlainObject; to: MessageBlock }[];
  /** New texts, each after a block or at the beginning. */
  additions: { after: string | undefined; text: string }[];
  /** `null` for a removed field. */
  fields: { title?: string | null; tags?: string[] | null; custom_data?: PlainObject | null };
}

/** The rule for a file's list of children: those that it must name and those that it may. */
export interface ChildRule {
  required: readonly string[];
  allowed: ReadonlySet<string>;
}

export type NodeComparison = { ok: true; edits: NodeEdits } | { ok: false; faults: string[] };

/**
 * Compares a file with Loom's version. Texts, contents, title, tags and custom data may differ, and texts without an id may be added; any other
 * difference is a fault, because the log alone decides it.
 */
export function compareNode(file: PlainObject, written: NodeJson, children: ChildRule): NodeComparison {
  const faults: string[] = [];
  const edits: NodeEdits = { texts: [], contents: [], additions: [], fields: {} };
  const { id, root_id, parent_id, child_ids, message, metadata, ...others } = file;
  if (id !== written.id || root_id !== written.root_id || parent_id !== written.parent_id) {
    faults.push('its id or a link to another node was changed');
  }
  if (!areChildren(child_ids, children)) faults.push('child_ids was changed');
  for (const key of Object.keys(others)) faults.push(`${key} is not a field of a node`);
  compareMessage(message, written.message, edits, faults);
  compareMetadata(metadata, written.metadata, edits, faults);
  return faults.length === 0 ? { ok: true, edits } : { ok: false, faults };
}

/**
 * Returns the edits that turn a node back into an older version of it. Fields that only the log decides stay as they are now; blocks that have come
 * or gone since are a fault.
 */
export function compareVersions(older: NodeJson, newer: NodeJson): NodeComparison {
  const faults: string[] = [];
  const edits: NodeEdits = { texts: [], contents: [], additions: [], fields: {} };
  const [before, after] = [newer.message.content, older.message.content];
  const isSame = before.length === after.length && before.every((block, i) => block.block_id === after[i]?.block_id);
  if (!isSame) return { ok: false, faults: ['it is an older version, and blocks have come or gone since'] };
  for (const [index, block] of before.entries()) compareContent(after[index] ?? block, block, edits, faults);
  compareFields(older.metadata, newer.metadata, edits, faults);
  return faults.length === 0 ? { ok: true, edits } : { ok: false, faults };
}

/** Returns true if nothing was changed. */
export function isEmpty({ texts, contents, additions, fields }: NodeEdits): boolean {
  return texts.length + contents.length + additions.length + Object.keys(fields).length === 0;
}

function areChildren(value: unknown, { required, allowed }: ChildRule): boolean {
  if (!Array.isArray(value)) return false;
  const ids: readonly unknown[] = value;
  const known = new Set(ids);
  return (
    known.size === ids.length &&
    ids.every((id) => typeof id === 'string' && allowed.has(id)) &&
    required.every((id) => known.has(id))
  );
}

function compareMessage(value: unknown, written: NodeJson['message'], edits: NodeEdits, faults: string[]): void {
  if (!isPlainObject(value)) return void faults.push('message is not an object');
  const { content, ...rest } = value;
  const { content: blocks, ...known } = written;
  if (!stableDeepEqual(rest, known)) faults.push('role, tool_call_id or is_error was changed');
  if (!Array.isArray(content)) return void faults.push('content is not a list');
  const given: readonly unknown[] = content;
  let next = 0;
  let after: string | undefined;
  for (const item of given) {
    const before = blocks[next];
    const added = readAddition(item);
    if (added !== undefined) edits.additions.push({ after, text: added });
    else if (before === undefined) return void faults.push('a block was added that is not plain text without an id');
    else {
      compareBlock(item, before, edits, faults);
      after = before.block_id;
      next += 1;
    }
  }
  if (next < blocks.length) faults.push('a block was taken out');
}

/** The text of a block that was added by hand. */
function readAddition(item: unknown): string | undefined {
  if (!isPlainObject(item) || Object.keys(item).length !== 2 || item['type'] !== 'text') return undefined;
  const { text } = item;
  return typeof text === 'string' ? text : undefined;
}

function compareBlock(item: unknown, before: MessageBlock, edits: NodeEdits, faults: string[]): void {
  const id = before.block_id ?? '';
  const parsed = messageBlock.safeParse(item);
  if (!parsed.success) return void faults.push(`the block ${id} is not a block any more`);
  const after = parsed.data;
  if (!stableDeepEqual(recordFields(after), recordFields(before))) return void faults.push(recordFault(id));
  compareContent(after, before, edits, faults);
}

function compareContent(after: MessageBlock, before: MessageBlock, edits: NodeEdits, faults: string[]): void {
  const id = before.block_id ?? '';
  if (!stableDeepEqual(links(after), links(before))) return void faults.push(recordFault(id));
  const [from, to] = [contentFields(before), contentFields(after)];
  if (stableDeepEqual(from, to)) return;
  const [old, text] = [editableText(before), editableText(after)];
  const isOnlyText = stableDeepEqual(withoutText(from), withoutText(to));
  if (old !== undefined && text !== undefined && isOnlyText) edits.texts.push({ block: id, from: old, to: text });
  else edits.contents.push({ block: id, from, to: after });
}

function recordFault(id: string): string {
  return `ids, links or the record of the block ${id} were changed, or blocks were moved`;
}

function recordFields(block: MessageBlock): PlainObject {
  const content = contentFields(block);
  return Object.fromEntries(Object.entries(block).filter(([key]) => !Object.hasOwn(content, key)));
}

function withoutText({ text: _text, content: _content, ...rest }: PlainObject): PlainObject {
  return rest;
}

/** Returns a block's type and references. */
function links(block: MessageBlock): unknown {
  switch (block.type) {
    case 'tool-use':
      return [block.type, block.id];
    case 'image':
      return [block.type, block.blob];
    case 'conversation':
      return [block.type, block.root];
    case 'command':
      return [block.type, blobOf(block.stdout), blobOf(block.stderr)];
    case 'text':
    case 'thinking':
    case 'code':
    case 'file-change':
    case 'todo':
    case 'sources':
    case 'error':
    case 'raw':
      return [block.type];
  }
}

function blobOf(output: string | object | undefined): unknown {
  return typeof output === 'string' ? undefined : output;
}

function compareMetadata(value: unknown, written: NodeJson['metadata'], edits: NodeEdits, faults: string[]): void {
  if (!isPlainObject(value)) return void faults.push('metadata is not an object');
  const { title: _title, tags: _tags, custom_data: _data, seq: _seq, ...rest } = value;
  const { title: _oldTitle, tags: _oldTags, custom_data: _oldData, seq: _written, ...known } = written;
  for (const key of new Set([...Object.keys(rest), ...Object.keys(known)])) {
    if (!stableDeepEqual(rest[key], Reflect.get(known, key))) faults.push(`metadata.${key} was changed`);
  }
  compareFields(value, written, edits, faults);
}

/** Compares the metadata that people may edit. */
function compareFields(
  { title, tags, custom_data }: { title?: unknown; tags?: unknown; custom_data?: unknown },
  { title: oldTitle, tags: oldTags, custom_data: oldData }: NodeJson['metadata'],
  edits: NodeEdits,
  faults: string[],
): void {
  if (title !== oldTitle) {
    if (title === undefined || typeof title === 'string') edits.fields.title = title ?? null;
    else faults.push('metadata.title is not text');
  }
  if (!stableDeepEqual(tags, oldTags)) {
    if (tags === undefined || isTextList(tags)) edits.fields.tags = tags ?? null;
    else faults.push('metadata.tags is not a list of texts');
  }
  if (!stableDeepEqual(custom_data, oldData)) {
    if (custom_data === undefined || isPlainObject(custom_data)) edits.fields.custom_data = custom_data ?? null;
    else faults.push('metadata.custom_data is not an object');
  }
}
