import type { FileChangeBlock } from '@loom/blocks';
import type { Clock, ToolContext } from '@loom/kernel';
import type { Permissions } from '../policy/permissions.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { BackgroundCommands } from './background-commands.ts';
import type { ForegroundCommands } from './foreground-commands.ts';

/** Sees which files a command, or the turn of an agent, changes. */
export interface ChangeWatch {
  /** Notes the files of a folder before something runs there. */
  begin(directory: string, context: Pick<ToolContext, 'blobs' | 'processes'>): Promise<RunningWatch>;
}

/** Files that are being watched: `end` returns the changes, `undefined` if there are none. */
export interface RunningWatch {
  end(): Promise<FileChangeBlock | undefined>;
}

/** The parts that commands are run with; they are loaded by the first call. */
export interface ShellPorts {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly permissions: () => Promise<Permissions>;
  readonly background: () => Promise<BackgroundCommands>;
  readonly foreground: ForegroundCommands;
  readonly changes?: ChangeWatch;
}
