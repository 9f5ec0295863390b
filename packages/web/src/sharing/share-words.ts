import { count } from '../words/amounts.ts';
import { messageTime } from '../words/times.ts';
import { locale } from '../words/locale.ts';
import type { ListedShare } from './share-answers.ts';

const day = 24 * 60 * 60 * 1000;

/** The lifetimes on offer, in days. */
export const lifetimes: readonly number[] = [1 / 24, 1, 7, 30, 90, 365];
export const usualDays = 7;

/** `in 1 hour`, `Nov 26, in 7 days` */
export function lifetimeWords(days: number, now: number): string {
  if (days < 1) return 'in 1 hour';
  const date = new Date(now + days * day);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  const words = date.toLocaleDateString(locale, {
    month: 'short',
    day: 'numeric',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return `${words}, in ${count(days, 'day')}`;
}

/** Words a link of the list: its extent and its end. */
export function shareWords({ whole, thinking, replaced, agent, until, ended }: ListedShare, now: number): string {
  return [
    whole ? 'all branches' : 'one branch',
    ...(thinking ? ['with thinking'] : []),
    ...(replaced ? [] : ['secrets shown as they are']),
    `by ${agent}`,
    `${ended ? 'ended' : 'until'} ${messageTime(until, now)}`,
  ].join(' · ');
}

/** Says who can reach a server at an address. */
export function reachWords({ host, hostname }: Pick<URL, 'host' | 'hostname'>): string {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname)
    ? 'At this address only this computer can open the link. Serve Loom at another address to show it to others. It shows nothing else of Loom.'
    : `The link works for people who can reach this server: ${host}. It shows nothing else of Loom.`;
}
