import { basename } from 'node:path';
import { formatKey, type ConfigEntry, type ConfigValue, type ConfigWarning, type Origin } from '../config/index.ts';
import { maskSecret } from '../secrets.ts';
import { styleFor } from '../style.ts';
import type { Terminal } from '../terminal.ts';

/** Entries as lines `key = value  # origin`. */
export function renderEntries(entries: readonly ConfigEntry[], terminal: Terminal, isRevealed = false): string {
  const style = styleFor(terminal, 'out');
  const lines = entries.map(
    (entry) => `${formatKey(entry.path)} = ${shorten(literal(shown(entry, isRevealed)), terminal)}`,
  );
  // A few long values should not push every origin off the screen.
  const width = Math.min(48, Math.max(0, ...lines.map((line) => line.length)));
  return entries
    .map(({ origin }, index) => `${(lines[index] ?? '').padEnd(width)}  ${style.faint(`# ${nameOrigin(origin)}`)}\n`)
    .join('');
}

/** An entry for --json. */
export function entryAsJson(entry: ConfigEntry, isRevealed = false) {
  const { path, origin, isSecret } = entry;
  const isMasked = isSecret && !isRevealed;
  return { key: formatKey(path), value: shown(entry, isRevealed), ...(isMasked ? { masked: true } : {}), origin };
}

/** The value as it may be shown. */
export function shown({ value, isSecret }: ConfigEntry, isRevealed = false): ConfigValue {
  if (isRevealed || typeof value !== 'string') return value;
  return isSecret ? maskSecret(value) : value.replace(PASSWORD_IN_URL, '$1…@');
}

/** Where a value comes from, in short. */
export function nameOrigin(origin: Origin): string {
  switch (origin.type) {
    case 'default':
      return 'default';
    case 'environment':
      return origin.variable;
    case 'file':
      return `${basename(origin.file)}:${origin.line}`;
  }
}

/** Prints warnings to stderr, one line each. */
export function printWarnings(warnings: readonly ConfigWarning[], terminal: Terminal): void {
  const style = styleFor(terminal, 'note');
  for (const { message, file, line } of warnings) {
    const place = file === undefined ? '' : `${basename(file)}${line === undefined ? '' : `:${line}`}: `;
    terminal.note(`${style.odd('loom: warning:')} ${place}${message}\n`);
  }
}

/** A path as people write it, with ~ for home. */
export function friendlyPath(path: string, { env }: Terminal): string {
  const home = env['HOME'] ?? '';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const PASSWORD_IN_URL = /^(https?:\/\/[^/@\s:]*:)[^/@\s]+@/;

function literal(value: ConfigValue): string {
  return JSON.stringify(value);
}

function shorten(text: string, { screen }: Terminal): string {
  return screen.isOut && text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
