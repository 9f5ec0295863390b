import type { MessageBlock } from '@loom/blocks';
import type { ExportNote } from './note.ts';

/** A branch as a session of another program, which continues it. */
export interface NativeSession {
  /** The program's name for the session. */
  readonly id: string;
  /** The path at which the program looks for it, below its own folder (`~/.claude`, `~/.codex`). */
  readonly path: string;
  /** The command that makes the program continue the session. */
  readonly command: readonly string[];
  /** The names of the messages and their blocks there, in order: once recorded, an import of the grown file continues this branch. */
  readonly origins: readonly ExportedOrigin[];
  /** Notes about content that changed in the export. Complete once all lines are written. */
  readonly notes: () => readonly ExportNote[];
  /** The lines of the file, each with its break. */
  readonly lines: () => AsyncGenerator<string>;
}

/** The name of a message in the session. */
export interface ExportedOrigin {
  readonly node: string;
  readonly origin: { readonly source: string; readonly id: string };
  /**
   * The names of blocks there. Blocks that are not in the session are missing here; an empty result is read as an empty text, which makes no block.
   */
  readonly keys: readonly { readonly key: string; readonly block?: string }[];
}

/** The caller's facts beside the conversation. */
export interface NativeOptions {
  /** The folder that the session works in, absolute. */
  readonly directory: string;
  /** Returns the name of an imported block in its source. */
  readonly keyOf?: (block: MessageBlock) => string | undefined;
}
