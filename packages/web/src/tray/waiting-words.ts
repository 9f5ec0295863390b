/** Words the time that something has waited: `just now`, `waiting 2m`, `waiting 3h`, `waiting 2 days`. */
export function waitingWords(since: number, now: number): string {
  const minutes = Math.floor((now - since) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `waiting ${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `waiting ${hours}h`;
  return `waiting ${Math.floor(hours / 24)} days`;
}
