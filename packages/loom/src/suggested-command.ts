import type { Call } from './command.ts';

/** A command to be suggested, so that it works as it is printed: on the same data folder as the one that was given. */
export function suggestCommand({ options }: Pick<Call, 'options'>, line: string): string {
  const folder = options.get('data-dir');
  return typeof folder === 'string' ? `loom ${line} --data-dir ${quoteForShell(folder)}` : `loom ${line}`;
}

/** A word as a shell takes it. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
