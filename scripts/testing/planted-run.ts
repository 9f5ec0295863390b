import { runTestFiles } from '../test-files.ts';

/** Runs test files of a planted checkout: its root, how long a test may take, and the files. */
export const plantedRunProgram = import.meta.filename;

if (import.meta.main) {
  const [root = '', patience = '', ...files] = process.argv.slice(2);
  process.exitCode = (await runTestFiles(root, files, Number(patience))) === 0 ? 0 : 1;
}
