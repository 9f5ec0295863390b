import { StringDecoder } from 'node:string_decoder';
import { InterruptedError, LoomError } from '../command-line/failure.ts';
import type { Input, Terminal } from './terminal.ts';
import { Utf8Decoder } from './utf8-text.ts';

/** Reads a value from standard input: the piped text, without its last line break, or one line from the keyboard. */
export async function readValue({ input, note }: Terminal, name: string, isHidden: boolean): Promise<string> {
  if (input.isTTY !== true) {
    const text = (await readAll(input)).replace(/\r?\n$/, '');
    return isHidden ? text.trim() : text;
  }
  if (!isHidden) {
    note(`${name}: type or paste the value, then end with Enter and Ctrl-D.\n`);
    return (await readAll(input)).replace(/\r?\n$/, '');
  }
  // Before the question, so that nothing typed right after it is shown.
  input.setRawMode?.(true);
  try {
    note(`${name} (what you type is not shown): `);
    return (await readKeys(input)).trim();
  } finally {
    input.setRawMode?.(false);
    note('\n');
  }
}

const LARGEST = 1024 * 1024;

/** Reads all of standard input, as it is. */
export async function readAll(input: Input): Promise<string> {
  const decoder = new Utf8Decoder('standard input');
  let text = '';
  for await (const chunk of readable(input)) {
    text += decoder.write(chunk);
    if (text.length > LARGEST) {
      throw new LoomError('too-large', 'standard input is larger than 1 MB', { advice: 'Give a part of it.' });
    }
  }
  return text + decoder.end();
}

async function* readable(input: Input): AsyncGenerator<Uint8Array | string, void, void> {
  try {
    yield* input;
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    const advice = 'Give it a file or a pipe, or nothing: < /dev/null';
    throw new LoomError('not-readable', 'standard input cannot be read', { advice, cause });
  }
}

/** Reads one line key by key: in raw mode the terminal neither shows nor interprets them. */
async function readKeys(input: Input): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  for await (const chunk of input) {
    for (const key of typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))) {
      if (key === '\u0003') throw new InterruptedError();
      if (key === '\r' || key === '\n' || key === '\u0004') return line;
      if (key === '\u007F' || key === '\b') line = line.slice(0, -1);
      else if (key === '\u0015') line = '';
      else line += key;
    }
  }
  return line;
}
