#!/usr/bin/env node
import { runCommandLine } from './command-line/command-line.ts';
import { EXIT } from './command-line/exit-codes.ts';
import { processTerminal } from './terminal/terminal.ts';

const terminal = processTerminal();

// A reader that has seen enough closes the pipe (`loom … | head`): that ends the command quietly. A closed terminal does not end it before
// the work is done. Anything else that keeps results from arriving, such as a full disk, is a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EIO' && process.stdout.isTTY) return;
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.ok);
  process.stderr.write(`loom: cannot write the results: ${error.code ?? error.message}\n`);
  process.exit(EXIT.failed);
});
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (error) => void reportDefect(error));

process.exitCode = await runCommandLine(process.argv.slice(2), terminal);

async function reportDefect(error: unknown): Promise<void> {
  const { printFailure } = await import('./command-line/print-failure.ts');
  printFailure(error, terminal, false);
  process.exit(EXIT.internal);
}
