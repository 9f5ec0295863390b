import type { TomlDocument } from './document.ts';
import type { Path } from './key.ts';
import type { ValueNode } from './syntax.ts';

/** Tells the 1-based line of the first thing that stands at a path or under it. All are found in one go through the text. */
export function indexLines({ text, sections }: TomlDocument): (path: Path) => number | undefined {
  const lines = new Map<string, number>();
  let line = 1;
  let at = 0;
  // Offsets come in the order of the text.
  const note = (path: Path, offset: number): void => {
    for (; at < offset; at++) if (text[at] === '\n') line++;
    const name = JSON.stringify(path);
    if (!lines.has(name)) lines.set(name, line);
  };
  const noteAncestors = (path: Path, offset: number): void => {
    for (let length = 1; length < path.length; length++) note(path.slice(0, length), offset);
  };
  const noteValue = (path: Path, value: ValueNode): void => {
    note(path, value.start);
    if (value.type === 'array')
      for (const [index, item] of value.items.entries()) noteValue([...path, index], item.value);
    if (value.type === 'inline-table') for (const pair of value.pairs) noteValue([...path, ...pair.key], pair.value);
  };
  for (const { path, header, pairs } of sections) {
    if (header !== undefined) {
      noteAncestors(path, header.start);
      note(path, header.start);
    }
    for (const { path: pairPath, pair, statement } of pairs) {
      noteAncestors(pairPath, statement.start);
      noteValue(pairPath, pair.value);
    }
  }
  return (path) => lines.get(JSON.stringify(path));
}
