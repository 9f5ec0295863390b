/** Returns the lines of a text without their endings: programs that report changes do not agree about those of CRLF files. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(withoutReturn);
}

export function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Returns true for a line that is not written twice by accident: `}`, `else` and `return` are. */
export function isTelling(line: string): boolean {
  return line.trim().length >= 8 && /[\p{L}\p{N}_]{3}/u.test(line);
}
