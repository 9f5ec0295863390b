import { AsyncLocalStorage } from 'node:async_hooks';

/** The data folder that the command line named, while its command runs. */
const named = new AsyncLocalStorage<string>();

/** Runs a command; commands suggested meanwhile are for the same data folder as the one that was named. */
export function suggestingFor<Result>(dataDir: string, work: () => Result): Result {
  return named.run(dataDir, work);
}

/** A command to be suggested, so that it works as it is printed. */
export function suggest(line: string): string {
  const folder = named.getStore();
  return folder === undefined ? `loom ${line}` : `loom ${line} --data-dir ${quoteForShell(folder)}`;
}

/** A word as a shell takes it. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
