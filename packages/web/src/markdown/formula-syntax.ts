import type { MarkedOptions, Token, TokenizerThis, Tokens } from 'marked';

/** A formula in a text: its source with its signs is `raw`. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  /** The LaTeX between the signs. */
  readonly text: string;
  /** True if it stands on lines of its own. */
  readonly isDisplayed: boolean;
}

/** The text of a footnote, at the place where it was written. */
export interface FootnoteToken {
  readonly type: 'footnote';
  readonly raw: string;
  readonly label: string;
  readonly tokens: Token[];
}

/** The place in a text that a footnote belongs to. */
export interface FootnoteMarkToken {
  readonly type: 'footnote-mark';
  readonly raw: string;
  readonly label: string;
}

/** The name under which the definition of a footnote is kept among those of links. */
export function footnoteLink(label: string): string {
  return `^${label}`;
}

/**
 * The syntax that Loom adds to Markdown: formulas and footnotes. Without a sign of either a text is read without them. Each pattern reads
 * every character of a text a fixed number of times, however many signs are never closed.
 */
export function extensionsFor(text: string): Extensions | null {
  if (!/\$|\\[([]|\[\^/u.test(text)) return null;
  return extensions;
}

type Extensions = NonNullable<MarkedOptions['extensions']>;

const extensions: Extensions = {
  renderers: {},
  childTokens: {},
  block: [readFormulaLines, readFootnote],
  inline: [readFormula, readFootnoteMark],
  // Both are read from the beginning of a line, where a paragraph above them ends.
  startBlock: [startOfLine],
  startInline: [startOfSign],
};

/** A formula that has its lines to itself. A blank line ends it, as it does in LaTeX. */
const formulaLines = [
  /^ {0,3}\$\$(?!\$)((?:\\[^\n]|\n(?![ \t]*\n)|[^\\$\n])+)\$\$[ \t]*(?:\n+|$)/u,
  /^ {0,3}\\\[((?:\\[^[\]\n]|\n(?![ \t]*\n)|[^\\\n])+)\\\][ \t]*(?:\n+|$)/u,
];

function readFormulaLines(this: TokenizerThis, source: string): Tokens.Generic | undefined {
  return formulaOf(source, formulaLines, true);
}

const displayed = [/^\$\$(?!\$)((?:\\[\s\S]|[^\\$])+)\$\$(?!\$)/u, /^\\\[((?:\\[^[\]]|[^\\])+)\\\]/u];
const inLine = /^\\\(((?:\\[^()]|[^\\])+)\\\)/u;
/** No space inside of the signs, and no digit behind them: `$5 and $6` is no formula, and neither is `$HOME/$USER`. */
const betweenDollars = /^\$(?![\s$])((?:\\[^\n]|[^\\$])+)\$(?![\p{Lu}\d_{($])/u;

function readFormula(this: TokenizerThis, source: string, before: Token[]): Tokens.Generic | undefined {
  const found = formulaOf(source, displayed, true) ?? formulaOf(source, [inLine], false);
  if (found !== undefined || !source.startsWith('$')) return found;
  if (/[\p{L}\d]$/u.test(before.at(-1)?.raw ?? '')) return undefined;
  const formula = formulaOf(source, [betweenDollars], false);
  return formula === undefined || /\s$/u.test(formula['text']) ? undefined : formula;
}

function formulaOf(source: string, patterns: readonly RegExp[], isDisplayed: boolean): Formula | undefined {
  for (const pattern of patterns) {
    const [raw, text = ''] = pattern.exec(source) ?? [];
    if (raw !== undefined && text.trim() !== '') return { type: 'formula', raw, text, isDisplayed };
  }
  return undefined;
}

type Formula = FormulaToken & Tokens.Generic;

const footnote = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*([^\n]*(?:\n(?! {0,3}\[\^)[ \t]{2,}\S[^\n]*)*)(?:\n+|$)/u;

function readFootnote(this: TokenizerThis, source: string): Tokens.Generic | undefined {
  const [raw, label, text] = footnote.exec(source) ?? [];
  if (raw === undefined || label === undefined || text === undefined) return undefined;
  const { links } = this.lexer.tokens;
  links[footnoteLink(label)] ??= { href: '', title: '' };
  return { type: 'footnote', raw, label, tokens: this.lexer.inline(text.replaceAll(/\n[ \t]+/gu, '\n')) };
}

/** A mark without a footnote in the text stays as it was written. */
function readFootnoteMark(this: TokenizerThis, source: string): Tokens.Generic | undefined {
  const [raw, label] = /^\[\^([^\]\s]{1,60})\](?!:)/u.exec(source) ?? [];
  if (raw === undefined || label === undefined) return undefined;
  if (!Object.hasOwn(this.lexer.tokens.links, footnoteLink(label))) return undefined;
  return { type: 'footnote-mark', raw, label };
}

function startOfLine(this: TokenizerThis, source: string): number | undefined {
  // Only as far as the paragraph goes: a long text is not read once for each of its paragraphs.
  const end = source.search(/\n[ \t]*\n/u);
  const at = source.slice(0, end < 0 ? undefined : end).search(/\n {0,3}(?:\$\$|\\\[|\[\^)/u);
  return at < 0 ? undefined : at + 1;
}

function startOfSign(this: TokenizerThis, source: string): number | undefined {
  const at = source.search(/\$|\\[([]|\[\^/u);
  return at < 0 ? undefined : at;
}
