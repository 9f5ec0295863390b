import { ToolMistake } from './file-call.ts';

/** Refuses a text with a line that stands for code which was left out, unless the file has that very line already. */
export function refusePlaceholders(text: string, before: string, path: string): void {
  const line = findPlaceholder(text, before);
  if (line === undefined) return;
  throw new ToolMistake(
    `The new text for ${path} contains "${line.trim().slice(0, 100)}", which stands for code that was left out: it would replace that code. ` +
      'Nothing was changed. Give the complete text, or change only the lines that differ, with edit.',
  );
}

/** Returns the first line that stands for code which was left out. */
export function findPlaceholder(text: string, before = ''): string | undefined {
  const known = new Set(before.split('\n').map((line) => line.trim()));
  return text.split('\n').find((line) => line.length < 200 && isPlaceholder(line) && !known.has(line.trim()));
}

function isPlaceholder(line: string): boolean {
  const [, comment] = commentLine.exec(line) ?? [];
  // Outside of a comment only dots around the words tell: the text may be prose about code.
  const words = comment ?? (/^\s*(?:\.{3}|…).*(?:\.{3}|…)\s*$/u.exec(line)?.[0] || undefined);
  if (words === undefined) return false;
  return leftOut.some((pattern) => pattern.test(words));
}

const commentLine = /^\s*(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*|"""|''')\s*(.*?)\s*(?:\*+\/\}?|-->|"""|''')?\s*$/u;

const things =
  '(?:code|file|function|functions|method|methods|class|content|contents|implementation|logic|lines?|imports?|body|section|component|script|tests?|styles?|markup|fields?|props?|config(?:uration)?)';

const leftOut: readonly RegExp[] = [
  // … the rest of the code (stays the same)
  new RegExp(
    `^(?:\\.{3}|…)?\\s*\\(?(?:the\\s+)?(?:rest|remainder)\\s+of\\s+(?:the\\s+|your\\s+|this\\s+)?(?:\\w+\\s+){0,2}${things}\\b.*$`,
    'iu',
  ),
  // existing code …, remaining code unchanged
  new RegExp(
    `^(?:\\.{3}|…)?\\s*\\(?(?:the\\s+)?(?:rest|remaining|existing|previous|other|same|unchanged|original)\\s+(?:\\w+\\s+){0,2}${things}\\b.*(?:\\.{3}|…|unchanged|as before|(?:stays?|remains?|is|are) (?:the same|here|as is|as it is|unchanged)|goes? here|omitted|no changes?|same as (?:before|above))\\W*$`,
    'iu',
  ),
  new RegExp(
    `^(?:\\.{3}|…)\\s*\\(?(?:the\\s+)?(?:rest|remaining|existing|previous|other|same|unchanged|keep)\\b.*$`,
    'iu',
  ),
  new RegExp(
    `^(?:\\.{3}|…)?\\s*\\(?(?:rest|everything else|all else)\\s+(?:is\\s+|stays\\s+|remains\\s+)?(?:unchanged|the same|as before|as is)\\W*$`,
    'iu',
  ),
  new RegExp(
    `^(?:keep|leave)\\s+(?:the\\s+)?(?:rest|existing|remaining|other)\\b.*(?:${things}|as is|unchanged).*$`,
    'iu',
  ),
  /^(?:\.{3}|…)\s*\(?(?:unchanged|omitted|truncated|snip(?:ped)?|same as (?:before|above))\b.*$/iu,
];
