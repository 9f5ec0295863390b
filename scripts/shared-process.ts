// The program of a process that several test files share: see docs/decisions/0031-shared-test-processes.md.
import { after, before, beforeEach } from 'node:test';

/**
 * Loads test files, given by what imports each of them; their tests run once all are loaded, so that none of them runs while another file is loaded. A file that
 * cannot be loaded is handed to `fail`.
 */
export async function loadTestFiles(
  files: Readonly<Record<string, () => Promise<unknown>>>,
  fail: (file: string, reason: unknown) => void,
): Promise<void> {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  before(() => loaded);
  let current = 'the loading of its files';
  beforeEach(({ name }) => void (current = name));
  let isDone = false;
  after(() => {
    isDone = true;
    // A server that a test has left behind would keep the process, and the whole run, from ending. Nothing else waits for this timer.
    setTimeout(leave, Number(process.env['LOOM_LONGEST_END'] ?? longestEnd)).unref();
  });
  // The test runner's report on the last tests is lost with a process that is ended from within.
  process.once('exit', () => {
    if (isDone) return;
    console.error(`the process ended before all its tests were done, in: ${current}`);
    process.exitCode = 1;
  });
  for (const [file, load] of Object.entries(files)) {
    try {
      await load();
    } catch (error) {
      fail(file, error);
    }
  }
  resolve();
}

/** The longest time between the last test and the end of the process, in milliseconds. */
const longestEnd = 300_000;

function leave(): void {
  const left = [...new Set(process.getActiveResourcesInfo())].join(', ');
  console.error(`the process did not end after its tests, since something was left open: ${left}`);
  process.exit(1);
}
