import { findSetting, formatKey, namesUnder, SETTINGS, type SettingPath } from '../../config/index.ts';
import { UsageError } from '../../command-line/failure.ts';
import { KEY_VARIABLES } from '../../secrets.ts';
import { nearest } from '@loom/blocks/nearest-word';

/** Returns true if a path is a setting, or a table that can hold some. */
export function isKnown(path: SettingPath): boolean {
  return findSetting(path) !== undefined || namesUnder(path).length > 0;
}

/** The failure for a key that is not a setting, with the one that was probably meant. */
export function unknownKey(path: SettingPath): UsageError {
  const key = formatKey(path);
  const names = namesUnder(path);
  if (names.length > 0) {
    const list = names.map((name) => (name === '*' ? '<name>' : name)).join(', ');
    return new UsageError('unknown-key', `${key} is a table`, {
      advice: `Name something in it: ${key}. followed by ${list}.`,
    });
  }
  const guess = guessKey(path);
  return new UsageError('unknown-key', `${key} is not a setting`, {
    advice: guess === undefined ? 'See loom help config for all settings.' : `Did you mean ${guess}?`,
  });
}

function guessKey(path: SettingPath): string | undefined {
  return guessVariable(path) ?? guessQuotes(path) ?? guessTypo(path) ?? guessTable(path);
}

/** `OPENAI_API_KEY` was meant as `providers.openai.apiKey`. */
function guessVariable([first]: SettingPath): string | undefined {
  const found = KEY_VARIABLES.find(({ variable }) => variable === first);
  return found === undefined ? undefined : formatKey(['providers', found.provider, 'apiKey']);
}

/** `presets.gpt-4.1.n` was meant as `presets."gpt-4.1".n`. */
function guessQuotes(path: SettingPath): string | undefined {
  const [first = ''] = path;
  const field = path.at(-1) ?? '';
  if (path.length < 4 || findSetting([first, '*', field]) === undefined) return undefined;
  return `'${formatKey([first, path.slice(1, -1).join('.'), field])}'`;
}

function guessTypo(path: SettingPath): string | undefined {
  const candidates = SETTINGS.filter((setting) => setting.path.length === path.length).map((setting) =>
    formatKey(setting.path.map((part, index) => (part === '*' ? (path[index] ?? part) : part))),
  );
  return nearest(formatKey(path), candidates);
}

/** `model` was meant as `defaults.model`, and `openai.apiKey` as `providers.openai.apiKey`. */
function guessTable(path: SettingPath): string | undefined {
  const field = (path.at(-1) ?? '').toLowerCase();
  const setting = SETTINGS.find((candidate) => candidate.path.at(-1)?.toLowerCase() === field);
  const name = path.length > 1 ? formatKey(path.slice(-2, -1)) : '<name>';
  return setting?.path.map((part) => (part === '*' ? name : part)).join('.');
}
