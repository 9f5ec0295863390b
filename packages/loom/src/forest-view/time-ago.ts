/** Words the age of something; if it is older than a month, by its date. */
export function timeAgo(time: number, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 60) return 'just now';
  for (const [limit, size, unit] of units) {
    if (seconds < limit) return `${Math.floor(seconds / size)} ${unit} ago`;
  }
  return new Date(time).toISOString().slice(0, 10);
}

const [minute, hour, day] = [60, 3600, 86_400];
const units = [
  [hour, minute, 'min'],
  [2 * day, hour, 'h'],
  [31 * day, day, 'days'],
] as const;
