import { maskSecret } from '@loom/blocks';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatKey, type ConfigEntry, type ConfigValue, type ConfigWarning, type Origin } from '../../config/index.ts';
import { soundsSecret } from '../../secret-names.ts';
import { maskShapes } from '../../secrets.ts';
import { styleFor } from '../../terminal/style.ts';
import type { Terminal } from '../../terminal/terminal.ts';

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
  const masked = !isRevealed && isMasked(entry) ? { masked: true } : {};
  return { key: formatKey(entry.path), value: shown(entry, isRevealed), ...masked, origin: entry.origin };
}

/** The value as it may be shown. */
export function shown({ value, isSecret }: ConfigEntry, isRevealed = false): ConfigValue {
  return isRevealed ? value : maskWithin(value, isSecret);
}

/** Returns true if a part of the value is masked unless it is asked for. */
export function isMasked(entry: ConfigEntry): boolean {
  return !isDeepStrictEqual(shown(entry), entry.value);
}

/** Returns a short name of the origin of a value. */
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

function maskWithin(value: ConfigValue, isSecret: boolean): ConfigValue {
  if (Array.isArray(value)) {
    return value.map((item, index) => maskWithin(item, isSecret || announcesSecret(value[index - 1])));
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value);
    return Object.fromEntries(
      fields.map(([key, field]) => [key, maskWithin(field, isSecret || soundsSecret(key))] as const),
    );
  }
  if (isSecret) return typeof value === 'string' ? maskSecret(value) : '…';
  if (typeof value !== 'string') return value;
  const [, flag, rest] = /^(-[\w-]+=)(.+)$/s.exec(value) ?? [];
  return flag !== undefined && rest !== undefined && soundsSecret(flag) ? flag + maskSecret(rest) : maskShapes(value);
}

/** Servers are often given their keys as arguments: `["--api-key", "…"]`. */
function announcesSecret(item: ConfigValue | undefined): boolean {
  return typeof item === 'string' && /^-[\w-]+$/.test(item) && soundsSecret(item);
}

function literal(value: ConfigValue): string {
  return JSON.stringify(value);
}

function shorten(text: string, { screen }: Terminal): string {
  return screen.isOut && text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
