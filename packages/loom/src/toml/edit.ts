import type { TomlTable } from 'smol-toml';
import { findPlace, readDocument, type TomlDocument } from './document.ts';
import { isSameValue, withoutEmptyAncestors, withoutValue, withValue } from './intention.ts';
import { insertValue } from './insertion.ts';
import { encodeKey, type Path } from './key.ts';
import { encodeLiteral, maySpread, type Literal } from './literal.ts';
import { parseToml, type TomlProblem } from './parse.ts';
import { removeEntries, removeTable } from './removal.ts';
import { applySplices, type Splice } from './splice.ts';
import type { ItemNode, PairNode, Statement, ValueNode } from './syntax.ts';

/** The reason an edit was not made; the text is as it was. */
export type EditRefusal =
  | { reason: 'bad-toml'; problem: TomlProblem }
  /** A table stands where a value should go. */
  | { reason: 'is-table' }
  /** A plain value stands where the path needs a table. */
  | { reason: 'not-a-table'; at: Path }
  /** The edited text would not mean what was intended. */
  | { reason: 'not-editable' };

export type EditResult = { ok: true; text: string } | { ok: false; refusal: EditRefusal };

/** Puts one value into a TOML text and leaves every other character alone; a value that is there already changes nothing. */
export function setInToml(text: string, path: Path, value: Literal): EditResult {
  const before = parseToml(text);
  if (!before.ok) return refuse({ reason: 'bad-toml', problem: before.problem });
  const intended = withValue(before.table, path, value);
  if (isSameValue(intended, before.table)) return { ok: true, text };
  const edited = place(readDocument(text), path, value);
  return edited.ok ? verify(edited.text, (after) => isSameValue(after, intended)) : edited;
}

/** Takes one value, table or array element out of a TOML text; a missing one changes nothing. */
export function unsetInToml(text: string, path: Path): EditResult {
  const before = parseToml(text);
  if (!before.ok) return refuse({ reason: 'bad-toml', problem: before.problem });
  const intended = withoutEmptyAncestors(withoutValue(before.table, path), path);
  const edited = take(readDocument(text), path);
  return verify(edited, (after) => isSameValue(withoutEmptyAncestors(after, path), intended));
}

/** The scanner knows less of TOML than the parser, so the parser has the last word on every edit. */
function verify(edited: string, isIntended: (after: TomlTable) => boolean): EditResult {
  const after = parseToml(edited);
  return after.ok && isIntended(after.table) ? { ok: true, text: edited } : refuse({ reason: 'not-editable' });
}

function refuse(refusal: EditRefusal): EditResult {
  return { ok: false, refusal };
}

function place(document: TomlDocument, path: Path, value: Literal): EditResult {
  const { text } = document;
  const found = findPlace(document, path);
  switch (found.type) {
    case 'table':
      return refuse({ reason: 'is-table' });
    case 'blocked':
      return refuse({ reason: 'not-a-table', at: found.at });
    case 'value': {
      const { start, end } = found.value;
      const insert = encodeLiteral(value, found.holder.type === 'statement' && maySpread(text));
      return { ok: true, text: applySplices(text, [{ start, end, insert }]) };
    }
    case 'absent':
      return { ok: true, text: insertValue(document, path, value) };
    case 'gap': {
      // `presets = { }` and `mcp_servers = [ ]` become ordinary sections as soon as they hold something.
      if (found.holder.type === 'statement' && isBare(text, found.container, found.holder.statement)) {
        const { start, end } = found.holder.statement;
        const cleared = readDocument(applySplices(text, [{ start, end, insert: '' }]));
        return { ok: true, text: insertValue(cleared, path, value) };
      }
      return { ok: true, text: applySplices(text, [fillGap(text, found.container, found.rest, value)]) };
    }
  }
}

function take(document: TomlDocument, path: Path): string {
  const { text } = document;
  const found = findPlace(document, path);
  if (found.type === 'table') return applySplices(text, removeTable(document, path));
  if (found.type !== 'value') return text;
  const { holder } = found;
  if (holder.type === 'entry') {
    return applySplices(
      text,
      removeEntries(text, holder.entries, (index) => index === holder.index),
    );
  }
  return applySplices(text, [{ start: holder.statement.start, end: holder.statement.end, insert: '' }]);
}

/** Adds an entry to an inline table, or an element with one entry to an array of inline tables. */
function fillGap(text: string, container: ValueNode, rest: Path, value: Literal): Splice {
  const entry = inlineEntry(rest, value);
  const last = entriesOf(container).at(-1);
  if (last === undefined) {
    const end = container.end - 1;
    const isCommented = text.slice(container.start, end).includes('#');
    return { start: isCommented ? end : container.start + 1, end, insert: ` ${entry} ` };
  }
  if (last.comma !== undefined) return { start: last.comma + 1, end: last.comma + 1, insert: ` ${entry},` };
  return { start: last.value.end, end: last.value.end, insert: `, ${entry}` };
}

function inlineEntry(rest: Path, value: Literal): string {
  const element = rest.findIndex((part) => typeof part === 'number');
  if (element === -1) return `${encodeKey(rest)} = ${encodeLiteral(value)}`;
  const inner = rest.slice(element + 1);
  const content = inner.length === 0 ? encodeLiteral(value) : `{ ${inlineEntry(inner, value)} }`;
  return element === 0 ? content : `${encodeKey(rest.slice(0, element))} = [${content}]`;
}

/** An empty container whose lines hold no comment, so that nothing is lost with them. */
function isBare(text: string, container: ValueNode, statement: Statement): boolean {
  return entriesOf(container).length === 0 && !text.slice(container.start, statement.end).includes('#');
}

function entriesOf(container: ValueNode): readonly (PairNode | ItemNode)[] {
  if (container.type === 'scalar') return [];
  return container.type === 'array' ? container.items : container.pairs;
}
