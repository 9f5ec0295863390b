import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that is gone after the test. */
export function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'loom-test-'));
  // Hooks run in the order of their registration: a process that a later one ends may still write here.
  context.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20 }));
  return directory;
}
