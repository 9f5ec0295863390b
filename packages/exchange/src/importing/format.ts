import type { ForeignItem, LineReader, Tally } from '../foreign/foreign.ts';

/** A file as it was found. */
export interface FoundFile {
  readonly path: string;
  /** Its name for people, if its path means nothing to them. */
  readonly name?: string;
  readonly bytes: number;
  /** The time of its last write, in milliseconds since 1970. */
  readonly modified: number;
}

/** Returns a file's name for people. */
export function nameOf({ path, name = path }: FoundFile): string {
  return name;
}

/** The input of document readers. */
export interface DocumentInput {
  readonly file: FoundFile;
  readonly tally: Tally;
}

/** A form in which another program keeps its history. */
export type ForeignFormat = {
  /** The program's name in origins: `claude-code`. */
  readonly source: string;
  /** Its name for people. */
  readonly name: string;
  /** Returns true if a file has this form, by its path and its beginning. False if in doubt: an unknown file is left alone. */
  recognizes(path: string, beginning: string): boolean | Promise<boolean>;
  /** Returns true if a file belongs to a session that another file is the head of: it is read with that one. */
  isPart?(path: string): boolean;
} & (
  | {
      /** Lines that are only ever added to. */
      readonly form: 'lines';
      open(file: FoundFile): Promise<LineReader> | LineReader;
      /** Returns the files that this one builds on, which have to be read before it. */
      requires?(file: FoundFile, beginning: string): Promise<string[]>;
    }
  | {
      /** Any other form: read whole whenever it has changed. Each yielded list is a whole conversation. */
      readonly form: 'document';
      read(input: DocumentInput): AsyncIterable<readonly ForeignItem[]>;
    }
);

/** Returns the form of a file; `undefined` if it is not readable. */
export async function recognize(
  formats: readonly ForeignFormat[],
  path: string,
  beginning: string,
): Promise<ForeignFormat | undefined> {
  for (const format of formats) if (await format.recognizes(path, beginning)) return format;
  return undefined;
}
