/**
 * Writes a path for a model, in a line of its own. One with line breaks, other control characters or marks of direction stands as JSON, as an
 * argument has it: as it is, the name of a file could pass for lines of other files.
 */
export function shownPath(path: string): string {
  if (!unseen.test(path)) return path;
  return JSON.stringify(path).replaceAll(unseenAll, (mark) => String.raw`\u${codeOf(mark)}`);
}

// Controls, separators of lines and paragraphs, and marks of direction.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const unseenAll = new RegExp(unseen.source, 'gu');

function codeOf(mark: string): string {
  return (mark.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
}
