import { decodeKey } from './key.ts';

/** A value as it stands in the text; offsets are UTF-16 positions, `end` exclusive. */
export type ValueNode =
  | { type: 'scalar'; start: number; end: number }
  | { type: 'array'; start: number; end: number; items: ItemNode[] }
  | { type: 'inline-table'; start: number; end: number; pairs: PairNode[] };

/** One element of an array with the position of the comma behind it, if there is one. */
export type ItemNode = { start: number; value: ValueNode; comma: number | undefined };

/** `key = value`; inside an inline table `comma` is the position of the comma behind it. */
export type PairNode = { start: number; key: string[]; value: ValueNode; comma: number | undefined };

/** One or more whole lines, line break included. Statements cover a text without gaps. */
export type Statement = { start: number; end: number } & (
  | { type: 'blank' }
  | { type: 'comment' }
  | { type: 'header'; key: string[]; array: boolean }
  | { type: 'pair'; pair: PairNode }
);

/**
 * Splits TOML into statements that remember the position of everything, so that an edit can touch a few characters only. It does not judge:
 * text that is not TOML gives some statements too. Parse with smol-toml first, and again afterwards.
 */
export function scanToml(text: string): Statement[] {
  const statements: Statement[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const statement = scanStatement(text, at);
    statements.push(statement);
    at = statement.end;
  }
  return statements;
}

function scanStatement(text: string, start: number): Statement {
  const first = skipBlanks(text, start);
  const character = text[first];
  if (character === undefined || isLineBreak(text, first)) return { type: 'blank', start, end: lineEnd(text, first) };
  if (character === '#') return { type: 'comment', start, end: lineEnd(text, first) };
  if (character === '[') {
    const array = text[first + 1] === '[';
    const keyStart = first + (array ? 2 : 1);
    const keyEnd = skipKey(text, keyStart, ']');
    return {
      type: 'header',
      start,
      end: lineEnd(text, keyEnd),
      key: decodeKey(text.slice(keyStart, keyEnd)),
      array,
    };
  }
  const pair = scanPair(text, first, '');
  return { type: 'pair', start, end: lineEnd(text, pair.value.end), pair };
}

function scanPair(text: string, start: number, closers: string): PairNode {
  const keyEnd = skipKey(text, start, '=');
  const key = decodeKey(text.slice(start, keyEnd));
  const value = scanValue(text, skipBlanks(text, keyEnd + 1), closers);
  return { start, key, value, comma: undefined };
}

/** `closers` are the characters that end a bare value inside the enclosing array or inline table. */
function scanValue(text: string, start: number, closers: string): ValueNode {
  const character = text[start];
  if (character === '"' || character === "'") return { type: 'scalar', start, end: skipString(text, start) };
  if (character === '[') return scanArray(text, start);
  if (character === '{') return scanInlineTable(text, start);
  let end = start;
  while (end < text.length && !isLineBreak(text, end) && text[end] !== '#' && !closers.includes(text[end] ?? '')) end++;
  // A date and its time may be separated by a blank, so a bare value ends only at its last visible character.
  while (end > start && isBlank(text[end - 1])) end--;
  return { type: 'scalar', start, end };
}

function scanArray(text: string, start: number): ValueNode {
  const items: ItemNode[] = [];
  let at = skipVoid(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    const value = scanValue(text, at, ',]');
    const item: ItemNode = { start: at, value, comma: undefined };
    items.push(item);
    at = skipVoid(text, Math.max(value.end, at));
    if (text[at] !== ',') break;
    item.comma = at;
    at = skipVoid(text, at + 1);
  }
  return { type: 'array', start, end: Math.min(at + 1, text.length), items };
}

function scanInlineTable(text: string, start: number): ValueNode {
  const pairs: PairNode[] = [];
  let at = skipVoid(text, start + 1);
  while (at < text.length && text[at] !== '}') {
    const pair = scanPair(text, at, ',}');
    pairs.push(pair);
    at = skipVoid(text, Math.max(pair.value.end, at));
    if (text[at] !== ',') break;
    pair.comma = at;
    at = skipVoid(text, at + 1);
  }
  return { type: 'inline-table', start, end: Math.min(at + 1, text.length), pairs };
}

function skipKey(text: string, start: number, closer: string): number {
  let at = start;
  while (at < text.length && text[at] !== closer && text[at] !== '\n') {
    at = text[at] === '"' || text[at] === "'" ? skipString(text, at) : at + 1;
  }
  return at;
}

function skipString(text: string, start: number): number {
  const quote = text[start] ?? '';
  const triple = quote.repeat(3);
  if (!text.startsWith(triple, start)) return skipToQuote(text, start + 1, quote, quote === '"');
  const end = skipToQuote(text, start + 3, triple, quote === '"');
  // Up to two quotes may stand directly before the closing three: `""""quoted""""`.
  let last = end;
  while (last < end + 2 && text[last] === quote) last++;
  return last;
}

function skipToQuote(text: string, start: number, closer: string, escapes: boolean): number {
  let at = start;
  while (at < text.length) {
    if (escapes && text[at] === '\\') at += 2;
    else if (text.startsWith(closer, at)) return at + closer.length;
    else if (closer.length === 1 && isLineBreak(text, at)) return at;
    else at++;
  }
  return text.length;
}

/** Skips blanks, line breaks and comments, as allowed inside arrays and inline tables. */
function skipVoid(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (isBlank(text[at]) || isLineBreak(text, at)) at++;
    if (text[at] !== '#') return at;
    at = lineEnd(text, at);
  }
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text[at])) at++;
  return at;
}

/** The position behind the line break that ends the line of `at`. */
function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline + 1;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isLineBreak(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n');
}
