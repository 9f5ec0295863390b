/** The deepest nesting of values in a line: deeper ones are made to break readers, and kept lines have to be read again. */
export const deepestLine = 500;

/** Returns true if a value is nested deeper than this. */
export function isDeeperThan(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (deepest === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, deepest - 1)) return true;
  return false;
}

/** The deepest nesting of values that is read: deeper ones are made to break readers. */
const deepestNesting = 100;

/**
 * Returns true if a JSON text is nested deeper than this. It counts brackets outside strings, so for a text that is not JSON the result is
 * approximate.
 */
export function nestsTooDeep(text: string, deepest = deepestNesting): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInString) {
      if (unit === backslash) at += 1;
      else if (unit === quote) isInString = false;
    } else if (unit === quote) isInString = true;
    else if (unit === openBrace || unit === openBracket) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (unit === closeBrace || unit === closeBracket) depth -= 1;
  }
  return false;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
