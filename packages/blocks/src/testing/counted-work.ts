import assert from 'node:assert/strict';
import { Session } from 'node:inspector';
import { getHeapStatistics } from 'node:v8';

/** Work that is the same on every machine, however busy it is. */
export interface CountedWork {
  /** Calls of functions written in JavaScript, those of libraries included. */
  calls: number;
  /** The bytes allocated, also those that are free again: a copy of existing data counts each time. */
  bytes: number;
}

/** Counts what something does instead of how long it takes: twice the input may do about twice the work. */
export function countWork(work: () => void): CountedWork {
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const before = getHeapStatistics().total_allocated_bytes;
    work();
    const bytes = getHeapStatistics().total_allocated_bytes - before;
    let calls = 0;
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { functions } of result)
        for (const { ranges } of functions) for (const { count } of ranges) calls += count;
    });
    return { calls, bytes };
  } finally {
    session.disconnect();
  }
}

/** Asserts that twice the input took about twice the work, beside a fixed amount at the beginning. */
export function assertLinear(half: CountedWork, all: CountedWork, what = 'it'): void {
  const words = `${what}: ${JSON.stringify(all)} where half of it took ${JSON.stringify(half)}`;
  const slack = { calls: 1_000, bytes: 1_000_000 };
  assert.ok(all.calls <= 2.2 * half.calls + slack.calls, words);
  assert.ok(all.bytes <= 2.2 * half.bytes + slack.bytes, words);
}
