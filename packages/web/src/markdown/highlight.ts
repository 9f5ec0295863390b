import { createBundledHighlighter, createCssVariablesTheme } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { languageNamed, languages } from './languages.ts';

/** A stretch of code of one kind; the kind is the name of a class. */
export interface HighlightedSpan {
  readonly text: string;
  readonly kind: string;
}
export type HighlightedLine = readonly HighlightedSpan[];

const theme = createCssVariablesTheme({ name: 'loom', variablePrefix: '--code-' });

const createHighlighter = createBundledHighlighter({
  langs: languages,
  themes: {},
  engine: () => createJavaScriptRegexEngine({ forgiving: true }),
});

let highlighter: ReturnType<typeof createHighlighter> | undefined;

/** Code line by line in stretches of one kind; `undefined` for a language that is not known. */
export async function highlight(code: string, language: string): Promise<readonly HighlightedLine[] | undefined> {
  const name = languageNamed(language);
  if (name === undefined) return undefined;
  highlighter ??= createHighlighter({ langs: [], themes: [theme] });
  const ready = await highlighter;
  await ready.loadLanguage(name);
  const { tokens } = ready.codeToTokens(code, { lang: name, theme: 'loom' });
  return tokens.map((line) => line.map(({ content, color = '' }) => ({ text: content, kind: kindOf(color) })));
}

/** `var(--code-token-string)` is a string. */
function kindOf(color: string): string {
  const kind = /token-([\w-]+)/u.exec(color)?.[1];
  return kind === undefined ? '' : `code-${kind}`;
}
