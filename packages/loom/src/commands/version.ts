import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { ownVersion as version } from '../command-line/own-version.ts';

/** `loom --version` */
export async function printVersion(terminal: Terminal, isJson: boolean): Promise<ExitCode> {
  terminal.out(
    isJson ? `${JSON.stringify({ ok: true, version, node: process.versions.node })}\n` : `loom ${version}\n`,
  );
  return EXIT.ok;
}
