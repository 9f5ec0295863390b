/**
 * A pattern for paths: `*` and `?` stand for characters of one name, `[a-z]` for one of a set, `**` for any number of names. Matching takes
 * time in the product of the lengths at most, whatever the pattern.
 */
export class Glob {
  readonly #names: readonly string[];

  constructor(pattern: string) {
    this.#names = pattern.split('/');
  }

  /** Returns true if the pattern stands for the whole path. */
  matches(path: string): boolean {
    return matchAll(this.#names, path.split('/'), (pattern, name) => matchName(pattern, name));
  }
}

/** Matches two lists, where `**` in the first stands for any number of elements; at the end of a pattern, for at least one. */
function matchAll(
  patterns: readonly string[],
  names: readonly string[],
  matchOne: (pattern: string, name: string) => boolean,
): boolean {
  let [at, place] = [0, 0];
  let [star, retry] = [-1, 0];
  while (place < names.length) {
    const pattern = patterns[at];
    if (pattern === '**') {
      if (at === patterns.length - 1) return true;
      [star, retry] = [at, place];
      at += 1;
    } else if (pattern !== undefined && matchOne(pattern, names[place] ?? '')) {
      at += 1;
      place += 1;
    } else if (star !== -1) {
      retry += 1;
      [at, place] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return at === patterns.length;
}

function matchName(pattern: string, name: string): boolean {
  if (!/[*?[\\]/u.test(pattern)) return pattern === name;
  const parts = readParts(pattern);
  let [at, place] = [0, 0];
  let [star, retry] = [-1, 0];
  while (place < name.length) {
    const part = parts[at];
    const character = String.fromCodePoint(name.codePointAt(place) ?? 0);
    if (part === '*') {
      [star, retry] = [at, place];
      at += 1;
    } else if (part !== undefined && part(character)) {
      at += 1;
      place += character.length;
    } else if (star !== -1) {
      retry += String.fromCodePoint(name.codePointAt(retry) ?? 0).length;
      [at, place] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return parts.slice(at).every((part) => part === '*');
}

type Part = '*' | ((character: string) => boolean);

function readParts(pattern: string): Part[] {
  const parts: Part[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (parts.at(-1) !== '*') parts.push('*');
    } else if (character === '?') {
      parts.push(() => true);
    } else if (character === '[') {
      const set = readSet(characters, at);
      parts.push(set?.holds ?? ((one) => one === '['));
      at = set?.end ?? at;
    } else {
      const literal = character === '\\' ? (characters[(at += 1)] ?? '\\') : character;
      parts.push((one) => one === literal);
    }
  }
  return parts;
}

function readSet(characters: readonly string[], start: number) {
  let at = start + 1;
  const isNegated = characters[at] === '!' || characters[at] === '^';
  if (isNegated) at += 1;
  const ranges: [string, string][] = [];
  for (let isFirst = true; ; isFirst = false) {
    let first = characters[at];
    if (first === undefined) return undefined;
    if (first === ']' && !isFirst) break;
    if (first === '\\') first = characters[(at += 1)] ?? '\\';
    const last = characters[at + 2];
    const isRange = characters[at + 1] === '-' && last !== undefined && last !== ']';
    ranges.push([first, isRange ? last : first]);
    at += isRange ? 3 : 1;
  }
  const holds = (one: string): boolean => ranges.some(([first, last]) => one >= first && one <= last) !== isNegated;
  return { holds, end: at };
}
