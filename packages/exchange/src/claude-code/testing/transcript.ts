import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ForeignItem } from '../../foreign/foreign.ts';
import { ItemForest } from '../../foreign/testing/item-forest.ts';
import { createTranscriptReader } from '../transcript-reader.ts';
import type { TranscriptFacts, TranscriptReader } from '../transcript-reader.ts';

/** Lines as Claude Code writes them, with as little on them as a test needs. */
export function line(type: string, uuid: string, parentUuid: string | null, fields: PlainObject = {}): PlainObject {
  return {
    parentUuid,
    isSidechain: false,
    sessionId: 's1',
    type,
    uuid,
    timestamp: '2026-11-15T19:33:12.401Z',
    ...fields,
  };
}

export function said(uuid: string, parent: string | null, content: unknown, fields: PlainObject = {}): PlainObject {
  return line('user', uuid, parent, { message: { role: 'user', content }, ...fields });
}

/** A line with some fields of its message replaced. */
export function withMessage(each: PlainObject, fields: PlainObject): PlainObject {
  return { ...each, message: { ...(isPlainObject(each.message) ? each.message : {}), ...fields } };
}

export function answer(
  uuid: string,
  parent: string | null,
  id: string,
  block: PlainObject,
  fields: PlainObject = {},
): PlainObject {
  const message = {
    id,
    role: 'assistant',
    model: 'claude-x',
    content: [block],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 5 },
  };
  return line('assistant', uuid, parent, { message, ...fields });
}

export function text(words: string): PlainObject {
  return { type: 'text', text: words };
}

export function call(id: string, name = 'Bash', input: PlainObject = { command: 'ls' }): PlainObject {
  return { type: 'tool_use', id, name, input };
}

export function result(
  uuid: string,
  parent: string | null,
  id: string,
  content: unknown,
  fields: PlainObject = {},
): PlainObject {
  return said(uuid, parent, [{ type: 'tool_result', tool_use_id: id, content }], fields);
}

interface ReadTranscript {
  reader: TranscriptReader;
  items: ForeignItem[];
  forest: ItemForest;
  /** `id<parent` of every node, in order. */
  shape: string[];
}

export function read(lines: readonly (PlainObject | string)[], facts: TranscriptFacts = {}): ReadTranscript {
  const reader = createTranscriptReader(facts);
  for (const each of lines) reader.push(typeof each === 'string' ? each : JSON.stringify(each));
  reader.end();
  const items = reader.take();
  const forest = new ItemForest();
  forest.apply(items);
  return { reader, items, forest, shape: shapeOf(forest) };
}

export function shapeOf(forest: ItemForest): string[] {
  return [...forest.nodes.values()].map(({ id, parent }) => (parent === undefined ? id : `${id}<${parent}`));
}
