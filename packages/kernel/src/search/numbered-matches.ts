import type { TextMatch } from './text-search.ts';

/** Matches for readers that have to name lines: as in grep, `12:` begins a line that matches, `11-` one beside it. */
export function numberMatches(
  matches: readonly TextMatch[],
  { context_lines: context = 2 }: { context_lines?: number | undefined },
): TextMatch[] {
  return matches.map((match) => {
    const first = match.line - Math.min(context, match.line);
    const lines = match.content.split('\n').map((line, index) => {
      const number = first + index;
      return `${number}${number === match.line ? ':' : '-'}${line}`;
    });
    return { ...match, content: lines.join('\n') };
  });
}
