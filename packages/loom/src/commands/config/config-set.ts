import type { Call } from '../../command-line/command.ts';
import {
  findSetting,
  formatKey,
  parseKeyText,
  parseValueText,
  setConfigValue,
  type SettingPath,
} from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { createModels } from '../../models/models.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { ADDRESS_VARIABLES, KEY_VARIABLES } from '../../secrets.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readValue } from '../../terminal/value-input.ts';
import { friendlyPath } from './config-view.ts';
import { unknownKey } from './unknown-key.ts';
import { writeFailure, tightened } from './config-write.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom config set <key> <value>` */
export async function setSetting(call: Call): Promise<ExitCode> {
  const { words, dataDir, isJson, terminal } = call;
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
  const notes = [...tightened(result), ...overruled(path, terminal.env), ...(await unknownModel(key, value, call))];
  if (isHidden && word !== '-')
    notes.push(`The key may now be in your shell's history; next time: ${suggest(`config set ${key} -`)}`);
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, key, file: result.file, changed: result.changed, notes })}\n`);
  } else {
    const where = friendlyPath(result.file, terminal);
    terminal.out(result.changed ? `Set ${key} in ${where}.\n` : `${key} already has that value in ${where}.\n`);
    for (const note of notes) terminal.note(`${note}\n`);
  }
  return EXIT.ok;
}

/** Warns about an unknown model. The setting may be for later, so it is not refused. */
async function unknownModel(key: string, value: unknown, { dataDir, terminal }: Call): Promise<string[]> {
  if (key !== 'defaults.model' || typeof value !== 'string') return [];
  try {
    const { remark } = await createModels({ dataDir, env: terminal.env, clock: systemClock }).choose(value);
    return remark === undefined ? [] : [remark];
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    return [
      `Warning: ${error.message}, so ${suggest('chat')} will refuse to start without --model. ${error.advice ?? ''}`.trimEnd(),
    ];
  }
}

/** Returns a note if an environment variable overrides the setting. */
export function overruled(path: SettingPath, env: Terminal['env']): string[] {
  const variables = path[2] === 'apiKey' ? KEY_VARIABLES : path[2] === 'baseURL' ? ADDRESS_VARIABLES : [];
  if (path[0] !== 'providers') return [];
  const found = variables.find(({ provider, variable }) => provider === path[1] && (env[variable] ?? '').trim() !== '');
  return found === undefined ? [] : [`${found.variable} is set in the environment and stays in effect.`];
}
