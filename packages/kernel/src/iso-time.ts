/** Formats a time as ISO 8601. Events at the same time share one string. */
export function isoTime(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastIsoTime = new Date(time).toISOString();
  }
  return lastIsoTime;
}

let lastTime = Number.NaN;
let lastIsoTime = '';
