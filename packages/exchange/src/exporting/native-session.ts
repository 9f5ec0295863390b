import type { MessageBlock } from '@loom/blocks';
import type { ExportNote } from './note.ts';

/** A branch as a session of another program, which goes on with it. */
export interface NativeSession {
  /** What the program calls the session. */
  readonly id: string;
  /** Where the program looks for it, below its own folder (`~/.claude`, `~/.codex`). */
  readonly path: string;
  /** How the program is told to go on. */
  readonly command: readonly string[];
  /** What the messages and their blocks are called there, in order: recorded, an import of the grown file goes on with this branch. */
  readonly origins: readonly ExportedOrigin[];
  /** What could not be said as it is. Complete when all lines were written. */
  readonly notes: () => readonly ExportNote[];
  /** The lines of the file, each with its break. */
  readonly lines: () => AsyncGenerator<string>;
}

/** What a message is called in the session. */
export interface ExportedOrigin {
  readonly node: string;
  readonly origin: { readonly source: string; readonly id: string };
  /** What blocks are called there. Blocks that are not in the session are not here; an empty result is read as an empty text, which is no block. */
  readonly keys: readonly { readonly key: string; readonly block?: string }[];
}

/** What the caller knows beside the conversation. */
export interface NativeOptions {
  /** The folder that the session works in, absolute. */
  readonly directory: string;
  /** What a block that was imported is called in its source. */
  readonly keyOf?: (block: MessageBlock) => string | undefined;
}
