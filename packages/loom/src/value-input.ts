import { StringDecoder } from 'node:string_decoder';
import { InterruptedError, LoomError } from './failure.ts';
import type { Input, Terminal } from './terminal.ts';

/** Reads a value from standard input: what is piped in, without its last line break, or one line from the keyboard. */
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

/** All of an input, as it is. */
export async function readAll(input: Input): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
    if (text.length > LARGEST) throw new LoomError('too-large', 'what standard input holds is larger than 1 MB');
  }
  return text + decoder.end();
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
