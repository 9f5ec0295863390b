import { UsageError } from '../command-line/failure.ts';
import { todaysSpelling } from './settings.ts';

/** The place of a setting: `['providers', 'openai', 'apiKey']`. Elements of arrays of tables go by their names. */
export type SettingPath = readonly string[];

/** Reads a key as users type it, in any accepted spelling: `providers."my.host".apiKey`. */
export function parseKeyText(text: string): SettingPath {
  const path: string[] = [];
  for (const part of splitKey(text)) path.push(todaysSpelling(path, part));
  return path;
}

/** Writes a path so that `parseKeyText` reads it back. */
export function formatKey(path: SettingPath): string {
  return path.map((part) => (PLAIN_PART.test(part) ? part : JSON.stringify(part))).join('.');
}

const PLAIN_PART = /^[^\s."'=[\]{}\p{C}]+$/u;
const PART = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s."'=[\]{}]+))\s*(\.|$)/uy;

function splitKey(text: string): string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  for (;;) {
    const match = PART.exec(text);
    if (match === null) throw badKey(text);
    const [, quoted, literal, bare, separator] = match;
    parts.push(quoted === undefined ? (literal ?? bare ?? '') : unquote(quoted, text));
    if (separator === '') break;
  }
  // These would reach into JavaScript's own machinery wherever a table is a plain object.
  if (parts.some((part) => part === '__proto__' || part === 'constructor')) throw badKey(text);
  return parts;
}

function unquote(quoted: string, text: string): string {
  try {
    const value: unknown = JSON.parse(`"${quoted}"`);
    return typeof value === 'string' ? value : quoted;
  } catch {
    throw badKey(text);
  }
}

function badKey(text: string): UsageError {
  return new UsageError('bad-key', `${JSON.stringify(text)} is not a key`, {
    advice: 'A key looks like defaults.model; a name with dots or blanks needs quotes: \'presets."gpt-4.1".n\'.',
  });
}
