import type { TomlTable } from 'smol-toml';
import type { Disk } from '@loom/data-folder/files';
import { followLinks, readIfThere } from '@loom/data-folder/files';
import { blotLines } from '../secrets.ts';
import { parseToml, type TomlProblem } from '../toml/parse.ts';
import { ConfigError, systemFailure } from './config-error.ts';

/** A configuration file as it stands on the disk, valid or not. */
export type ConfigFileText = { path: string; bytes: Uint8Array; text: string; mode: number };

/** A configuration file that was parsed. */
export type ConfigFileContent = ConfigFileText & { table: TomlTable };

/** The largest file, in bytes; a configuration of this size is a mistake. */
export const LARGEST_FILE = 4 * 1024 * 1024;

/** Reads and parses one file; undefined when there is none. */
export async function readConfigFile(disk: Disk, path: string): Promise<ConfigFileContent | undefined> {
  const file = await readConfigText(disk, path);
  return file === undefined ? undefined : { ...file, table: parseConfigText(path, file.text) };
}

/** Reads one file without parsing it; undefined when there is none. */
export async function readConfigText(disk: Disk, path: string): Promise<ConfigFileText | undefined> {
  try {
    const bytes = await readIfThere(disk, path);
    if (bytes === undefined) return undefined;
    const text = decode(path, bytes);
    const { mode } = await disk.status(await followLinks(disk, path));
    return { path, bytes, text, mode };
  } catch (error) {
    throw error instanceof ConfigError ? error : systemFailure('cannot-read', path, error);
  }
}

/** Parses the text of a file, or fails with the place of the mistake. */
export function parseConfigText(path: string, text: string): TomlTable {
  const parsed = parseToml(text);
  if (parsed.ok) return parsed.table;
  throw badToml(path, text, parsed.problem);
}

/** The parser's own error is not kept as the cause: its message shows lines of the file, keys included. */
function badToml(path: string, text: string, { message, line, column }: TomlProblem): ConfigError {
  const excerpt = excerptOf(text, line, column);
  return new ConfigError('bad-toml', `${path}:${line}:${column}: ${message}\n\n${excerpt}\n`, {
    advice: `Correct line ${line} in an editor; nothing was changed.${hintFor(message)}`,
    details: { file: path, line, column, excerpt },
  });
}

function decode(path: string, bytes: Uint8Array): string {
  if (bytes.length > LARGEST_FILE) {
    throw new ConfigError('too-large', `${path} is larger than 4 MB`, {
      advice: 'A configuration holds a few kilobytes; is this the right file?',
      details: { file: path },
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigError('bad-encoding', `${path} is not UTF-8 text`, {
      advice: 'Save it as UTF-8 in your editor; nothing was changed.',
      details: { file: path },
    });
  }
}

/** Returns the line in question with its neighbors, numbered, values that may be secrets blotted out, and a mark below. */
function excerptOf(text: string, line: number, column: number): string {
  const first = Math.max(1, line - 1);
  const lines = blotLines(text.split(/\r?\n/)).slice(first - 1, line + 1);
  const width = String(first + lines.length - 1).length;
  // A very long line is shown around the mark only.
  const from = Math.max(0, column - 60);
  return lines
    .flatMap((content, index) => {
      const isMarked = first + index === line;
      const part = content
        .slice(isMarked ? from : 0)
        .slice(0, 100)
        .replaceAll(/\p{C}/gu, ' ');
      const shown = `  ${String(first + index).padStart(width)} | ${part}`.trimEnd();
      return isMarked
        ? [shown, `  ${' '.repeat(width)} | ${' '.repeat(column - 1 - from)}^`]
        : part === ''
          ? []
          : [shown];
    })
    .join('\n');
}

function hintFor(message: string): string {
  if (message.includes('invalid value')) return ' Texts need quotes: model = "openai/gpt-4o".';
  if (message.includes('redefine')) return ' The same table or key appears twice.';
  if (message.includes('unfinished string') || message.includes('control characters'))
    return ' A closing quote is missing.';
  return '';
}
