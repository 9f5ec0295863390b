import type { TextSplice } from '../../text/text-splice.ts';
import type { LineOperation } from '../line-operation.ts';

/** A character of the newest text: of the base if it has a number there; or, without a character, a place between two. */
interface Cell {
  character: string;
  base?: number;
  place?: number;
}

/**
 * What line operations on a base text have to do to the newest one, found by following every character through every
 * change. For texts whose only break is `\n` and operations that the base text admits; `touched` are those to refuse.
 */
export function judgeCarriedEdits(
  base: string,
  later: readonly (readonly TextSplice[])[],
  operations: readonly LineOperation[],
): { text: string } | { touched: number[] } {
  const starts = [0];
  for (const line of base.match(/[^\n]*\n|[^\n]+/g) ?? []) starts.push((starts.at(-1) ?? 0) + line.length);
  const spans = operations.map((operation) => {
    const [start, end] =
      operation.op === 'insert' ? [operation.line, operation.line] : [operation.start_line, operation.end_line];
    return { from: starts[start] ?? 0, to: starts[end] ?? 0, appends: start === starts.length - 1 };
  });

  let cells: Cell[] = [];
  for (let at = 0; at <= base.length; at += 1) {
    for (const [place, { from, to, appends }] of spans.entries()) {
      if (from === at && to === at && !appends) cells.push({ character: '', place });
    }
    if (at < base.length) cells.push({ character: base.charAt(at), base: at });
  }

  const touched = new Set<number>();
  for (const change of later) {
    cells = follow(cells, change, touched);
    for (const [index, { from, to }] of spans.entries()) {
      const places = cells.flatMap((cell, at) => (isWithin(cell.base, from, to) ? [at] : []));
      const between = cells.slice(places[0] ?? 0, (places.at(-1) ?? -1) + 1);
      if (places.length < to - from || between.some((cell) => cell.base === undefined && cell.character !== '')) {
        touched.add(index);
      }
    }
  }
  let before = '\n';
  for (const { character, place } of cells) {
    if (place !== undefined && before !== '\n') touched.add(place);
    if (character !== '') before = character;
  }
  return touched.size > 0 ? { touched: [...touched] } : { text: rebuild(base, cells, operations, spans) };
}

function isWithin(at: number | undefined, from: number, to: number): boolean {
  return at !== undefined && at >= from && at < to;
}

/** One change, character by character; what is inserted at a place comes behind it. */
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
  spans: readonly { from: number; to: number; appends: boolean }[],
): string {
  const newest = cells.map((cell) => cell.character).join('');
  // A break that is not there makes a last line like all others; it is taken off again in the end.
  const isVirtual = newest !== '' && !newest.endsWith('\n');
  const all = isVirtual ? [...cells, { character: '\n' }] : [...cells];
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
    const isOpen = span.to === base.length && !base.endsWith('\n');
    const behind = all.findIndex((other) => other.base === span.to - 1) + 1;
    const isAtEnd = isVirtual && behind === all.length - 1;
    write(operation, isOpen && !isAtEnd);
    const isEmptied = operation?.op === 'delete' || (operation?.op === 'replace' && operation.content === '');
    // The break behind an open line goes with the line, or stays behind what replaces it; at the very end it is replaced.
    if (isOpen && all[behind]?.character === '\n' && (isAtEnd || isEmptied)) all.splice(behind, 1);
  }
  for (const [index, { appends }] of spans.entries()) if (appends) write(operations[index], false);
  const isUnended = newest === '' ? !written.endsWith('\n') : isVirtual;
  return isUnended && /[^\n]\n$/.test(result) ? result.slice(0, -1) : result;
}
