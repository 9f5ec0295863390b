import { spliceText } from '../../text/text-splice.ts';
import type { TextSplice } from '../../text/text-splice.ts';
import { alignSplices } from '../aligned-splices.ts';
import type { LineOperation } from '../line-operation.ts';

/** A character of the newest text: of the base if it has a number there; or, without a character, a place between two. */
interface Cell {
  character: string;
  base?: number;
  place?: number;
  /** The break before the place went with the last lines. */
  isLoose?: boolean;
}

/** The characters of the base that an operation addresses. */
interface Span {
  from: number;
  to: number;
  appends: boolean;
  isOpen: boolean;
}

/**
 * Computes the effect that line operations on a base text must have on the newest one, by following every character through
 * every change. For texts whose only break is `\n` and operations that the base text admits; `touched` are those to refuse.
 */
export function judgeCarriedEdits(
  base: string,
  later: readonly (readonly TextSplice[])[],
  operations: readonly LineOperation[],
): { text: string } | { touched: number[] } {
  const starts = [0];
  for (const line of base.match(/[^\n]*\n|[^\n]+/g) ?? []) starts.push((starts.at(-1) ?? 0) + line.length);
  const spans = operations.map((operation): Span => {
    const [start, end] =
      operation.op === 'insert' ? [operation.line, operation.line] : [operation.start_line, operation.end_line];
    const [from, to] = [starts[start] ?? 0, starts[end] ?? 0];
    return { from, to, appends: start === starts.length - 1, isOpen: to === base.length && !base.endsWith('\n') };
  });

  let cells: Cell[] = [];
  for (let at = 0; at <= base.length; at += 1) {
    for (const [place, { from, to, appends }] of spans.entries()) {
      if (from === at && to === at && !appends) cells.push({ character: '', place });
    }
    if (at < base.length) cells.push({ character: base.charAt(at), base: at });
  }

  const touched = new Set<number>();
  let text = base;
  for (const change of later) {
    const splices = alignSplices(text, change);
    cells = fasten(follow(loosen(cells, spans, text, splices), splices, touched));
    text = spliceText(text, change);
    for (const [index, { from, to }] of spans.entries()) {
      const places = cells.flatMap((cell, at) => (isWithin(cell.base, from, to) ? [at] : []));
      const between = cells.slice(places[0] ?? 0, (places.at(-1) ?? -1) + 1);
      if (places.length < to - from || between.some((cell) => cell.base === undefined && cell.character !== '')) {
        touched.add(index);
      }
    }
  }
  let before = '\n';
  for (const [at, { character, place, isLoose = false }] of cells.entries()) {
    const isLast = isLoose && cells.slice(at).every((cell) => cell.character === '');
    if (place !== undefined && before !== '\n' && !isLast) touched.add(place);
    if (character !== '') before = character;
  }
  return touched.size > 0 ? { touched: [...touched] } : { text: rebuild(base, cells, operations, spans) };
}

function isWithin(at: number | undefined, from: number, to: number): boolean {
  return at !== undefined && at >= from && at < to;
}

/**
 * A break that goes together with the last lines, in a text without a final break, is not missed: it no longer belongs to
 * the lines before it, and a place behind it moves before it.
 */
function loosen(cells: readonly Cell[], spans: readonly Span[], text: string, change: readonly TextSplice[]): Cell[] {
  let cut = text.length;
  while (cut > 0 && change.some((splice) => isWithin(cut - 1, splice.at, splice.at + splice.delete))) cut -= 1;
  const isCut = !change.some((splice) => splice.insert !== '' && splice.at + splice.delete >= cut);
  if (!isCut || text.endsWith('\n') || !/[^\n]\n/.test(text.slice(Math.max(0, cut - 1), cut + 1))) return [...cells];
  const lost = cells.filter((cell) => cell.place === undefined)[cut];
  for (const span of spans) {
    if (lost?.base === undefined || span.to !== lost.base + 1 || span.from >= lost.base) continue;
    span.to -= 1;
    span.isOpen = true;
  }
  const at = cells.findIndex((cell) => cell === lost);
  const next = cells.findIndex((cell, index) => index > at && cell.place === undefined);
  const places = cells.slice(at + 1, next === -1 ? cells.length : next);
  const loose = places.map((cell) => ({ ...cell, isLoose: true }));
  return [...cells.slice(0, at), ...loose, ...cells.slice(at, at + 1), ...cells.slice(at + 1 + places.length)];
}

