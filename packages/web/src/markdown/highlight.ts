import { createBundledHighlighter, createCssVariablesTheme } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { GrammarState } from 'shiki/types';
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
  const lines = code.split('\n');
  const found: HighlightedLine[] = [];
  let state: GrammarState | undefined;
  for (let at = 0; at < lines.length; at += linesAtOnce) {
    if (at > 0) await aMoment();
    const part = lines.slice(at, at + linesAtOnce).join('\n');
    const goingOn = state === undefined ? {} : { grammarState: state };
    const { tokens, grammarState } = ready.codeToTokens(part, { lang: name, theme: 'loom', ...bounds, ...goingOn });
    for (const line of tokens) {
      found.push(line.map(({ content, color = '' }) => ({ text: content, kind: kindOf(color) })));
    }
    state = grammarState;
  }
  return found;
}

/** The number of lines colored at once; between them the page draws and takes keys. */
const linesAtOnce = 30;

/**
 * A line is coloured as a whole or, if it is very long, not at all. By default the grammar is left after half a second in a line, which the first line
 * of a busy machine takes to load it: the colours of all that follows would be wrong.
 */
const bounds = { tokenizeMaxLineLength: 10_000, tokenizeTimeLimit: 0 };

function aMoment(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}

/** `var(--code-token-string)` is a string. */
function kindOf(color: string): string {
  const kind = /token-([\w-]+)/u.exec(color)?.[1];
  return kind === undefined ? '' : `code-${kind}`;
}
