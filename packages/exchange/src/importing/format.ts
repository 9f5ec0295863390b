import type { ForeignItem, LineReader, Tally } from '../foreign/foreign.ts';

/** A file as it was found. */
export interface FoundFile {
  readonly path: string;
  /** What people call it, where its path says nothing to them. */
  readonly name?: string;
  readonly bytes: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly modified: number;
}

/** What people know a file by. */
export function nameOf({ path, name = path }: FoundFile): string {
  return name;
}

/** What is handed to readers of documents. */
export interface DocumentInput {
  readonly file: FoundFile;
  readonly tally: Tally;
}

/** A form in which another program keeps its history. */
export type ForeignFormat = {
  /** What the program is called in origins: `claude-code`. */
  readonly source: string;
  /** What people call it. */
  readonly name: string;
  /** Whether a file is of this form, by its path and how it begins. Sure, or not: an unknown file is left alone. */
  recognizes(path: string, beginning: string): boolean | Promise<boolean>;
  /** Whether a file belongs to what another one is the head of: it is read with that one. */
  isPart?(path: string): boolean;
} & (
  | {
      /** Lines that are only ever added to. */
      readonly form: 'lines';
      open(file: FoundFile): Promise<LineReader> | LineReader;
      /** Files that have to be read before this one, for what it rests on. */
      requires?(file: FoundFile, beginning: string): Promise<string[]>;
    }
  | {
      /** Anything else: read whole whenever it has changed. What is given out at once is a whole conversation. */
      readonly form: 'document';
      read(input: DocumentInput): AsyncIterable<readonly ForeignItem[]>;
    }
);

/** The form of a file; `undefined` if it is none that can be read. */
export async function recognize(
  formats: readonly ForeignFormat[],
  path: string,
  beginning: string,
): Promise<ForeignFormat | undefined> {
  for (const format of formats) if (await format.recognizes(path, beginning)) return format;
  return undefined;
}
