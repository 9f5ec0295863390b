import { isPlainObject, stableDeepEqual } from '@loom/blocks';
import type { RootConfig, RootState } from '@loom/kernel';
import type { RootLog } from '@loom/kernel/logs';
import { readObject } from './judge-node-file.ts';
import type { NodeVerdict } from './judge-node-file.ts';
import { isTextList } from '../text-list.ts';
import { RootCounters, rootJson } from '../writing/root-json-content.ts';
import type { RootJson } from '../writing/root-json-content.ts';

export interface RootEdits {
  title?: string | null;
  tags?: string[] | null;
  config?: RootConfig;
}

export type RootVerdict =
  | Extract<NodeVerdict, { type: 'same' | 'bad' | 'newer' }>
  | { type: 'edited'; edits: RootEdits };

/** Judges a root's own file by the log: title, tags and config may have been edited, everything else is the log's. */
export async function judgeRootJson(
  log: RootLog,
  bytes: Uint8Array,
  flushedSeq: number | undefined,
): Promise<RootVerdict> {
  const reading = readObject(bytes, ({ format }) => format);
  if (!reading.ok) return reading.verdict;
  const { seq } = reading.value;
  const { cursor, value: now } = await log.read(describeRoot);
  const present = compareRoot(reading.value, now);
  if (present.faults.length === 0 && Object.keys(present.edits).length === 0) return { type: 'same', isOlder: false };
  const own = typeof seq === 'number' ? seq : (flushedSeq ?? cursor.seq);
  const isKnown = Number.isSafeInteger(own) && own >= 1 && own <= cursor.seq;
  const base = isKnown && own < cursor.seq ? describeRoot(await log.past.stateAt(own)) : now;
  const { faults, edits } = compareRoot(reading.value, base);
  if (faults.length > 0 || !isKnown) {
    const message = `${[...faults, ...(isKnown ? [] : ['seq was changed'])].join('; ')}; only title, tags and config can be edited here`;
    return { type: 'bad', reason: 'not-editable', message };
  }
  if (Object.keys(edits).length > 0) return { type: 'edited', edits };
  // An earlier version in the place of a newer one: a user has put it back.
  const isReplaced = flushedSeq !== undefined && own < flushedSeq && flushedSeq <= cursor.seq;
  const newer = isReplaced ? compareRoot(reading.value, describeRoot(await log.past.stateAt(flushedSeq))).edits : {};
  return Object.keys(newer).length === 0 ? { type: 'same', isOlder: false } : { type: 'edited', edits: newer };
}

function describeRoot(state: RootState): RootJson {
  return rootJson(state, RootCounters.of(state));
}

function compareRoot(file: Record<string, unknown>, written: RootJson): { faults: string[]; edits: RootEdits } {
  const { title, tags, config, seq: _seq, ...rest } = file;
  const { title: oldTitle, tags: oldTags, config: oldConfig, seq: _written, ...known } = written;
  const faults: string[] = [];
  const edits: RootEdits = {};
  for (const key of new Set([...Object.keys(rest), ...Object.keys(known)])) {
    if (!stableDeepEqual(rest[key], Reflect.get(known, key))) faults.push(`${key} was changed`);
  }
  if (title !== oldTitle) {
    if (title === undefined || typeof title === 'string') edits.title = title === '' ? null : (title ?? null);
    else faults.push('title is not text');
  }
  if (!stableDeepEqual(tags, oldTags)) {
    if (tags === undefined || isTextList(tags)) edits.tags = tags === undefined || tags.length === 0 ? null : tags;
    else faults.push('tags is not a list of texts');
  }
  if (!stableDeepEqual(config, oldConfig)) {
    if (isRootConfig(config)) edits.config = config;
    else faults.push('config is not a config');
  }
  return { faults, edits };
}

function isRootConfig(value: unknown): value is RootConfig {
  if (!isPlainObject(value) || Object.hasOwn(value, '__proto__')) return false;
  return value['systemPrompt'] === undefined || typeof value['systemPrompt'] === 'string';
}
