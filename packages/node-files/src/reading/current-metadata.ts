import { isPlainObject } from '@loom/blocks';
import type { PlainObject, Role } from '@loom/blocks';
import { notice, origin, sourceInfo } from '@loom/kernel/logs';
import { readSource } from './legacy-source.ts';
import { legacyKey } from './node-metadata.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { isTextList } from '../text-list.ts';

/** Returns true if a Loom that keeps logs wrote a node file: such a file names its format. */
export function isCurrentNode(file: PlainObject): boolean {
  return isPlainObject(file['metadata']) && typeof file['metadata']['format'] === 'number';
}

/**
 * Takes a node file of the current format apart. Every key has its place in the log, so only keys that an editor has added by hand are left; they are
 * kept with the custom data, as for older files.
 */
export function readCurrentMetadata(file: PlainObject, role: Role): { metadata: NodeMetadata; faults: string[] } {
  const given = isPlainObject(file['metadata']) ? file['metadata'] : {};
  const {
    timestamp,
    original_root_id: _origin,
    source_info,
    tags,
    custom_data,
    split_source,
    title,
    deleted,
    exclude,
    context_start,
    continues,
    turn,
    started_at,
    ended_at,
    origin: from,
    note,
    notice: written,
    draft,
    format,
    seq,
    ...others
  } = given;
  const kept = new Map<string, unknown>(Object.entries(others));
  const faults: string[] = [];
  const expect = (key: string, value: unknown, fits: boolean): void => {
    if (value === undefined || fits) return;
    kept.set(key, value);
    faults.push(`${key} is not what it should be`);
  };
  const said = sourceInfo.safeParse(source_info);
  const source = said.success ? said.data : readSource(source_info, role, { provider: '', model: '' }).source;
  const isTime = typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp));
  if (!isTime) faults.push('timestamp is not a time');
  expect('timestamp', timestamp, isTime);
  expect('source_info', source_info, said.success);
  expect('tags', tags, isTextList(tags));
  expect('custom_data', custom_data, isPlainObject(custom_data));
  expect('split_source', split_source, typeof split_source === 'string');
  expect('title', title, typeof title === 'string');
  expect('deleted', deleted, typeof deleted === 'boolean');
  expect('exclude', exclude, isTextList(exclude));
  expect('context_start', context_start, typeof context_start === 'boolean');
  expect('continues', continues, typeof continues === 'boolean');
  expect('turn', turn, typeof turn === 'string');
  const provenance = origin.safeParse(from);
  expect('started_at', started_at, typeof started_at === 'string');
  expect('ended_at', ended_at, typeof ended_at === 'string');
  expect('origin', from, provenance.success);
  expect('note', note, isPlainObject(note));
  const notified = notice.safeParse(written);
  expect('notice', written, notified.success);
  expect('draft', draft, draft === true);
  const metadata: NodeMetadata = {
    source,
    ...(isTime ? { timestamp } : {}),
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    tags: isTextList(tags) ? tags : [],
    deleted: deleted === true,
    continues: continues === true,
    ...(typeof split_source === 'string' ? { splitSource: split_source } : {}),
    isLeftHalf: false,
    customData: withKept(isPlainObject(custom_data) ? custom_data : {}, kept),
    current: {
      format: typeof format === 'number' ? format : 0,
      ...(typeof seq === 'number' ? { seq } : {}),
      ...(isTextList(exclude) ? { exclude } : {}),
      ...(context_start === true ? { contextStart: true } : {}),
      ...(typeof turn === 'string' ? { turn } : {}),
      ...(typeof started_at === 'string' ? { startedAt: started_at } : {}),
      ...(typeof ended_at === 'string' ? { endedAt: ended_at } : {}),
      ...(provenance.success ? { origin: provenance.data } : {}),
      ...(isPlainObject(note) ? { note } : {}),
      ...(notified.success ? { notice: notified.data } : {}),
      ...(draft === true ? { draft } : {}),
    },
  };
  return { metadata, faults };
}

function withKept(customData: PlainObject, kept: ReadonlyMap<string, unknown>): PlainObject {
  if (kept.size === 0) return customData;
  const before = isPlainObject(customData[legacyKey]) ? customData[legacyKey] : {};
  const metadata = isPlainObject(before['metadata']) ? before['metadata'] : {};
  return { ...customData, [legacyKey]: { ...before, metadata: { ...metadata, ...Object.fromEntries(kept) } } };
}
