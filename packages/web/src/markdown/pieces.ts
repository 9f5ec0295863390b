import { Lexer } from 'marked';
import type { Token, Tokens, TokensList } from 'marked';
import { extensionsFor, footnoteLink } from './formula-syntax.ts';
import type { FootnoteToken } from './formula-syntax.ts';

/** A top-level part of a Markdown text: a paragraph, a list, a fence. While its source is the same, it is the same object. */
export interface Piece {
  /** The place among the others. */
  readonly key: number;
  readonly token: Token;
  /** For a fence: whether its end has come. */
  readonly isClosed: boolean;
}

/**
 * The pieces of a text that grows. Only the last piece can change with the text that follows it, so only from there on the text is read
 * again; everything before stays as it is.
 */
export class MarkdownPieces {
  #text = '';
  #pieces: readonly Piece[] = [];
  #groups: readonly (readonly Piece[])[] = [];
  #definitions = '{}';
  /** The part that can no longer change: its end, the number of its pieces, and the links defined in it. */
  #settled: { readonly end: number; readonly pieces: number; readonly links: Links } = nothingSettled;

  of(text: string): readonly Piece[] {
    if (text === this.#text) return this.#pieces;
    if (!isGrown(text, this.#text)) this.#settled = nothingSettled;
    const { end, pieces: count, links } = this.#settled;
    const pieces = this.#pieces.slice(0, count);
    let at = end;
    let defined = links;
    let before = 'space';
    const tail = text.slice(end);
    // The lines of a formula that is not closed yet may look like anything, up to a blank line.
    const mayOpen = /\$\$|\\\[/u.test(tail);
    for (const token of lex(tail, links)) {
      if (token.type !== 'space') {
        if (mayOpen ? before === 'space' : !mayTakeIn.has(before)) {
          this.#settled = { end: at, pieces: pieces.length, links: defined };
        }
        if (isFootnote(token)) defined = { [footnoteLink(token.label)]: { href: '', title: '' }, ...defined };
        if (isDefinition(token)) defined = { [token.tag]: { href: token.href, title: token.title }, ...defined };
        else pieces.push(this.#piece(pieces.length, token));
      }
      // A blank line ends a paragraph, but neither a list nor indented code.
      if (token.type !== 'space' || !goesOnBelow.has(before)) before = token.type;
      at += token.raw.length;
    }
    this.#text = text;
    this.#pieces = pieces;
    // A late definition holds for the text before it, too, so all is read again.
    const definitions = JSON.stringify(defined);
    if (definitions !== this.#definitions) {
      this.#definitions = definitions;
      this.#text = '';
      this.#pieces = [];
      this.#settled = nothingSettled;
      return this.of(text);
    }
    return pieces;
  }

  /** The same in groups. A group whose pieces are the same is the same object. */
  groupsOf(text: string): readonly (readonly Piece[])[] {
    const pieces = this.of(text);
    const groups: (readonly Piece[])[] = [];
    for (let at = 0; at < pieces.length; at += groupSize) {
      const group = pieces.slice(at, at + groupSize);
      const before = this.#groups[groups.length];
      groups.push(before !== undefined && isSameList(before, group) ? before : group);
    }
    this.#groups = groups;
    return groups;
  }

  #piece(key: number, token: Token): Piece {
    const before = this.#pieces[key];
    if (before !== undefined && isSame(before.token, token)) return before;
    return { key, token, isClosed: token.type !== 'code' || isFenceClosed(token.raw) };
  }
}

/** The number of pieces in a group. */
const groupSize = 16;

/** The tokens that text below them may yet become a part of. */
const goesOnBelow = new Set(['list', 'code']);
const mayTakeIn = new Set(['paragraph', 'text', 'footnote', ...goesOnBelow]);

type Links = TokensList['links'];

const nothingSettled = { end: 0, pieces: 0, links: {} };

function lex(tail: string, links: Links): TokensList {
  const lexer = new Lexer({ gfm: true, extensions: extensionsFor(tail) });
  // Earlier definitions hold for the text that follows.
  lexer.tokens.links = { ...links };
  // Other ends of lines would make the tokens shorter than the text that they stand for.
  return lexer.lex(tail.replaceAll('\r', ' '));
}

/** Returns true if a text begins with another one. Two whole strings are compared many times faster than the beginning of one. */
function isGrown(text: string, before: string): boolean {
  return text.slice(0, before.length) === before;
}

/**
 * Returns true if two tokens say the same. The text that follows may change the meaning of the same source: it may make a list loose, for
 * example.
 */
function isSame(one: Token, other: Token): boolean {
  if (one.raw !== other.raw || one.type !== other.type) return false;
  if (saidByText.has(one.type) && 'text' in one && 'text' in other) return one.text === other.text;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The tokens whose contents are made of nothing but their text. */
const saidByText = new Set(['paragraph', 'code']);

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function isDefinition(token: Token): token is Tokens.Def {
  return token.type === 'def';
}

function isFootnote(token: Token): token is FootnoteToken & Tokens.Generic {
  return token.type === 'footnote';
}

/** Returns true if code ends with a fence at least as long as the one that it begins with; indented code has none and is never open. */
function isFenceClosed(raw: string): boolean {
  const [, begin] = /^ {0,3}(`{3,}|~{3,})/u.exec(raw) ?? [];
  if (begin === undefined) return true;
  const [, end] = /\n {0,3}(`{3,}|~{3,})[ \t]*\n*$/u.exec(raw) ?? [];
  return end?.startsWith(begin) === true;
}
