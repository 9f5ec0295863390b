import type { Section, TomlDocument } from './document.ts';
import { encodeKey, isSamePath, startsWith, type Path } from './key.ts';
import { encodeLiteral, maySpread, type Literal } from './literal.ts';
import { applySplices } from './splice.ts';
import type { Statement } from './syntax.ts';

/** Adds a value whose path is free: to the table it belongs to, or in a new section near its relatives. */
export function insertValue(document: TomlDocument, path: Path, value: Literal): string {
  const home = findHome(document, path);
  if (home.type === 'section') return insertPair(document, home.section, home.after, path, value);
  return insertSection(document, home, path, value);
}

type Home =
  /** An existing section, behind `after` (default: its last pair). */
  | { type: 'section'; section: Section; after?: Statement }
  | { type: 'new'; side: 'before' | 'behind'; neighbour: Section | undefined };

function findHome(document: TomlDocument, path: Path): Home {
  const { sections } = document;
  for (let length = path.length - 1; length >= 0; length--) {
    const prefix = path.slice(0, length);
    const isLast = length === path.length - 1;
    // A table made by dotted keys cannot be opened again by a header, so the value joins its siblings.
    const dotted = findDotted(sections, prefix);
    if (dotted !== undefined && !path.slice(length).some((part) => typeof part === 'number')) return dotted;
    const explicit = sections.find((section) => isSamePath(section.path, prefix));
    if (explicit !== undefined && isLast) return { type: 'section', section: explicit };
    const relatives = sections.filter((section) => section.header !== undefined && startsWith(section.path, prefix));
    const first = relatives[0];
    const last = relatives.at(-1);
    if (first === undefined || last === undefined) continue;
    if (length === 0) break;
    return isLast
      ? { type: 'new', side: 'before', neighbour: first }
      : { type: 'new', side: 'behind', neighbour: last };
  }
  return { type: 'new', side: 'behind', neighbour: sections.at(-1) };
}

function findDotted(sections: readonly Section[], prefix: Path): Home | undefined {
  for (const section of sections) {
    if (section.path.length >= prefix.length) continue;
    const sibling = section.pairs.findLast(({ path }) => path.length > prefix.length && startsWith(path, prefix));
    if (sibling !== undefined) return { type: 'section', section, after: sibling.statement };
  }
  return undefined;
}

function insertPair(
  document: TomlDocument,
  section: Section,
  after: Statement | undefined,
  path: Path,
  value: Literal,
): string {
  const key = encodeKey(path.slice(section.path.length));
  const anchor = after ?? section.pairs.at(-1)?.statement ?? section.header;
  if (anchor === undefined) return insertFirstPair(document, section, `${key} = ${encode(document, value)}`);
  return insertBehind(document, anchor, [`${indentationOf(document, anchor)}${key} = ${encode(document, value)}`]);
}

/** The first pair of a document that has only comments and headers goes above the first header and the comment on it. */
function insertFirstPair(document: TomlDocument, section: Section, line: string): string {
  const last = section.statements.at(-1);
  if (document.sections.length === 1) {
    if (last === undefined) return insertAtTop(document, [line]);
    return insertBehind(document, last, last.type === 'comment' ? ['', line] : [line]);
  }
  const anchor = section.statements.findLast((statement) => statement.type === 'blank');
  return anchor === undefined ? insertAtTop(document, [line, '']) : insertBehind(document, anchor, [line, '']);
}

function insertSection(document: TomlDocument, home: Home & { type: 'new' }, path: Path, value: Literal): string {
  const table = path.slice(0, -1);
  const header = typeof table.at(-1) === 'number' ? `[[${encodeKey(table)}]]` : `[${encodeKey(table)}]`;
  const lines = [header, `${encodeKey(path.slice(-1))} = ${encode(document, value)}`];
  const anchor = home.side === 'behind' ? lastOf(document, home.neighbour) : statementBefore(document, home.neighbour);
  if (anchor === undefined) return insertAtTop(document, document.statements.length === 0 ? lines : [...lines, '']);
  const next = document.statements[document.statements.indexOf(anchor) + 1];
  const before = anchor.type === 'blank' ? [] : [''];
  const behind = next === undefined || next.type === 'blank' ? [] : [''];
  return insertBehind(document, anchor, [...before, ...lines, ...behind]);
}

/** The last statement that belongs to a section: comment lines that touch the next header belong to that header. */
function lastOf(document: TomlDocument, section: Section | undefined): Statement | undefined {
  const statements = section?.statements ?? [];
  const lastPair = statements.findLastIndex((statement) => statement.type === 'pair');
  let index = lastPair;
  while (statements[index + 1]?.type === 'comment') index++;
  const touchesNext = index === statements.length - 1 && section !== document.sections.at(-1);
  return statements[touchesNext ? lastPair : index] ?? section?.header;
}

/** The statement above a header and the comment lines that stand directly on it. */
function statementBefore(document: TomlDocument, section: Section | undefined): Statement | undefined {
  let index = document.statements.findIndex((statement) => statement === section?.header) - 1;
  while (document.statements[index]?.type === 'comment') index--;
  return document.statements[index];
}

function insertBehind(document: TomlDocument, anchor: Statement, lines: readonly string[]): string {
  const { text } = document;
  const isOpen = text[anchor.end - 1] !== '\n';
  // New lines take the line ending of the lines around them; the last characters count, since a text may span lines.
  const lineBreak = lineBreakOf(isOpen ? text : text.slice(Math.max(anchor.start, anchor.end - 2), anchor.end));
  // A file without a final line break stays one.
  const insert = isOpen
    ? lines.map((line) => lineBreak + line).join('')
    : lines.map((line) => line + lineBreak).join('');
  return applySplices(text, [{ start: anchor.end, end: anchor.end, insert }]);
}

function insertAtTop(document: TomlDocument, lines: readonly string[]): string {
  const start = document.text.startsWith('\uFEFF') ? 1 : 0;
  const lineBreak = lineBreakOf(document.text);
  return applySplices(document.text, [{ start, end: start, insert: lines.map((line) => line + lineBreak).join('') }]);
}

function lineBreakOf(sample: string): string {
  return /\r?\n/.exec(sample)?.[0] ?? '\n';
}

function indentationOf(document: TomlDocument, anchor: Statement): string {
  return /^[ \t]*/.exec(document.text.slice(anchor.start, anchor.end))?.[0] ?? '';
}

function encode(document: TomlDocument, value: Literal): string {
  return encodeLiteral(value, maySpread(document.text));
}
