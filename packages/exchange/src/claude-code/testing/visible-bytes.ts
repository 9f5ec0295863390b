import { isPlainObject } from '@loom/blocks';
import { readJsonLine } from '../../foreign/json-line.ts';
import { typedCharacters } from '../../foreign/testing/typed-characters.ts';
import type { ItemForest } from '../../foreign/testing/item-forest.ts';
import { isList } from '../../foreign/fields.ts';

/** Returns the number of characters on a line that models saw or wrote: texts, thoughts, inputs of calls, texts of results. */
export function visibleIn(line: string): number {
  const read = readJsonLine(line);
  if (read.kind !== 'objects') return 0;
  return read.objects.reduce(
    (sum, { type, message }) => sum + (type === 'user' || type === 'assistant' ? measure(message) : 0),
    0,
  );
}

function measure(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (isList(value)) return value.reduce<number>((sum, element) => sum + measure(element), 0);
  if (!isPlainObject(value)) return 0;
  switch (value.type) {
    case 'text':
      return measure(value.text);
    case 'thinking':
      return measure(value.thinking);
    case 'tool_use':
      return JSON.stringify(value.input ?? {}).length;
    case 'image':
    case 'document':
      return 0;
    default:
      return measure(value.content);
  }
}

/** Returns the number of those characters in blocks of known types. */
export function typedIn(forest: ItemForest): number {
  let sum = 0;
  for (const { blocks } of forest.nodes.values()) {
    for (const { key, block } of blocks) if (!key.includes('/view-')) sum += typedCharacters(block);
  }
  return sum;
}
