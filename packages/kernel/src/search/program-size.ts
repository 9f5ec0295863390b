/**
 * Estimates the number of instructions that a pattern compiles to, from one pass over its characters. Counted repetition
 * copies its content: a thousand characters of pattern can stand for a million instructions, and compiling those takes a
 * second and hundreds of megabytes. So the size is looked at before. It is an estimate, never a check of the syntax.
 */
export function estimateProgramSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  /** Size of what a repetition would repeat: the last atom or group. */
  let last = 0;
  for (const [token, minimum, maximum] of pattern.matchAll(tokens)) {
    if (token === '(') {
      outer.push(size);
      size = 0;
    } else if (token === ')') {
      // The two instructions record where the group begins and ends.
      last = size + 2;
      size = (outer.pop() ?? 0) + last;
    } else if (minimum !== undefined) {
      const copies = Math.max(Number(minimum), Number(maximum ?? 0), 1);
      size += last * (copies - 1) + copies;
      last *= copies;
    } else if (token === '*' || token === '+' || token === '?' || token === '|') {
      size += 1;
      last += 1;
    } else {
      last = 1;
      size += 1;
    }
  }
  return outer.reduce((sum, part) => sum + part, size);
}

/** A named or hexadecimal escape, any other escape, a class, a counted repetition, or one character. */
const tokens = /\\[xpP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;
