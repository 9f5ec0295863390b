import { isBlank, isPlainObject, stableDeepEqual } from '@loom/blocks';
import type { PlainObject, Role } from '@loom/blocks';
import type { Notice, Origin, SourceInfo } from '@loom/kernel';
import { readSource } from './legacy-source.ts';
import type { RootModel } from './legacy-source.ts';
import { isTextList } from '../text-list.ts';

/** The content of a node file beside its message and links. */
export interface NodeMetadata {
  source: SourceInfo;
  /** In its original spelling, if it is a time. */
  timestamp?: string;
  title?: string;
  tags: readonly string[];
  deleted: boolean;
  /** True if it joins its parent without a seam. */
  continues: boolean;
  /** The node whose left half it was cut off as, in its original spelling. */
  splitSource?: string;
  /** True for the left half of a split by the first generations, which did not name the whole. */
  isLeftHalf: boolean;
  /** The file's own custom data, and under `loom_legacy` everything without another place. */
  customData: PlainObject;
  /** The fields that only files of the current format have. */
  current?: CurrentFields;
}

/** Fields of a file that was written from a log. */
export interface CurrentFields {
  format: number;
  /** The change of that log that it was written from. */
  seq?: number;
  exclude?: readonly string[];
  contextStart?: true;
  turn?: string;
  startedAt?: string;
  endedAt?: string;
  origin?: Origin;
  note?: PlainObject;
  notice?: Notice;
  draft?: true;
}

/** The key in custom data for values that Loom has no field for. */
export const legacyKey = 'loom_legacy';

/** Takes a parsed node file apart. Values that make no sense are named in `faults` and kept in the custom data. */
export function readMetadata(
  file: PlainObject,
  role: Role,
  rootModel: RootModel,
): { metadata: NodeMetadata; faults: string[] } {
  const faults: string[] = [];
  const given = file['metadata'];
  const known = isPlainObject(given) ? given : {};
  if (!isPlainObject(given)) faults.push('metadata is not an object');
  const { source_info, tags, custom_data, title, deleted, continues, ...others } = known;
  const kept = new Map<string, unknown>(Object.entries(others));
  const keep = (key: string, value: unknown, fits: boolean): boolean => {
    if (value === undefined || fits) return fits;
    kept.set(key, value);
    faults.push(`${key} is not what it should be`);
    return false;
  };

  const { source, known: isKnown } = readSource(source_info, role, rootModel);
  if (!isKnown) faults.push('source_info does not say where the message comes from');
  if (source_info !== undefined && !stableDeepEqual(source, source_info)) kept.set('source_info', source_info);
  const { timestamp, split_source } = others;
  const isTime = typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp));
  if (!isTime) faults.push('timestamp is not a time');

  const metadata: NodeMetadata = {
    source,
    ...(isTime ? { timestamp } : {}),
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    tags: isTextList(tags) ? [...new Set(tags)] : [],
    deleted: deleted === true,
    continues: continues === true,
    ...(typeof split_source === 'string' ? { splitSource: split_source } : {}),
    isLeftHalf: isPlainObject(source_info) && source_info['type'] === 'split',
    customData: {},
  };
  keep('title', title, typeof title === 'string');
  keep('tags', tags, isTextList(tags));
  keep('deleted', deleted, typeof deleted === 'boolean');
  keep('continues', continues, typeof continues === 'boolean');
  // Custom data that uses Loom's own key goes below it, so that neither hides the other.
  const isOwn = keep('custom_data', custom_data, isPlainObject(custom_data) && !Object.hasOwn(custom_data, legacyKey));
  metadata.customData = {
    ...(isOwn && isPlainObject(custom_data) ? custom_data : {}),
    [legacyKey]: {
      ...nodeRest(file),
      ...nonEmpty('message', messageRest(file['message'])),
      ...(isPlainObject(given) || given === undefined
        ? nonEmpty('metadata', Object.fromEntries(kept))
        : { metadata: given }),
    },
  };
  return { metadata, faults };
}

/** Returns the id in its original spelling, and keys that no generation had. Links are not data: they became the tree. */
function nodeRest(file: PlainObject): PlainObject {
  const {
    id,
    root_id: _root,
    parent_id: _parent,
    child_ids: _children,
    message: _message,
    metadata: _,
    ...rest
  } = file;
  return { ...(id === undefined ? {} : { id }), ...nonEmpty('node', rest) };
}

/** Returns the fields of an older generation's message that conversion to blocks leaves out. */
function messageRest(message: unknown): PlainObject {
  if (!isPlainObject(message) || Array.isArray(message['content'])) return {};
  const { role, content, tool_calls, tool_call_id, ...rest } = message;
  if (role === 'system') return {};
  if (typeof content === 'string' && content !== '' && isBlank(content)) rest['content'] = content;
  if (tool_call_id !== undefined && role !== 'tool') rest['tool_call_id'] = tool_call_id;
  if (!isSaidByBlocks(role, tool_calls)) rest['tool_calls'] = tool_calls;
  return rest;
}

function isSaidByBlocks(role: unknown, calls: unknown): boolean {
  if (calls === undefined || calls === null || (Array.isArray(calls) && calls.length === 0)) return true;
  if (role !== 'assistant' || !Array.isArray(calls)) return false;
  const list: readonly unknown[] = calls;
  return list.every(
    (call) =>
      isPlainObject(call) &&
      hasOnly(call, ['id', 'type', 'function']) &&
      isPlainObject(call['function']) &&
      hasOnly(call['function'], ['name', 'arguments']),
  );
}

function hasOnly(value: PlainObject, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

function nonEmpty(key: string, value: PlainObject): PlainObject {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}
