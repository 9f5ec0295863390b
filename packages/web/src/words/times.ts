/** How long ago, as short as a list has room for: `now`, `14 min`, `09:41`, `12 Nov`, `12 Nov 2024`. */
export function shortTime(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  const date = new Date(time);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clockTime(time);
  return (date.getFullYear() === today.getFullYear() ? dayOfYear : dayOfAnyYear).format(date);
}

/** The same where a list says above which day it was: then the time of that day tells more. */
export function listedTime(time: number, now: number): string {
  return period(time, now) === 'Yesterday' ? clockTime(time) : shortTime(time, now);
}

/** When, among messages of which the last came at `latest`: its day has no need to be said again and again. */
export function timeAmong(time: number, latest: number): string {
  return new Date(time).toDateString() === new Date(latest).toDateString()
    ? clockTime(time)
    : shortTime(time, Date.now());
}

export function clockTime(time: number): string {
  return clock.format(time);
}

// Kept: to make one of these takes longer than to draw a row.
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfAnyYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** The part of a list that a time belongs to. */
export function period(time: number, now: number): string {
  const day = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
  const days = Math.round((day(now) - day(time)) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  const [date, today] = [new Date(time), new Date(now)];
  if (date.getFullYear() === today.getFullYear() && date.getMonth() === today.getMonth()) return 'This month';
  return date.toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });
}

/** `8 s`, `1:42`, `1:02:03` */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (milliseconds < 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${milliseconds < 10_000 ? (milliseconds / 1000).toFixed(1) : seconds} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `17 Nov 2026, 10:41:07` */
export function exactTime(time: number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `0:08`, `1:42`, `1:02:03`: of something that goes on, so that its width stays the same. */
export function runningTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `8 s`, `1 min 42 s` */
export function wholeSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `Today`, `Yesterday`, `Monday, 9 November`, `9 November 2024` */
export function dayName(time: number, now: number): string {
  const name = period(time, now);
  if (name === 'Today' || name === 'Yesterday') return name;
  const [date, today] = [new Date(time), new Date(now)];
  return date.getFullYear() === today.getFullYear()
    ? date.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
    : date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
}
