import type { Call } from '../../command.ts';
import {
  findSetting,
  formatKey,
  parseKeyText,
  parseValueText,
  setConfigValue,
  type SettingPath,
} from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { LoomError } from '../../failure.ts';
import { chooseModel } from '../../runtime/models.ts';
import { KEY_VARIABLES } from '../../secrets.ts';
import type { Terminal } from '../../terminal.ts';
import { readValue } from '../../value-input.ts';
import { friendlyPath } from './config-view.ts';
import { unknownKey } from './unknown-key.ts';
import { writeFailure, tightened } from './config-write.ts';

/** `loom config set <key> <value>` */
export async function setSetting({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const [keyText = '', word = ''] = words;
  const path = parseKeyText(keyText);
  const setting = findSetting(path);
  if (setting === undefined) throw unknownKey(path);
  const key = formatKey(path);
  const isHidden = setting.kind === 'secret';
  const text = word === '-' ? await readValue(terminal, key, isHidden) : word;
  const value = parseValueText(setting, path, text);
  const result = await setConfigValue({ dataDir }, path, value);
  if (!result.ok) throw writeFailure(key, dataDir, result.refusal);
  const notes = [...tightened(result), ...overruled(path, terminal), ...unknownModel(key, value)];
  if (isHidden && word !== '-')
    notes.push(`The key may now be in your shell's history; next time: loom config set ${key} -`);
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, key, file: result.file, changed: result.changed, notes })}\n`);
  } else {
    const where = friendlyPath(result.file, terminal);
    terminal.out(result.changed ? `Set ${key} in ${where}.\n` : `${key} already has that value in ${where}.\n`);
    for (const note of notes) terminal.note(`${note}\n`);
  }
  return EXIT.ok;
}

/** What is set may be for later, so it is not refused. */
function unknownModel(key: string, value: unknown): string[] {
  if (key !== 'defaults.model' || typeof value !== 'string') return [];
  try {
    chooseModel(value);
    return [];
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    return [
      `Warning: ${error.message}, so loom chat will refuse to start without --model. ${error.advice ?? ''}`.trimEnd(),
    ];
  }
}

function overruled(path: SettingPath, { env }: Terminal): string[] {
  if (path[0] !== 'providers' || path[2] !== 'apiKey') return [];
  const found = KEY_VARIABLES.find(
    ({ provider, variable }) => provider === path[1] && (env[variable] ?? '').trim() !== '',
  );
  return found === undefined ? [] : [`${found.variable} is set in the environment and stays in effect.`];
}
