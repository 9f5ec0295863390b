/** A prompt with its arguments in it. */
export interface FilledPrompt {
  text: string;
  /** Places that got no argument, such as $2 or $FILE. They stay in the text. */
  missing: string[];
}

/**
 * Puts the words behind a command into a prompt: all of them for `$ARGUMENTS`, one each for `$1` to `$9`, and for `$FILE` what was given as
 * `FILE=…`. Quotes keep words together. `$$` before a name or number is a plain dollar sign. Words for which the prompt has no place are added
 * below it, so that none is lost.
 */
export function fillPrompt(text: string, words: string, hint = ''): FilledPrompt {
  const { named, others } = readArguments(words, namesIn(text));
  const isPlain = named.size === 0;
  const join = (some: readonly string[]): string =>
    isPlain && some.length === others.length ? words.trim() : some.map(quoted).join(' ');
  const missing = new Set<string>();
  const used = new Set<number>();
  let takesAll = false;
  const filled = text.replaceAll(place, (found: string, dollar?: string, number?: string, name?: string) => {
    if (dollar !== undefined) return '$';
    if (number !== undefined) {
      const word = others[Number(number) - 1];
      if (word === undefined) missing.add(found);
      used.add(Number(number) - 1);
      return word ?? found;
    }
    if (name === 'ARGUMENTS') {
      takesAll = true;
      return join(others);
    }
    const value = named.get(name ?? '');
    // Scripts in a prompt have variables, too: only a name that the hint promises is missed.
    if (value === undefined && name !== undefined && hintsAt(hint, name)) missing.add(found);
    return value ?? found;
  });
  const rest = takesAll ? [] : others.filter((_word, index) => !used.has(index));
  return {
    text: rest.length === 0 ? filled : `${filled.trimEnd()}\n\n${join(rest)}`,
    missing: [...missing],
  };
}

/** `$$` before a place, `$1`, or `$NAME`. A price such as $15 or $1.50 is no place. */
const place = /\$(\$)(?=[1-9A-Z])|\$([1-9])(?!\d|[.,]\d)|\$([A-Z][A-Z0-9_]*)/gu;

function namesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(place), ([, , , name]) => name ?? ''));
}

function hintsAt(hint: string, name: string): boolean {
  return hint.split(/[^A-Z0-9_]+/u).includes(name);
}

function readArguments(words: string, names: ReadonlySet<string>): { named: Map<string, string>; others: string[] } {
  const named = new Map<string, string>();
  const others: string[] = [];
  // Quotes count at the beginning of a word alone: an apostrophe is none.
  for (const [word] of words.matchAll(/(?:[A-Z][A-Z0-9_]*=)?(?:"[^"]*"|'[^']*')(?!\S)|\S+/gu)) {
    const [, name = '', value = word] = /^([A-Z][A-Z0-9_]*)=(.*)$/su.exec(word) ?? [];
    if (name !== '' && name !== 'ARGUMENTS' && names.has(name)) named.set(name, unquoted(value));
    else others.push(unquoted(word));
  }
  return { named, others };
}

function unquoted(word: string): string {
  return /^(["'])(.*)\1$/su.exec(word)?.[2] ?? word;
}

function quoted(word: string): string {
  if (!/\s/u.test(word)) return word;
  return word.includes('"') ? `'${word}'` : `"${word}"`;
}
