import { cpus } from 'node:os';

/** Returns the middle value: the figure a benchmark reports, since the machine's noise only ever adds. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints the name of the bench, and the machine. */
export function printHeader(name: string): void {
  console.log(
    `bench/${name}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
  );
}

/** One line: the two times, their ratio, and how it stands to its limit, if it has one. */
export function printRatio(what: string, milliseconds: number, against: number, limit?: number): void {
  const ratio = milliseconds / against;
  const verdict = limit === undefined ? '' : ` (${ratio <= limit ? 'within' : 'ABOVE'} the limit of ${limit})`;
  console.log(`  ${what}: ${milliseconds.toFixed(2)} ms ÷ ${against.toFixed(2)} ms = ${ratio.toFixed(2)}${verdict}`);
}

/** One line: a time and how it stands to its limit. */
export function printTime(what: string, milliseconds: number, limit: number): void {
  const verdict = milliseconds <= limit ? 'within' : 'ABOVE';
  console.log(`  ${what}: ${milliseconds.toFixed(2)} ms (${verdict} the limit of ${limit} ms)`);
}

/** The clock of the machine, for measured code. */
export const machineClock = {
  now: Date.now,
  after(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
