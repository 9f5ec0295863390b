import { UsageError } from '../command-line/failure.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { Literal } from '../toml/literal.ts';
import { parseToml } from '../toml/parse.ts';
import { formatKey, type SettingPath } from './key-text.ts';
import {
  KIND_LABELS,
  COMPACTIONS,
  PROVIDER_KINDS,
  REASONING_LEVELS,
  THOUGHT_FORMS,
  type Setting,
  type SettingKind,
} from './settings.ts';

/** Reads a value as users type it: text as it is, numbers and lists as in TOML (`1_024`, `["a", "b"]`). */
export function parseValueText(setting: Setting, path: SettingPath, text: string): Literal {
  switch (setting.kind) {
    case 'text':
    case 'secret':
      return checkText(path, text);
    case 'command':
      return text.trimStart().startsWith('[') ? parseList(setting.kind, path, text) : checkText(path, text);
    case 'list':
      return parseList(setting.kind, path, text);
    case 'store':
    case 'compaction':
    case 'provider-kind':
    case 'thought-form': {
      const words: readonly string[] = WORDS[setting.kind];
      if (words.includes(text)) return text;
      throw unfit(setting.kind, path, text);
    }
    case 'reasoning': {
      if (REASONING_LEVELS.some((level) => level === text)) return text;
      return parseNumber('reasoning', path, text);
    }
    case 'truth': {
      if (text === 'true' || text === 'false') return text === 'true';
      throw unfit(setting.kind, path, text);
    }
    case 'number':
    case 'count':
      return parseNumber(setting.kind, path, text);
  }
}

function parseList(kind: SettingKind, path: SettingPath, text: string): Literal {
  const value = parseOne(text);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw unfit(kind, path, text, LIST_ADVICE);
}

function parseNumber(kind: SettingKind, path: SettingPath, text: string): Literal {
  const value = parseOne(text);
  if (typeof value === 'number' && isInRange(kind, value)) return value;
  throw unfit(kind, path, text);
}

function unfit(kind: SettingKind, path: SettingPath, text: string, advice?: string): UsageError {
  return badValue(path, `must be ${KIND_LABELS[kind]}, not ${JSON.stringify(text.slice(0, 40))}`, advice);
}

/** One value and nothing behind it: brackets keep line breaks and comments from leading out of it. */
function parseOne(text: string): unknown {
  const parsed = parseToml(`values = [${text}]`);
  const values = parsed.ok ? parsed.table['values'] : undefined;
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined;
}

const WORDS = {
  store: STORE_KINDS,
  compaction: COMPACTIONS,
  'provider-kind': PROVIDER_KINDS,
  'thought-form': THOUGHT_FORMS,
};

const LIST_ADVICE = `Write it as in TOML, in quotes for the shell: '["first", "second"]'.`;

function isInRange(kind: SettingKind, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return kind === 'number' ? value >= 0 : Number.isInteger(value) && value >= 1;
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
