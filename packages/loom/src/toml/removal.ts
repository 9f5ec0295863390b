import type { Section, TomlDocument } from './document.ts';
import { startsWith, type Path } from './key.ts';
import type { Splice } from './splice.ts';
import type { ItemNode, PairNode, Statement, ValueNode } from './syntax.ts';

/** Removes every header and pair of a table, with the text between them and the blank lines behind each section. */
export function removeTable(document: TomlDocument, path: Path): Splice[] {
  const splices: Splice[] = [];
  for (const section of document.sections) {
    if (section.header !== undefined && startsWith(section.path, path)) {
      const end = endOfRemoval(section);
      // At the end of a file the blank lines that set the section apart stand above it.
      const start = end === document.text.length ? startWithBlanks(document, section.header) : section.header.start;
      splices.push({ start, end, insert: '' });
      continue;
    }
    for (const { path: pairPath, pair, statement } of section.pairs) {
      if (startsWith(pairPath, path)) splices.push({ start: statement.start, end: statement.end, insert: '' });
      else splices.push(...removeDotted(document.text, pair.value, pairPath, path));
    }
  }
  return splices;
}

/** Removes entries of one inline table or array with the commas that belong to them; comments around them stay. */
export function removeEntries(
  text: string,
  entries: readonly (PairNode | ItemNode)[],
  isDoomed: (index: number) => boolean,
): Splice[] {
  const splices: Splice[] = [];
  let lastKept: PairNode | ItemNode | undefined;
  for (const [index, entry] of entries.entries()) {
    if (!isDoomed(index)) {
      lastKept = entry;
    } else if (entry.comma !== undefined) {
      splices.push({ start: entry.start, end: skipBlanks(text, entry.comma + 1), insert: '' });
    } else {
      // The comma before the last entry would trail without it, which inline tables did not allow before TOML 1.1.
      if (lastKept?.comma !== undefined) splices.push({ start: lastKept.comma, end: lastKept.comma + 1, insert: '' });
      const start = lastKept === entries[index - 1] ? skipBlanksBack(text, entry.start) : entry.start;
      splices.push({ start, end: entry.value.end, insert: '' });
    }
  }
  return splices;
}

/** Dotted keys inside an inline table can make up a table, too: `a = { b.c = 1, b.d = 2 }`. */
function removeDotted(text: string, value: ValueNode, at: Path, path: Path): Splice[] {
  if (value.type === 'scalar' || !startsWith(path, at)) return [];
  if (value.type === 'array') {
    const index = path[at.length];
    const item = typeof index === 'number' ? value.items[index] : undefined;
    return item === undefined ? [] : removeDotted(text, item.value, path.slice(0, at.length + 1), path);
  }
  const paths = value.pairs.map((pair) => [...at, ...pair.key]);
  return [
    ...removeEntries(text, value.pairs, (index) => startsWith(paths[index] ?? [], path)),
    ...value.pairs.flatMap((pair, index) => removeDotted(text, pair.value, paths[index] ?? [], path)),
  ];
}

function endOfRemoval(section: Section): number {
  let end = (section.pairs.at(-1)?.statement ?? section.header)?.end ?? 0;
  for (const statement of section.statements) {
    if (statement.start === end && statement.type === 'blank') end = statement.end;
  }
  return end;
}

function startWithBlanks(document: TomlDocument, header: Statement): number {
  let index = document.statements.indexOf(header);
  while (document.statements[index - 1]?.type === 'blank') index--;
  return document.statements[index]?.start ?? header.start;
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

function skipBlanksBack(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  return start;
}
