import type { AgentPromptPort, Clock, FolderPort, Operation, ProcessPort, Provider, Tool } from '@loom/kernel';
import { ask } from './ask/ask.ts';
import { blameOperations } from './blame/blame-operations.ts';
import { currentDate } from './date/current-date.ts';
import { fileTools } from './files/file-tools.ts';
import { folderOperations } from './folders/folder-operations.ts';
import { instructionOperations } from './instructions/instruction-operations.ts';
import { exitPlan } from './plan/exit-plan.ts';
import { permissionOperations } from './policy/permission-operations.ts';
import { noRules } from './policy/stored-rule.ts';
import type { RulePort } from './policy/stored-rule.ts';
import { sandboxOperations } from './sandbox/sandbox-operations.ts';
import { serverOperations } from './servers/server-operations.ts';
import { noToolSettings } from './servers/server-settings.ts';
import type { ToolSettingsPort } from './servers/server-settings.ts';
import type { ToolServers } from './servers/tool-servers.ts';
import { shellKillTool, shellOutputTool } from './shell/background-tools.ts';
import { foregroundOperations } from './shell/foreground-operations.ts';
import { processOperations } from './shell/process-operations.ts';
import { runAgainOperation, runAgainProvider } from './shell/run-again.ts';
import type { ChangeWatch, ShellPorts } from './shell/shell-ports.ts';
import { shellTool } from './shell/shell-tool.ts';
import { todo } from './todo/todo.ts';
import { fetchUrlTool } from './web/fetch-url.ts';
import type { WebNetwork } from './web/web-ports.ts';
import { worktreeOperations } from './worktree/worktree-operations.ts';
import { undoOperations } from './undo/undo-operations.ts';

/** The parts of the host that tools work with. */
export interface ToolsPorts {
  clock: Clock;
  processes: Pick<ProcessPort, 'spawn'>;
  /** Loom's own environment, of which programs get little. */
  environment: Readonly<Record<string, string | undefined>>;
  /** As Node names it. */
  platform: string;
  /** The folder that holds conversations and keys: commands do not see it. */
  dataDir?: string;
  /** The permissions of the configuration. Default: there are none. */
  rules?: RulePort;
  /** The MCP servers of the configuration, and what is switched off. Default: there are none. */
  settings?: ToolSettingsPort;
  /** The network of `fetch_url`. Default: the internet. */
  network?: WebNetwork;
}

/** The tools that come with Loom, and the operations about them. */
export interface Toolbox {
  /** Loom's own. */
  tools: readonly Tool[];
  /** Adds the tools of MCP servers that are ready to others. */
  withServers: (tools: readonly Tool[]) => readonly Tool[];
  /** Starts the servers, and waits a moment for them. */
  toolsReady: () => Promise<void>;
  /** Returns true for a tool that is switched off for all conversations. */
  isToolOff: (name: string) => boolean;
  /** The provider that runs commands again for people. */
  providers: readonly Provider[];
  operations: readonly Operation[];
  /** Tells models about the folder that they work in. */
  prompts: AgentPromptPort;
  /** Tells the repositories that folders are in. */
  folders: FolderPort;
  /** Watches the files that agents change, which run their tools themselves. */
  turnChanges: ChangeWatch;
  /** Ends what tools have started. */
  close: () => Promise<void>;
}

/** Makes the tools. It only describes them: their code is loaded by the first call. */
export function createTools(ports: ToolsPorts): Toolbox {
  const { clock, rules = noRules } = ports;
  const { shell, close } = shellPorts(ports, rules);
  const servers = lateServers(ports, shell.permissions);
  const prompts: AgentPromptPort = {
    compose: async (folder) => (await import('./instructions/agent-prompt.ts')).composeAgentPrompt(clock, folder),
  };
  return {
    providers: [runAgainProvider],
    tools: [
      ask,
      currentDate(clock),
      exitPlan,
      ...fileTools({
        clock,
        decide: async (request) => (await import('./policy/file-permissions.ts')).decideFile(rules, request),
      }),
      fetchUrlTool({ ...shell, ...(ports.network === undefined ? {} : { network: ports.network }) }),
      shellTool(shell),
      shellKillTool(shell),
      shellOutputTool(shell),
      todo,
    ],
    withServers: (tools) => servers.made()?.tools(tools) ?? tools,
    toolsReady: async () => (await servers.get()).ready(),
    isToolOff: (name) => servers.made()?.isOff(name) === true,
    operations: [
      ...instructionOperations(prompts),
      ...permissionOperations(rules, shell.sandbox),
      ...sandboxOperations(shell.sandbox),
      ...processOperations(shell.background),
      ...foregroundOperations(shell.foreground),
      runAgainOperation,
      ...undoOperations(),
      ...folderOperations(ports.environment['HOME'] ?? '/'),
      ...worktreeOperations(ports.processes),
      ...serverOperations(servers.get),
      ...blameOperations(ports.processes),
    ],
    prompts,
    folders: {
      repositoryOf: async (directory) => (await import('./folders/folder-facts.ts')).readRepository(directory),
    },
    turnChanges,
    close: async () => {
      await servers.made()?.close();
      await close();
    },
  };
}

/** Makes the part that runs MCP servers when it is first needed. */
function lateServers(
  { clock, processes, environment, settings = noToolSettings }: ToolsPorts,
  permissions: ShellPorts['permissions'],
): { get: () => Promise<ToolServers>; made: () => ToolServers | undefined } {
  let made: ToolServers | undefined;
  const { get } = late(async () => {
    const { ToolServers } = await import('./servers/tool-servers.ts');
    made = new ToolServers({ clock, settings, processes, environment, permissions });
    return made;
  });
  return { get, made: () => made };
}

const changes: ChangeWatch = {
  begin: async (directory, context) => (await import('./undo/change-watch.ts')).watchCommand(directory, context),
};

const turnChanges: ChangeWatch = {
  begin: async (directory, context) => (await import('./undo/change-watch.ts')).watchTurn(directory, context),
};

/** Makes the parts that commands are run with, each when it is first needed. */
function shellPorts(
  { clock, processes, environment, platform, dataDir }: ToolsPorts,
  rules: RulePort,
): { shell: ShellPorts; close: () => Promise<void> } {
  const sandbox = late(async () => {
    const { createSandbox } = await import('./sandbox/sandbox.ts');
    const home = environment['HOME'] ?? '/';
    const path = environment['PATH'] ?? '/usr/bin:/bin';
    return createSandbox({ processes, platform, path, home, ...(dataDir === undefined ? {} : { dataDir }) });
  });
  const permissions = late(async () => (await import('./policy/permissions.ts')).createPermissions(rules));
  const background = late(async () => new (await import('./shell/background-commands.ts')).BackgroundCommands(clock));
  return {
    shell: {
      clock,
      environment,
      sandbox: sandbox.get,
      permissions: permissions.get,
      background: background.get,
      foreground: new Map(),
      changes,
    },
    close: async () => (await background.made())?.close(),
  };
}

/** Makes something when it is first asked for. */
function late<T>(make: () => Promise<T>): { get: () => Promise<T>; made: () => Promise<T | undefined> } {
  let making: Promise<T> | undefined;
  return { get: () => (making ??= make()), made: async () => making };
}
