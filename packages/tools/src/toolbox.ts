import type { AgentPromptPort, Clock, Operation, ProcessPort, Tool } from '@loom/kernel';
import { ask } from './ask/ask.ts';
import { currentDate } from './date/current-date.ts';
import { instructionOperations } from './instructions/instruction-operations.ts';
import { exitPlan } from './plan/exit-plan.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { shellTool } from './shell/shell-tool.ts';
import { todo } from './todo/todo.ts';
import { fileTools } from './files/file-tools.ts';

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
}

/** The tools that come with Loom, and the operations about them. */
export interface Toolbox {
  tools: readonly Tool[];
  operations: readonly Operation[];
  /** Tells models about the folder that they work in. */
  prompts: AgentPromptPort;
  /** Ends what tools have started. */
  close: () => Promise<void>;
}

/** Makes the tools. It only describes them: their code is loaded by the first call. */
export function createTools(ports: ToolsPorts): Toolbox {
  const { clock, environment } = ports;
  const sandbox = lateSandbox(ports);
  const prompts: AgentPromptPort = {
    compose: async (folder) => (await import('./instructions/agent-prompt.ts')).composeAgentPrompt(clock, folder),
  };
  return {
    tools: [
      ask,
      currentDate(clock),
      exitPlan,
      ...fileTools({ clock }),
      shellTool({ clock, environment, sandbox }),
      todo,
    ],
    operations: [...instructionOperations(prompts)],
    prompts,
    close: () => Promise.resolve(),
  };
}

/** Looks for a sandbox when one is first needed. */
function lateSandbox({ processes, environment, platform, dataDir }: ToolsPorts): () => Promise<Sandbox> {
  let loading: Promise<Sandbox> | undefined;
  const load = async (): Promise<Sandbox> => {
    const { createSandbox } = await import('./sandbox/sandbox.ts');
    const home = environment['HOME'] ?? '/';
    const path = environment['PATH'] ?? '/usr/bin:/bin';
    return createSandbox({ processes, platform, path, home, ...(dataDir === undefined ? {} : { dataDir }) });
  };
  return () => (loading ??= load());
}
