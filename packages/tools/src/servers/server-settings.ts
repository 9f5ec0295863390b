import type { PlainObject } from '@loom/blocks';

/** An MCP server, as the configuration has it. */
export interface ServerSettings {
  readonly name: string;
  /** The program and its arguments. Absent for a server that is reached by its address. */
  readonly command?: readonly string[];
  /** The variables that the program gets beside the usual ones. */
  readonly environment: Readonly<Record<string, string>>;
  readonly url?: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The settings about tools. */
export interface ToolSettings {
  readonly servers: readonly ServerSettings[];
  /** The names of tools that no model gets; `<server>__*` for a whole server, which is not started either. */
  readonly off: readonly string[];
}

/** The facts about a tool that a model or a person would act on. */
export interface ToolClaims {
  readonly description: string;
  readonly parameters: PlainObject;
  /** True if the server says that the tool changes nothing. */
  readonly isReading: boolean;
  /** True if the server says that what it does may destroy something. */
  readonly isDestructive: boolean;
}

/** The claims about a tool that an owner has accepted. */
export interface SeenTool extends ToolClaims {
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** The accepted claims by server and tool. */
export type SeenTools = Readonly<Record<string, Readonly<Record<string, SeenTool>>>>;

/** Keeps the settings about tools. */
export interface ToolSettingsPort {
  read(): Promise<ToolSettings>;
  /** Switches tools on or off by their names. */
  switchTools(names: readonly string[], isOn: boolean): Promise<void>;
  /** Rejects if they cannot be read: a tool whose description changed must not pass for a new one. */
  readSeen(): Promise<SeenTools>;
  /** Replaces what is kept of one server. */
  writeSeen(server: string, tools: Readonly<Record<string, SeenTool>>): Promise<void>;
}

/** No servers, nothing switched off, and no place to keep either: for an engine without a data folder. */
export const noToolSettings: ToolSettingsPort = {
  read: () => Promise.resolve({ servers: [], off: [] }),
  switchTools: () => Promise.reject(new Error('there is no data folder to keep settings in')),
  readSeen: () => Promise.resolve({}),
  writeSeen: () => Promise.resolve(),
};
