import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../../command-line/command.ts';
import { MAIN_FILE } from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';

/** `loom config path` */
export async function printPath({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const file = join(dataDir, MAIN_FILE);
  terminal.out(
    isJson ? `${JSON.stringify({ ok: true, data_dir: dataDir, file, exists: existsSync(file) })}\n` : `${file}\n`,
  );
  return EXIT.ok;
}
