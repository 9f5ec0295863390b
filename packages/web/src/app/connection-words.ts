import { clockTime } from '../words/times.ts';

/** How long an absence is not spoken of, and from when on it is called one, in milliseconds. */
const quiet = 2000;
const long = 15_000;

/** How long the return is told. */
export const toldFor = 4000;

/** What the banner says: nothing at first, then that the page tries again, then since when the server is away. */
export function awayWords(since: number, now: number): string | undefined {
  if (now - since < quiet) return undefined;
  if (now - since < long) return 'Reconnecting. You can keep reading and writing.';
  return `Offline since ${clockTime(since)}. What you write is kept on this computer.`;
}

/** What it says for a moment when the server is back; nothing if nothing was said before. */
export function backWords(since: number, now: number): string | undefined {
  return awayWords(since, now) === undefined ? undefined : 'Connected again. Nothing was lost.';
}
