import type { ModelInfo, ProviderInfo } from './model-answers.ts';
import { matches } from './model-filter.ts';
import { providerName } from './model-words.ts';

/** An agent on this computer: a program with its own tools and login. */
export interface AgentInfo {
  /** The provider to pass to `turn.start`. */
  readonly name: string;
  /** The name as its maker writes it. */
  readonly title: string;
  readonly info: ProviderInfo;
  /** Its models; none where it cannot be asked. */
  readonly models: readonly ModelInfo[];
}

/** Returns the agents that the server knows, those that can be asked first. */
export function agentsOf(providers: readonly ProviderInfo[], models: readonly ModelInfo[]): AgentInfo[] {
  const agents = providers.filter(({ kind }) => kind === 'agent').map((info) => agentOf(info, models));
  return [...agents.filter(({ info }) => info.usable), ...agents.filter(({ info }) => !info.usable)];
}

function agentOf(info: ProviderInfo, models: readonly ModelInfo[]): AgentInfo {
  const { name } = info;
  const own = models.filter(({ provider }) => provider === name);
  return { name, title: providerName(name), info, models: own };
}

/** Returns true for a model that speaks inside an agent. */
export function isOfAgent({ provider }: ModelInfo, agents: readonly AgentInfo[]): boolean {
  return agents.some(({ name }) => name === provider);
}

/** Returns the agents that match what was typed, by the names of the agent and of its models. */
export function filterAgents(agents: readonly AgentInfo[], query: string): AgentInfo[] {
  return agents.filter(({ name, title, models }) =>
    matches([name, title, ...models.map(({ model }) => model)].join(' '), query.trim()),
  );
}

/** Adds the usual model of each agent that has not said which models it has: the agent can be asked nevertheless. */
export function withUsualModels(models: readonly ModelInfo[], providers: readonly ProviderInfo[]): ModelInfo[] {
  const silent = agentsOf(providers, models).filter(({ info, models: own }) => info.usable && own.length === 0);
  const usual = silent.map(({ name: provider, info: { usual_model: model = 'default' } }) => ({
    name: `${provider}/${model}`,
    provider,
    model,
    usable: true,
  }));
  return [...models, ...usual];
}

/** Returns the model that stands for an agent in a list: the chosen one, else its usual one; one that cannot be asked if it has none. */
export function modelOfAgent({ name, info, models }: AgentInfo, chosen: readonly ModelInfo[]): ModelInfo {
  const own = chosen.find(({ provider }) => provider === name);
  const usual = models.find(({ model }) => model === (info.usual_model ?? 'default'));
  return own ?? usual ?? models[0] ?? { name, provider: name, model: 'default', usable: false };
}

/** The state of an agent, for a chip. */
export type AgentState = 'ready' | 'untried' | 'needs-login' | 'missing' | 'silent';

export function stateOf({ info: { usable, hindrance, problem, remark } }: AgentInfo): AgentState {
  if (!usable) return hindrance?.code === 'needs-login' ? 'needs-login' : 'missing';
  if (problem !== undefined) return 'silent';
  return remark === undefined ? 'ready' : 'untried';
}

/** Words how an agent is used, or why it cannot be: short enough for a row. */
export function agentWords(agent: AgentInfo): string {
  switch (stateOf(agent)) {
    case 'missing':
      return 'not found on this computer';
    case 'needs-login':
      return 'not logged in';
    case 'silent':
      return 'has not answered yet';
    default:
      return 'your own command and login';
  }
}
