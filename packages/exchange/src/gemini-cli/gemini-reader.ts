import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { isList, objectAt, textAt } from '../foreign/fields.ts';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem, LineReader } from '../foreign/foreign.ts';
import { firstObjects, readCountedLine } from '../foreign/line-reading.ts';
import { Outbox } from '../foreign/outbox.ts';
import { GeminiSession } from './gemini-session.ts';

/** Reads a session of Gemini CLI that is a log: a head, messages that come again whenever they have grown, and changes of the head. */
export function createGeminiReader(): LineReader {
  return new GeminiReader();
}

/** Reads a session that is one document, whatever its name. Anything else is reported. */
export function readGeminiDocument(text: string, tally: Tally): ForeignItem[] {
  const outbox = new Outbox();
  const session = new GeminiSession(outbox, tally);
  const document = parseDocument(text);
  if (document === undefined) {
    tally.reported('The file is not JSON.');
    return [];
  }
  session.describe(document);
  for (const message of isList(document.messages) ? document.messages : []) {
    const unknown = isPlainObject(message) ? session.message(message) : 'message that is no object';
    if (unknown === undefined) tally.used();
    else tally.raw(unknown);
  }
  session.end();
  return outbox.take();
}

/** Returns true if a file is the log of a session, by its first line. */
export function recognizesGeminiLog(_name: string, beginning: string): boolean {
  const [first] = firstObjects(beginning);
  return first !== undefined && isHead(first) && first.messages === undefined;
}

/** Returns true if a file is a session as one document, with any formatting. */
export function recognizesGeminiDocument(_name: string, beginning: string): boolean {
  if (!/^\s*\{/.test(beginning) || recognizesGeminiLog('', beginning)) return false;
  const head = beginning.slice(0, beginning.search(/"messages"\s*:\s*\[/));
  return (
    /"messages"\s*:\s*\[/.test(beginning) &&
    /"sessionId"\s*:\s*"/.test(head) &&
    /"(?:projectHash|startTime)"\s*:\s*"/.test(head)
  );
}

class GeminiReader implements LineReader {
  readonly tally = new Tally();
  readonly #outbox = new Outbox();
  readonly #session = new GeminiSession(this.#outbox, this.tally);

  push(line: string): void {
    readCountedLine(line, this.tally, (object) => this.#read(object));
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    this.#session.end();
  }

  #read(line: PlainObject): string | undefined {
    const change = objectAt(line, '$set');
    if (change !== undefined) {
      this.#session.describe(change);
      return isList(change.messages) ? this.#session.messages(change.messages) : undefined;
    }
    const back = textAt(line, '$rewindTo');
    if (back !== undefined) {
      this.#session.rewindTo(back);
      return undefined;
    }
    if (isHead(line)) {
      this.#session.describe(line);
      return isList(line.messages) ? this.#session.messages(line.messages) : undefined;
    }
    if (textAt(line, 'id') !== undefined) return this.#session.message(line);
    return Object.keys(line).find((key) => key.startsWith('$')) ?? 'line without an id';
  }
}

function isHead(line: PlainObject): boolean {
  return (
    textAt(line, 'sessionId') !== undefined &&
    (line.projectHash !== undefined || line.startTime !== undefined) &&
    line.uuid === undefined
  );
}

function parseDocument(text: string): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
