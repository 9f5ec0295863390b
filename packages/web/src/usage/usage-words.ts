import { dollars, percent, tokens } from '../words/amounts.ts';
import { locale } from '../words/locale.ts';
import type { Sum } from './usage-sums.ts';
import { tokensOf } from './usage-sums.ts';

/** `Nov 17` */
export function dayName(day: string): string {
  return new Date(day).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** `Nov 2026` */
export function monthName(day: string): string {
  return new Date(day).toLocaleDateString(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
}

/** Names days under an axis: by their number, with the month where it begins. */
export function shortDayNames(days: readonly string[]): string[] {
  return days.map((day, index) => {
    const isNewMonth = days[index - 1]?.slice(0, 7) !== day.slice(0, 7);
    return isNewMonth ? dayName(day) : String(Number(day.slice(8)));
  });
}

/** `84%`, or a dash where nothing is known. */
export function shareWords(share: number | undefined): string {
  return share === undefined ? '–' : percent(share);
}

/** Words a cost, as far as it is known. */
export function costWords({ cost, unpriced, calls }: Sum): string {
  // A free call and one without a known price are not "at least nothing" together.
  if (calls > 0 && (unpriced === calls || (unpriced > 0 && cost === 0))) return 'price unknown';
  return `${unpriced > 0 ? 'at least ' : ''}${dollars(cost)}`;
}

export function tokenWords(sum: Sum): string {
  return tokens(tokensOf(sum));
}
