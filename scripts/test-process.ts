// Loaded before every test file, and before the test runner.
import hooks from 'node:async_hooks';
import { relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { configureGlobal } from 'fast-check';
import { seedOfRun } from '@loom/blocks/testing/corpus';
import { longFiles } from './test-processes.ts';

// Properties are tried with the same values in each run, so that a failure points to the change.
configureGlobal({ seed: seedOfRun() });

if (isMainThread && longFiles.has(relative(process.cwd(), process.argv[1] ?? ''))) await loadRunnerWithoutPromises();

/**
 * Loads the test runner without its hooks for promises. It follows every promise, to know which test an error belongs to that no one
 * catches. This makes promises several times as slow, and takes half the time of tests that make millions of them. Without it such an error
 * fails the file instead of the test.
 */
async function loadRunnerWithoutPromises(): Promise<void> {
  const { createHook } = hooks;
  const createQuickHook: typeof createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
  Object.assign(hooks, { createHook: createQuickHook });
  // It takes the function when it is loaded.
  await import('node:test');
  Object.assign(hooks, { createHook });
  // Without a test, the runner prints only the message.
  process.on('uncaughtExceptionMonitor', (error) => console.error(error));
  process.on('unhandledRejection', (reason) => {
    // Before the first test the runner has no listener, and this one must not keep the process from failing.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
    console.error(reason);
  });
}
