import { locale } from './locale.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Words the age of something, short enough for a list: `now`, `6m`, `2h`, `1d`, `Mon`, `Nov 12`, `Nov 12, 2025`. */
export function shortTime(time: number, now: number): string {
  const ago = now - time;
  if (ago < minute) return 'now';
  if (ago < hour) return `${Math.floor(ago / minute)}m`;
  if (ago < day) return `${Math.floor(ago / hour)}h`;
  const days = daysBetween(time, now);
  if (days <= 1) return '1d';
  return days < 7 ? weekday.format(time) : dateOf(time, now);
}

function dateOf(time: number, now: number): string {
  return (new Date(time).getFullYear() === new Date(now).getFullYear() ? dayOfYear : dayOfAnyYear).format(time);
}

/** Words a time among messages of which the last came at `latest`: the day of that one need not be repeated. */
export function timeAmong(time: number, latest: number): string {
  return new Date(time).toDateString() === new Date(latest).toDateString()
    ? clockTime(time)
    : shortTime(time, Date.now());
}

/** `10:41 AM`. Not all browsers put the same space between them. */
export function clockTime(time: number): string {
  return clock.format(time).replaceAll(/\s/gu, ' ');
}

/** `10:41 AM` of today, else with its day: `Nov 12, 10:41 AM`, `Nov 12, 2025, 10:41 AM`. */
export function messageTime(time: number, now: number): string {
  return daysBetween(time, now) === 0 ? clockTime(time) : `${dateOf(time, now)}, ${clockTime(time)}`;
}

// Kept: to make one of these takes longer than to draw a row.
const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const dayOfAnyYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });

function daysBetween(time: number, now: number): number {
  const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(time)) / day);
}

/** The part of a list that a time belongs to. */
export function period(time: number, now: number): string {
  const days = daysBetween(time, now);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  const [date, today] = [new Date(time), new Date(now)];
  if (date.getFullYear() === today.getFullYear() && date.getMonth() === today.getMonth()) return 'This month';
  return date.toLocaleDateString(locale, { month: 'long', year: 'numeric' });
}

/** Words the duration of something that is over: `0.3s`, `42s`, `6m 12s`, `1h 52m`. */
export function duration(milliseconds: number): string {
  return milliseconds < 9950 ? `${(milliseconds / 1000).toFixed(1)}s` : wholeSeconds(milliseconds);
}

/** The same where tenths of a second say nothing: `8s`, `6m 12s`, `1h 52m`. */
export function wholeSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** `Nov 17, 2026, 10:41:07 AM` */
export function exactTime(time: number): string {
  return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `0:08`, `1:42`, `1:02:03`: of something that goes on, so that its width stays the same. */
export function runningTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `Today`, `Yesterday`, `Monday, November 9`, `November 9, 2024` */
export function dayName(time: number, now: number): string {
  const name = period(time, now);
  if (name === 'Today' || name === 'Yesterday') return name;
  const [date, today] = [new Date(time), new Date(now)];
  return date.getFullYear() === today.getFullYear()
    ? date.toLocaleDateString(locale, { weekday: 'long', day: 'numeric', month: 'long' })
    : date.toLocaleDateString(locale, { day: 'numeric', month: 'long', year: 'numeric' });
}
