import { billedParts } from '@loom/kernel';
import type { Clock, ProcessPort, Provider, ProviderEvent, ProviderHost, Usage } from '@loom/kernel';
import type { AgentProgram } from '@loom/providers/agent-cli';
import { ownVersion } from '../../command-line/own-version.ts';
import type { Config } from '../../config/schema.ts';
import type { ChosenModel } from '../demo-model.ts';
import type { Models } from '../models.ts';
import { watchedAgent } from './watched-agent.ts';
import type { WatchOptions } from './watched-agent.ts';

/** The agents that Loom can let speak: the programs of the person, by the names that config, chat and lists use. */
export const agentNames = ['claude', 'codex'] as const;
export type AgentName = (typeof agentNames)[number];

export interface AgentsOptions {
  models: Pick<Models, 'source' | 'config' | 'limits'>;
  clock: Clock;
  processes: Pick<ProcessPort, 'spawn'>;
  /** Sees which files a turn changes; without it changes can be neither reviewed nor taken back. */
  changes?: WatchOptions['changes'];
}

/** Returns a provider for each agent. Its code is loaded, and its settings are read, when it is first asked something. */
export function createAgents(options: AgentsOptions): Provider[] {
  const { changes, processes } = options;
  return agentNames.map((name) => {
    const agent = lateAgent(name, options);
    return changes === undefined ? agent : watchedAgent(agent, { changes, processes });
  });
}

/** Returns the agent that a model's name begins with, and its model: `claude`, `claude/opus`. */
export function chooseAgent(name: string): ChosenModel | undefined {
  const [, first = name, model = ''] = /^([^:/]+)[:/](.*)$/s.exec(name) ?? [];
  const agent = agentNames.find((known) => known === first);
  if (agent === undefined) return undefined;
  return {
    provider: agent,
    model: model === '' ? usualAgentModel : model,
    name: model === '' ? agent : `${agent}/${model}`,
  };
}

/** Returns true if an agent answers for a model: it works in the folder that the person is in. */
export function isAgent({ provider }: Pick<ChosenModel, 'provider'>): boolean {
  return agentNames.some((name) => name === provider);
}

/** Returns the vendor whose prices the models of an agent have. */
export function vendorOfAgent(provider: string): string | undefined {
  return provider === 'claude' ? 'anthropic' : provider === 'codex' ? 'openai' : undefined;
}

/** Leaves the choice of a model to the agent. */
const usualAgentModel = 'default';

function lateAgent(name: AgentName, options: AgentsOptions): Provider {
  let loading: Promise<Provider> | undefined;
  let host: ProviderHost | undefined;
  const load = (): Promise<Provider> => (loading ??= loadAgent(name, options, host));
  return {
    id: name,
    runsTools: true,
    needsFolder: true,
    attach: (given) => {
      host = given;
    },
    offers: async () => (await load()).offers?.() ?? { state: { type: 'missing', message: `${name} offers nothing.` } },
    continuation: async (branch) => (await load()).continuation?.(branch) ?? { how: 'session' },
    terminalCommand: async (branch) =>
      (await load()).terminalCommand?.(branch) ?? { ok: false, why: `${name} cannot go on in a terminal.` },
    async *stream(request, call) {
      // An agent reads and writes where it is started: never in a folder that the conversation does not name.
      if (request.directory === undefined && call.turn !== undefined) yield* refuseWithoutFolder();
      else yield* (await load()).stream(request, call);
    },
    async close() {
      await (await loading)?.close?.();
    },
  };
}

function* refuseWithoutFolder(): Generator<ProviderEvent> {
  yield { type: 'call-start' };
  const message =
    'This conversation has no folder, and Loom could not make a scratch folder for it. Choose a folder for the conversation.';
  yield { type: 'call-error', error: { code: 'failed', message, final: true } };
}

async function loadAgent(
  name: AgentName,
  { models, clock, processes }: AgentsOptions,
  host: ProviderHost | undefined,
): Promise<Provider> {
  const [{ agentEnvironment }, config] = await Promise.all([import('@loom/providers/agent-cli'), models.config()]);
  const { command, env = [] } = settingsOf(config, name);
  const environment = agentEnvironment(models.source.env, { pass: env });
  const program = { command: command === undefined ? [name] : [command].flat(), environment, processes, clock };
  const directory = environment['HOME'] ?? process.cwd();
  const prices = async (): Promise<AgentPrices | undefined> => {
    const priceOf = await models.limits.pricing?.();
    if (priceOf === undefined) return undefined;
    return (model, usage) => priceOf({ provider: name, model, time: clock.now(), ...usage, ...billedParts(usage) });
  };
  const agent = await makers[name]({ program, directory, prices });
  if (host !== undefined) agent.attach?.(host);
  return agent;
}

/** Returns the cost of what a model has used, if its prices are known. */
type AgentPrices = (model: string, usage: Usage) => number | undefined;

type MakeAgent = (parts: {
  program: AgentProgram;
  directory: string;
  prices: () => Promise<AgentPrices | undefined>;
}) => Promise<Provider>;

const makers: Readonly<Record<AgentName, MakeAgent>> = {
  claude: async (parts) =>
    (await import('@loom/providers/claude-cli')).createClaudeProvider({ id: 'claude', ...parts }),
  codex: async ({ program, directory }) =>
    (await import('@loom/providers/codex-cli')).createCodexProvider({ version: ownVersion, program, directory }),
};

function settingsOf({ agents }: Config, name: AgentName): NonNullable<Config['agents']>[string] {
  return (agents !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined) ?? {};
}