/** A place whose line has got a break again moves behind it. */
function fasten(cells: readonly Cell[]): Cell[] {
  const result: Cell[] = [];
  let loose: Cell[] = [];
  for (const cell of cells) {
    if (cell.isLoose === true || (cell.place !== undefined && loose.length > 0)) {
      loose.push(cell);
      continue;
    }
    if (cell.character === '\n') result.push(cell, ...loose.map((place) => ({ ...place, isLoose: false })));
    else result.push(...loose, cell);
    loose = [];
  }
  return [...result, ...loose];
}

/** Applies one change, character by character; text inserted at a place comes behind it. */
function follow(cells: readonly Cell[], change: readonly TextSplice[], touched: Set<number>): Cell[] {
  const result: Cell[] = [];
  let at = 0;
  const insertAt = (offset: number): void => {
    for (const splice of change) {
      if (splice.at === offset) for (const character of splice.insert.split('')) result.push({ character });
    }
  };
  for (const cell of cells) {
    if (cell.place !== undefined) {
      if (change.some((splice) => splice.at < at && at < splice.at + splice.delete)) touched.add(cell.place);
      result.push(cell);
      continue;
    }
    insertAt(at);
    const isGone = change.some((splice) => isWithin(at, splice.at, splice.at + splice.delete));
    if (!isGone) result.push(cell);
    at += 1;
  }
  insertAt(at);
  return result;
}

function rebuild(
  base: string,
  cells: readonly Cell[],
  operations: readonly LineOperation[],
  spans: readonly Span[],
): string {
  const newest = cells.map((cell) => cell.character).join('');
  // A break that is not there makes a last line like all others; it is taken off again in the end.
  const isVirtual = newest !== '' && !newest.endsWith('\n');
  const ending: Cell = { character: '\n' };
  const all = [...cells];
  if (isVirtual) all.splice(all.findLastIndex((cell) => cell.character !== '') + 1, 0, ending);
  let result = '';
  let written = '';
  const write = (operation: LineOperation | undefined, isContinued: boolean): void => {
    if (operation === undefined || operation.op === 'delete' || operation.content === '') return;
    const ended = operation.content.endsWith('\n') ? operation.content : `${operation.content}\n`;
    result += isContinued ? ended.slice(0, -1) : ended;
    written = operation.content;
  };
  for (let at = 0; at < all.length; at += 1) {
    const cell = all[at];
    const index = spans.findIndex(({ from, to }) => isWithin(cell?.base, from, to));
    const span = spans[index];
    if (cell?.place !== undefined) write(operations[cell.place], false);
    else if (span === undefined) result += cell?.character ?? '';
    if (span === undefined || cell?.base !== span.from) continue;
    const operation = operations[index];
    const { isOpen } = span;
    const behind = all.findIndex((other) => other.base === span.to - 1) + 1;
    const isAtEnd = all[behind] === ending;
    write(operation, isOpen && !isAtEnd);
    const isEmptied = operation?.op === 'delete' || (operation?.op === 'replace' && operation.content === '');
    // The break behind an open line goes with the line, or stays behind what replaces it; at the very end it is replaced.
    if (isOpen && all[behind]?.character === '\n' && (isAtEnd || isEmptied)) all.splice(behind, 1);
  }
  for (const [index, { appends }] of spans.entries()) if (appends) write(operations[index], false);
  const isUnended = newest === '' ? !written.endsWith('\n') : isVirtual;
  return isUnended && /[^\n]\n$/.test(result) ? result.slice(0, -1) : result;
}
