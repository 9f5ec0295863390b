import { parseCommandLine, spell } from '../command-line/arguments.ts';
import type { Call, Command } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/failure.ts';
import { describeCommand, renderHelp } from '../command-line/help.ts';
import { styleFor } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `loom help <command…>` */
export function explain({ root, words, terminal, isJson }: Call): Promise<ExitCode> {
  const { chain, words: surplus } = parseCommandLine(['--', ...words], root);
  const [word] = surplus;
  if (word !== undefined) {
    throw new UsageError('unknown-command', `${spell(chain)} has no command ${JSON.stringify(word)}`, {
      advice: `See ${spell(chain)} --help.`,
    });
  }
  return printHelp(chain, terminal, isJson);
}

/** `loom <command> --help` */
export async function printHelp(
  chain: readonly [Command, ...Command[]],
  terminal: Terminal,
  isJson: boolean,
): Promise<ExitCode> {
  const text = isJson
    ? `${JSON.stringify({ ok: true, ...(await describeCommand(chain)) })}\n`
    : await renderHelp(chain, styleFor(terminal, 'out'));
  terminal.out(text);
  return EXIT.ok;
}
