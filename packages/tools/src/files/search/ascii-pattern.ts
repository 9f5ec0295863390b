/**
 * Translates a pattern of RE2 for ripgrep, whose classes such as `\w` know all of Unicode where those of RE2 know ASCII. Returns `undefined` for
 * what may mean something else there.
 */
export function asciiPattern(pattern: string): string | undefined {
  let translated = '';
  let isInSet = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      at += 1;
      const escaped = translateEscape(pattern.charAt(at), isInSet);
      if (escaped === undefined) return undefined;
      translated += escaped;
    } else if (isInSet) {
      // Sets in sets, and their names, are written differently.
      if (character === '[' || '&~'.includes(character) || (character === '-' && pattern.charAt(at + 1) === '-'))
        return undefined;
      if (character === ']') isInSet = false;
      translated += character;
    } else {
      if (character === '[') {
        isInSet = true;
        const [opening = '['] = /^\[\^?\]?/u.exec(pattern.slice(at)) ?? [];
        // A bracket that comes first is one of the set; ripgrep wants it escaped.
        if (opening.endsWith(']')) return undefined;
        translated += opening;
        at += opening.length - 1;
        continue;
      }
      // Flags and names of groups.
      if (character === '(' && pattern.charAt(at + 1) === '?' && pattern.charAt(at + 2) !== ':') return undefined;
      translated += character;
    }
  }
  return isInSet ? undefined : translated;
}

function translateEscape(letter: string, isInSet: boolean): string | undefined {
  const set = sets.get(letter.toLowerCase());
  if (set !== undefined) {
    if (letter === letter.toLowerCase()) return isInSet ? set : `[${set}]`;
    return isInSet ? undefined : `[^${set}]`;
  }
  if (letter === 'b' && !isInSet) return String.raw`(?-u:\b)`;
  if ('tnrfv'.includes(letter) && letter !== '') return `\\${letter}`;
  return letter !== '' && /[^A-Za-z0-9\s]/u.test(letter) && letter.charCodeAt(0) < 128 ? `\\${letter}` : undefined;
}

const sets = new Map([
  ['d', '0-9'],
  ['w', '0-9A-Za-z_'],
  ['s', String.raw`\t\n\f\r `],
]);
