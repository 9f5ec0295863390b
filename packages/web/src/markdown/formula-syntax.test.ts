import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import { MarkdownPieces } from './pieces.ts';
import { tableAsCsv } from './table-as-csv.ts';

/** Returns the tokens of a type anywhere in a text. */
function tokensOf(type: string, text: string): Token[] {
  const found: Token[] = [];
  const walk = (token: Token): void => {
    if (token.type === type) found.push(token);
    if ('tokens' in token) for (const inner of token.tokens ?? []) walk(inner);
    if (isList(token)) for (const item of token.items) walk(item);
  };
  for (const { token } of new MarkdownPieces().of(text)) walk(token);
  return found;
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isTable(token: Token | undefined): token is Tokens.Table {
  return token?.type === 'table';
}

const formulasIn = (text: string): string[] => tokensOf('formula', text).map(({ raw }) => raw.trim());

test('[WB422] formulas are found in all four signs, in lines and on lines of their own', () => {
  for (const formula of [
    '$x$',
    '$a_1 * b_2 * c$',
    '$\\$5$',
    '\\(a^2\\)',
    '\\(f\\left(x\\right)\\)',
    '\\[\\sum_i a_i\\]',
    '$$x$$',
    '$$\nx\n=\ny\n$$',
    '$$\n- a\n# b\n$$',
    '\\[\n\\begin{aligned} a &= b \\\\[2pt] c &= d \\end{aligned}\n\\]',
  ]) {
    assert.deepEqual(formulasIn(formula), [formula]);
    assert.deepEqual(formulasIn(`before\n\n${formula}\nafter`), [formula]);
    // A line of `=` below lines of a paragraph makes them a heading, as everywhere.
    if (!formula.includes('\n=')) assert.deepEqual(formulasIn(`before\n${formula}\nafter`), [formula]);
    assert.deepEqual(formulasIn(`- item\n\n  ${formula.replaceAll('\n', '\n  ')}`).length, 1, formula);
    if (!formula.includes('\n')) assert.deepEqual(formulasIn(`word ${formula}, word`), [formula]);
  }
  assert.deepEqual(formulasIn('the $n$th of $m$'), ['$n$', '$m$']);
});

test('[WB423] prices, variables, code and escaped signs are no formulas', () => {
  for (const text of [
    'It costs $5 and $6',
    'between $5 and 6$7',
    'US$5 or A$6',
    'echo $HOME/$USER',
    '`$x$`',
    '```\n$x$\n```',
    '\\$x\\$',
    '$ x $',
    '$$\n\nx\n\n$$',
    '$x',
    '\\(x',
    '$$$',
    '\\[\\]',
    '$\n\n$',
  ]) {
    assert.deepEqual(formulasIn(text), [], text);
  }
});

test('[WB424] the mark of a footnote leads to it, also where the footnote comes later; a mark without one is text', () => {
  const text =
    'One[^1] and two[^note].\n\nMore[^none].\n\n[^1]: The *first*.\n[^note]: The second,\n  which goes on.\n\nBelow.';
  const labels = (type: string): unknown[] =>
    tokensOf(type, text).map((token): unknown => ('label' in token ? token.label : undefined));
  assert.deepEqual(labels('footnote-mark'), ['1', 'note']);
  assert.deepEqual(labels('footnote'), ['1', 'note']);
  const [, second] = tokensOf('footnote', text);
  assert.match(second?.raw ?? '', /which goes on\.\n/u);
  const growing = new MarkdownPieces();
  growing.of(text.slice(0, 20));
  assert.deepEqual(
    growing.of(text).map(({ token }) => token),
    new MarkdownPieces().of(text).map(({ token }) => token),
  );
});

test('[WB425] a table is copied as comma-separated values, with the words of its cells, and nothing that a spreadsheet runs', () => {
  const text =
    '| a | **b** |\n| --- | --- |\n| x, "y" | `c` and $d$ |\n| =1+1 | -5 |\n| -cmd | [link](https://example.org) |';
  const [table] = new Lexer({ gfm: true }).lex(text);
  assert.ok(isTable(table));
  assert.equal(tableAsCsv(table), `a,b\r\n"x, ""y""",c and $d$\r\n'=1+1,-5\r\n'-cmd,link`);
});
