import { readSimpleCommand } from './simple-command.ts';

/** A pattern of commands: words that a command begins with. */
export interface CommandPattern {
  readonly words: readonly string[];
  /** True if further arguments may follow. */
  readonly isOpen: boolean;
}

/** Reads a pattern such as `npm run build` or `git log *`; the star is a separate last word and stands for any further arguments. */
export function readCommandPattern(text: string): CommandPattern | undefined {
  const trimmed = text.trim();
  if (trimmed === '*') return { words: [], isOpen: true };
  const isOpen = trimmed.endsWith(' *');
  const read = readSimpleCommand(isOpen ? trimmed.slice(0, -2) : trimmed);
  return read.ok ? { words: read.words, isOpen } : undefined;
}

/** Returns true if a pattern covers the words of a command. */
export function coversWords({ words, isOpen }: CommandPattern, command: readonly string[]): boolean {
  const hasLength = isOpen ? command.length >= words.length : command.length === words.length;
  return hasLength && words.every((word, index) => command[index] === word);
}

/** Returns the pattern that covers exactly these words. */
export function exactPattern(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/** Spells a word so that it is read as itself. */
function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/u.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return word
    .split("'")
    .map((part) => (part === '' ? '' : `'${part}'`))
    .join(`"'"`);
}
