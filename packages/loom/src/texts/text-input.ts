import { readFile } from 'node:fs/promises';
import { LoomError } from '../command-line/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { decodeUtf8 } from '../terminal/utf8-text.ts';
import { readAll } from '../terminal/value-input.ts';

/** A text from a file, or with `-` from standard input: to the byte, its last line break too. */
export async function readText(source: string, what: string, { input, note }: Terminal): Promise<string> {
  if (source !== '-') return decodeUtf8(await readFile(source).catch((cause: unknown) => fail(source, cause)), source);
  if (input.isTTY === true) note(`${what}: type or paste it, then end with Enter and Ctrl-D.\n`);
  return readAll(input);
}

function fail(file: string, cause: unknown): never {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  if (isMissing) throw new LoomError('file-not-found', `there is no file ${file}`, { cause });
  throw new LoomError('not-readable', `${file} cannot be read`, {
    advice: 'It has to be a file, and one that you may read.',
    cause,
  });
}
