import { locale } from '../words/locale.ts';

export const periodNames = ['today', 'week', 'month', 'all'] as const;
export type PeriodName = (typeof periodNames)[number];

/** The first day of a period, in UTC, as the kernel counts days; `undefined`: from the beginning. */
export function firstDay(period: PeriodName, now: number): string | undefined {
  const today = new Date(now).toISOString().slice(0, 10);
  if (period === 'today') return today;
  if (period === 'week') return new Date(now - 6 * 86_400_000).toISOString().slice(0, 10);
  return period === 'month' ? `${today.slice(0, 8)}01` : undefined;
}

export function periodLabel(period: PeriodName, now: number): string {
  if (period === 'today') return 'Today';
  if (period === 'week') return '7 days';
  if (period === 'all') return 'All';
  return new Date(now).toLocaleDateString(locale, { month: 'long', timeZone: 'UTC' });
}
