import { count } from '../words/amounts.ts';
import { clockTime } from '../words/times.ts';

/** The times before an absence is mentioned, and before it is called one, in milliseconds. */
const quiet = 2000;
const long = 15_000;

/** The time for which the return is shown, in milliseconds. */
export const toldFor = 4000;

export const tryingWords = 'Reconnecting. You can keep reading and writing.';

/** Returns the text of the banner: nothing at first, then that the page tries again, then since when the server is away. */
export function awayWords(since: number, now: number, kept = 0): string | undefined {
  if (now - since < quiet) return undefined;
  if (now - since < long) return tryingWords;
  const edits =
    kept === 0
      ? 'What you write is kept on this computer'
      : `${count(kept, 'edit')} ${kept === 1 ? 'is' : 'are'} kept on this computer and will be merged`;
  return `Offline since ${clockTime(since)}. ${edits}.`;
}

/** Returns the text shown for a moment when the server is back; nothing if nothing was shown before. */
export function backWords(since: number, now: number, kept = 0): string | undefined {
  if (awayWords(since, now) === undefined) return undefined;
  return kept === 0
    ? 'Connected again. Nothing was lost.'
    : `Connected again. ${count(kept, 'edit')} merged, nothing was lost.`;
}
