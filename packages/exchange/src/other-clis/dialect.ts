import type { MessageBlock, PlainObject, ToolUseBlock } from '@loom/blocks';
import { isPlainObject } from '@loom/blocks';
import { isList, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignConversation, LineReader } from '../foreign/foreign.ts';
import { readCountedLine } from '../foreign/line-reading.ts';
import { Outbox } from '../foreign/outbox.ts';
import { readArguments } from '../foreign/tool-arguments.ts';
import { PlainThread } from './plain-thread.ts';
import type { Spot } from './plain-thread.ts';

/** A program's form of sessions as lines of JSON. */
export interface Dialect {
  /** The program's name in origins. */
  readonly source: string;
  /** Its name for people. */
  readonly name: string;
  /** Returns true if the program wrote the file, by its first objects. */
  recognizes(objects: readonly PlainObject[]): boolean;
  /** Reads one line into the thread. Returns the kind of an unknown line. */
  read(line: PlainObject, thread: PlainThread, at: LinePlace): string | undefined;
}

export interface LinePlace {
  /** The name of the session, for lines that do not carry it. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

/** Reads the session of a program by its dialect. */
export function createDialectReader({ source, read }: Pick<Dialect, 'source' | 'read'>, file: string): LineReader {
  const tally = new Tally();
  const outbox = new Outbox();
  const thread = new PlainThread(outbox, source);
  let line = 0;
  return {
    tally,
    push(text) {
      readCountedLine(text, tally, (object) => {
        line += 1;
        return read(object, thread, { file, line });
      });
    },
    take: () => outbox.take(),
    end() {
      thread.endPieces();
      const open = thread.openCalls;
      if (open > 0) tally.remark(`${open === 1 ? 'A call has' : `${open} calls have`} no result where the file ends.`);
    },
  };
}

export function textBlocks(text: string | undefined): MessageBlock[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

export function thinkingBlocks(text: string | undefined): MessageBlock[] {
  return text === undefined || text === '' ? [] : [{ type: 'thinking', text }];
}

/** A call, whose arguments may be an object or its JSON. */
export function callBlock(id: string, name: string | undefined, input: unknown): ToolUseBlock {
  const read = isPlainObject(input) ? { parameters: input } : readArguments(input);
  return { type: 'tool-use', id, name: name === undefined || name.trim() === '' ? 'unknown' : name, ...read };
}

/** Returns the text of a value that may be a text, an object with a text, or a list of such. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isList(value)) return value.map(wordsOf).filter(Boolean).join('\n');
  return textAt(value, 'text', 'content', 'output') ?? textAt(objectAt(value, 'message'), 'content') ?? '';
}

export function rawBlock(source: string, value: unknown): MessageBlock {
  return { type: 'raw', source, value };
}

export function textOf(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }];
}

/** Returns the place of a line: its own id, if it has one, else its number. Scrubbed ids are all the same, so they do not count. */
export function spotOf(line: PlainObject, { file, line: number }: LinePlace, field?: string): Spot {
  const id = field === undefined ? undefined : textAt(line, field);
  const key = id === undefined || id.startsWith('[') ? `${file}#${number}` : id;
  return { key, time: timeOf(line.timestamp ?? line.created_at) };
}

export function begin(thread: PlainThread, { file }: LinePlace): void {
  if (!thread.isBegun) thread.describe({ id: file });
}

interface Facts {
  readonly title?: string | undefined;
  readonly directory?: string | undefined;
  readonly created?: string | undefined;
}

export function named({ title, directory, created }: Facts): Omit<ForeignConversation, 'id'> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(directory === undefined ? {} : { directory }),
    ...(created === undefined ? {} : { created_at: created }),
  };
}

export function typeOf(line: PlainObject): string {
  return textAt(line, 'type') ?? 'without a type';
}
