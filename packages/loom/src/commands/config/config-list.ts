import type { Call } from '../../command-line/command.ts';
import { MAIN_FILE, readConfig } from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { entryAsJson, friendlyPath, printWarnings, renderEntries } from './config-view.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom config list` */
export async function listSettings({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const { entries, warnings, files } = await readConfig({ dataDir, env: terminal.env });
  if (isJson) {
    const values = entries.map((entry) => entryAsJson(entry));
    terminal.out(`${JSON.stringify({ ok: true, data_dir: dataDir, files, values, warnings })}\n`);
    return EXIT.ok;
  }
  terminal.out(renderEntries(entries, terminal));
  printWarnings(warnings, terminal);
  if (files.length === 0) {
    terminal.note(
      `There is no ${MAIN_FILE} in ${friendlyPath(dataDir, terminal)} yet; ${suggest('config set')} makes one.\n`,
    );
  }
  return EXIT.ok;
}
