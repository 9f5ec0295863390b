import { checkWords, parseCommandLine } from './arguments.ts';
import { isGroup, type CommandLeaf } from './command.ts';
import { ROOT } from './commands.ts';
import { exitCodeOf, type ExitCode } from './exit-codes.ts';
import { LoomError, UsageError } from './failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Runs one command line to its end and says how it went. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const line = parseCommandLine(args, ROOT);
    const dataDir = textOf(line.options.get('data-dir'));
    if (dataDir === undefined) return await runExplained(line, terminal);
    const { suggestingFor } = await import('./suggested-command.ts');
    return await suggestingFor(dataDir, () => runExplained(line, terminal));
  } catch (error) {
    const { printFailure } = await import('./print-failure.ts');
    printFailure(error, terminal, asksForJson(args));
    return exitCodeOf(error);
  }
}

/** Runs a command and explains any failure, naming the data folder. */
async function runExplained(line: ReturnType<typeof parseCommandLine>, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(line, terminal);
  } catch (error) {
    throw error instanceof LoomError ? error : (await import('../words/failures.ts')).asFailure(error);
  }
}

async function run(line: ReturnType<typeof parseCommandLine>, terminal: Terminal): Promise<ExitCode> {
  const { chain, options, words } = line;
  const isJson = options.has('json');
  if (options.has('version')) {
    const { printVersion } = await import('../commands/version.ts');
    return printVersion(terminal, isJson);
  }
  const command = chain.at(-1) ?? ROOT;
  const leaf = isGroup(command) ? command.subcommands.find(({ name }) => name === command.fallback) : command;
  if (options.has('help') || leaf === undefined || isGroup(leaf)) {
    const { printHelp } = await import('../commands/help.ts');
    return printHelp(chain, terminal, isJson);
  }
  checkWords(command === leaf ? chain : [...chain, leaf], leaf, words);
  return start(leaf, line, terminal);
}

async function start(
  leaf: CommandLeaf,
  { words, options, repeated }: ReturnType<typeof parseCommandLine>,
  terminal: Terminal,
): Promise<ExitCode> {
  const { resolveDataDir } = await import('./data-dir.ts');
  const { isDatabaseUrl, resolveStore } = await import('./store-kind.ts');
  const dataDir = resolveDataDir(textOf(options.get('data-dir')), terminal.env);
  const store = resolveStore(textOf(options.get('store')), terminal.env);
  if (isDatabaseUrl(store) && leaf.takesDatabase !== true) {
    throw new UsageError('needs-folder', `loom ${leaf.name} works with a data folder, and the store is in PostgreSQL`, {
      advice:
        'Leave out --store and LOOM_STORE for a folder; ask loom serve --store postgres://… for what is in the database.',
    });
  }
  const execute = await leaf.load();
  return execute({ root: ROOT, words, options, repeated, dataDir, store, isJson: options.has('json'), terminal });
}

function textOf(value: string | true | undefined): string | undefined {
  return value === true ? undefined : value;
}

/** Looks for --json before parsing, because a failure to understand the command line has to be printed the right way, too. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
