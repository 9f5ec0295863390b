import type { z } from 'zod';
import type { FileChange } from '@loom/blocks';
import type { Clock, ToolContext, ToolInvocation, ToolOutcome } from '@loom/kernel';
import type { ConfinedFolder, FileState } from '../folder/confined-folder.ts';
import type { FileMemory } from './file-memory.ts';
import type { DecidePermission } from './permission.ts';

/** The parts of the host that file tools work with. */
export interface FileToolParts {
  clock: Clock;
  memory: FileMemory;
  decide: DecidePermission;
}

/** A call of a file tool with everything around it. */
export interface FileCall {
  invocation: ToolInvocation;
  context: ToolContext;
  parts: FileToolParts;
}

/** The surroundings in which the code of a file tool works. */
export interface FileScope {
  folder: ConfinedFolder;
  context: ToolContext;
  memory: FileMemory;
}

/** The surroundings of a tool that looks at files. */
export interface ReadingScope extends FileScope {
  /** Throws unless the call may look at this path, as it was found when it was opened. */
  permit(path: string): Promise<void>;
}

/** The code of a tool that looks at files. */
export interface ReadingCode<Params = unknown> {
  params: z.ZodType<Params>;
  /** The path that permission is asked for. */
  pathOf(params: Params): string;
  run(params: Params, scope: ReadingScope): Promise<ToolOutcome>;
}

/** The code of a tool that changes files. */
export interface ChangingCode<Params = unknown> {
  params: z.ZodType<Params>;
  /** Works out the changes without making any; throws a `ToolMistake` or a `PathError` if the call is wrong. */
  plan(params: Params, scope: FileScope): Promise<PlannedFile[]>;
}

/** One file that a call changes. */
export interface PlannedFile {
  /** The path below the folder, with links resolved. */
  path: string;
  kind: FileChange['kind'];
  /** The former path of a file that is renamed. */
  from?: string;
  /** The file as it is; absent if there is none. For a renamed file, the one at its former path. */
  before?: FileState;
  /** Its new content; absent if it is removed. */
  after?: Uint8Array;
  mode?: number;
}

/** A mistake in a call, in words that help the model to make it right. Nothing was done. */
export class ToolMistake extends Error {}
