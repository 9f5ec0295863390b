import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  languageDataProp,
  syntaxHighlighting,
} from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';

const data = defineLanguageFacet();

/** Markdown alone: the usual package brings the grammars of HTML, CSS and JavaScript along. */
const markdown = new Language(
  data,
  parser.configure([GFM, { props: [languageDataProp.add({ Document: data })] }]),
  [],
  'markdown',
);

const style = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '0.87em' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.quote], color: 'var(--text-2)' },
  { tag: tags.labelName, color: 'var(--text-2)' },
]);

/** Colors the signs of Markdown, without drawing it: the text stays the one that is edited. */
export const markdownLanguage: Extension = [markdown, syntaxHighlighting(style)];
