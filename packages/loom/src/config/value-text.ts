import { UsageError } from '../failure.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { Literal } from '../toml/literal.ts';
import { parseToml } from '../toml/parse.ts';
import { formatKey, type SettingPath } from './key-text.ts';
import { KIND_LABELS, type Setting } from './settings.ts';

/** Reads a value as users type it: text as it is, numbers and lists as in TOML (`1_024`, `["a", "b"]`). */
export function parseValueText(setting: Setting, path: SettingPath, text: string): Literal {
  switch (setting.kind) {
    case 'text':
    case 'secret':
      return checkText(path, text);
    case 'store': {
      const kind = STORE_KINDS.find((known) => known === text);
      if (kind !== undefined) return kind;
      throw badValue(path, `must be ${KIND_LABELS.store}, not ${JSON.stringify(text.slice(0, 40))}`);
    }
    case 'number':
    case 'count':
    case 'list': {
      const value = parseOne(text);
      if (setting.kind === 'list') {
        if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
      } else if (typeof value === 'number' && isInRange(setting, value)) {
        return value;
      }
      throw badValue(
        path,
        `must be ${KIND_LABELS[setting.kind]}, not ${JSON.stringify(text.slice(0, 40))}`,
        setting.kind === 'list' ? LIST_ADVICE : undefined,
      );
    }
  }
}

/** One value and nothing behind it: brackets keep line breaks and comments from leading out of it. */
function parseOne(text: string): unknown {
  const parsed = parseToml(`values = [${text}]`);
  const values = parsed.ok ? parsed.table['values'] : undefined;
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined;
}

const LIST_ADVICE = `Write it as in TOML, in quotes for the shell: '["first", "second"]'.`;

function isInRange(setting: Setting, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return setting.kind === 'count' ? Number.isInteger(value) && value >= 1 : value >= 0;
}

function checkText(path: SettingPath, text: string): string {
  const field = path.at(-1);
  if (!text.isWellFormed()) throw badValue(path, 'must be valid Unicode text');
  if (path[0] === 'providers') {
    // A key goes into an HTTP header, which takes visible ASCII only; a stray line break or blank is a pasting mistake.
    if (field === 'apiKey' && !/^[\x21-\x7E]+$/.test(text)) {
      throw badValue(
        path,
        'must be one word of plain characters',
        'Was the key copied whole, without blanks or line breaks?',
      );
    }
    if (field === 'baseURL' && !isWebAddress(text)) {
      throw badValue(path, 'must be a web address', 'It starts with http:// or https://.');
    }
  }
  return text;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

/** Texts are not repeated: one may be a key. */
function badValue(path: SettingPath, expectation: string, advice?: string): UsageError {
  return new UsageError('bad-value', `${formatKey(path)} ${expectation}`, advice === undefined ? {} : { advice });
}
