import { runTestFiles } from '../test-files.ts';

/** Runs test files of a planted checkout: its root, how long a test may take and may do nothing, and the files. */
export const plantedRunProgram = import.meta.filename;

if (import.meta.main) {
  const [root = '', test = '', standstill = '', ...files] = process.argv.slice(2);
  process.exitCode =
    (await runTestFiles(root, files, { test: Number(test), standstill: Number(standstill) })) === 0 ? 0 : 1;
}
