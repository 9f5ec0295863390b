/** A day so many days before a time, as filters take it: `2026-11-11`. */
export function daysAgo(now: number, days: number): string {
  const day = new Date(now);
  day.setDate(day.getDate() - days);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
