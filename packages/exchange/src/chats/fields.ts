import { createHash } from 'node:crypto';
import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { textIn } from '../foreign/fields.ts';
import type { ForeignBlock, ForeignNode } from '../foreign/foreign.ts';

export function objectOf(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

/** Returns a time as ISO 8601, from that or from seconds or milliseconds since 1970; `undefined` if it is not a time. */
export function timeOf(value: unknown): string | undefined {
  const number = typeof value === 'number' ? (value < 1e11 ? value * 1000 : value) : Date.parse(textIn(value) ?? '');
  const time = new Date(number);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Returns a name derived from the content, for values that have none. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** Returns the time a message was written, as fields of its node. */
export function timeFields(value: unknown): Pick<ForeignNode, 'started_at'> {
  const time = timeOf(value);
  return time === undefined ? {} : { started_at: time };
}

/** Returns the blocks of a message with their keys: the id of the message, with a number appended from the second on. */
export function keyed(id: string, blocks: readonly MessageBlock[]): ForeignBlock[] {
  return blocks.map((block, index) => ({ key: index === 0 ? id : `${id}#${index}`, block }));
}

/** Returns an unknown part of an export as a raw block, unchanged. A value nested too deep to be kept is replaced by a sentence saying so. */
export function rawBlock(source: string, value: unknown): MessageBlock {
  return { type: 'raw', source, value: isShallow(value, deepestValue) ? value : 'A value that is nested too deep.' };
}

/** Deeper values are refused at Loom's doors. */
const deepestValue = 100;

function isShallow(value: unknown, levels = deepestValue): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels && level.length > 0; depth += 1) {
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return level.length === 0;
}

/** Returns the cited pages as one block, each page once; no block without pages. */
export function pagesBlock(pages: readonly PlainObject[]): MessageBlock[] {
  const found = new Map<string, { id: string; url: string; title: string }>();
  for (const { url, title, domain } of pages) {
    const address = textIn(url);
    if (address === undefined || found.has(address)) continue;
    found.set(address, { id: address, url: address, title: textIn(title) ?? textIn(domain) ?? '' });
  }
  return found.size === 0 ? [] : [{ type: 'sources', sources: [...found.values()] }];
}

/** Returns the arguments of a call: an object unchanged, JSON of one, or any text under a name. */
export function parametersOf(value: unknown, name: string): PlainObject {
  if (isPlainObject(value)) return isShallow(value) ? value : {};
  const text = textIn(value);
  if (text === undefined) return {};
  const parsed = text.trimStart().startsWith('{') ? parseObject(text) : undefined;
  return parsed ?? { [name]: text };
}

function parseObject(text: string): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) && isShallow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
