import type { Call } from '../../command-line/command.ts';
import {
  ConfigError,
  formatKey,
  parseKeyText,
  readConfig,
  unsetConfigValue,
  type ConfigEntry,
} from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { friendlyPath, nameOrigin } from './config-view.ts';
import { tightened, writeFailure } from './config-write.ts';
import { isKnown, unknownKey } from './unknown-key.ts';

/** `loom config unset <key>` */
export async function unsetSetting(call: Call): Promise<ExitCode> {
  const { words, dataDir, isJson, terminal } = call;
  const path = parseKeyText(words[0] ?? '');
  const key = formatKey(path);
  const result = await unsetConfigValue({ dataDir }, path);
  if (!result.ok) throw writeFailure(key, dataDir, result.refusal);
  const remaining = await findRemaining(call, key);
  if (!result.changed) {
    if (!isKnown(path) && remaining === undefined) throw unknownKey(path);
    if (remaining?.origin.type === 'file') {
      throw new LoomError('set-elsewhere', `${key} is not set in config.toml, but in ${nameOrigin(remaining.origin)}`, {
        advice: `Remove it there: ${remaining.origin.file}`,
      });
    }
  }
  const notes = tightened(result);
  if (remaining !== undefined) notes.push(`${key} still has a value, from ${nameOrigin(remaining.origin)}.`);
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, key, file: result.file, changed: result.changed, notes })}\n`);
  } else {
    const where = friendlyPath(result.file, terminal);
    terminal.out(result.changed ? `Removed ${key} from ${where}.\n` : `${key} was not set in ${where}.\n`);
    for (const note of notes) terminal.note(`${note}\n`);
  }
  return EXIT.ok;
}

/** The value that holds although config.toml no longer has one. Other mistakes in the files are not the point here. */
async function findRemaining({ dataDir, terminal }: Call, key: string): Promise<ConfigEntry | undefined> {
  try {
    const { entries } = await readConfig({ dataDir, env: terminal.env });
    return entries.find(({ path }) => formatKey(path) === key);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
