import type { Call } from '../../command-line/command.ts';
import { findSetting, formatKey, parseKeyText, readConfig, type SettingPath } from '../../config/index.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { entryAsJson, isMasked, renderEntries, shown } from './config-view.ts';
import { isKnown, unknownKey } from './unknown-key.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom config get <key>` */
export async function getSetting({ words, options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const path = parseKeyText(words[0] ?? '');
  const isRevealed = options.has('reveal');
  const { entries } = await readConfig({ dataDir, env: terminal.env });
  const found = entries.filter((entry) => isWithin(entry.path, path));
  const [first] = found;
  if (first === undefined) throw isKnown(path) ? notSet(path) : unknownKey(path);
  const isOne = first.path.length === path.length;
  if (isJson) {
    const content = isOne
      ? entryAsJson(first, isRevealed)
      : { values: found.map((entry) => entryAsJson(entry, isRevealed)) };
    terminal.out(`${JSON.stringify({ ok: true, ...content })}\n`);
  } else if (isOne) {
    const value = shown(first, isRevealed);
    terminal.out(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  } else {
    terminal.out(renderEntries(found, terminal, isRevealed));
  }
  if (!isRevealed && !isJson && terminal.screen.isNote && found.some(isMasked)) {
    terminal.note('Secrets are masked; --reveal prints them in clear.\n');
  }
  return EXIT.ok;
}

function isWithin(path: SettingPath, prefix: SettingPath): boolean {
  return prefix.every((part, index) => part === path[index]);
}

function notSet(path: SettingPath): LoomError {
  const key = formatKey(path);
  const setting = findSetting(path);
  if (setting === undefined) return new LoomError('not-set', `nothing is set in ${key}`);
  const value = setting.kind === 'secret' ? '-' : '<value>';
  return new LoomError('not-set', `${key} is not set`, {
    advice: `To set it: ${suggest(`config set ${key} ${value}`)}`,
  });
}
