import type { Source } from '@loom/blocks';

/** A stretch of a text; one that cites a source has it. */
export interface CitedPart {
  readonly text: string;
  readonly source?: Source;
}

/** A text with its citations: `[1]` is the source with the id 1, else the first one. */
export function citedParts(text: string, sources: readonly Source[]): CitedPart[] {
  const parts: CitedPart[] = [];
  let at = 0;
  for (const found of text.matchAll(/\[(\d{1,3})\]/gu)) {
    const [mark, number = ''] = found;
    const source = sources.find(({ id }) => id === number) ?? sources[Number(number) - 1];
    if (source === undefined) continue;
    if (found.index > at) parts.push({ text: text.slice(at, found.index) });
    parts.push({ text: mark, source });
    at = found.index + mark.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}
