import { writeSync } from 'node:fs';

/** Prints a value as a line of JSON: when it returns, the reader has it, also if this process is killed then. */
export function printLine(value: unknown): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      // The pipe is full until the other end reads.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
