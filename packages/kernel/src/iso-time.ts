/** A time as ISO 8601. What happens together shares one text. */
export function isoTime(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastIsoTime = new Date(time).toISOString();
  }
  return lastIsoTime;
}

let lastTime = Number.NaN;
let lastIsoTime = '';
