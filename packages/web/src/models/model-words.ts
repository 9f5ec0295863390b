import type { ModelInfo, ProviderInfo } from './model-answers.ts';
import type { Answerers } from './picked.ts';
import { tokens } from '../words/amounts.ts';

/** `200k`, or nothing if it is not known. */
export function windowOf({ context }: ModelInfo): string | undefined {
  return context === undefined ? undefined : tokens(context);
}

/** `$5 in, $25 out`, `free`, `price unknown` */
export function priceOf({ price, provider }: ModelInfo, isLocal = false): string {
  if (provider === 'demo' || isLocal) return 'free';
  if (price === undefined) return 'price unknown';
  return `${perMillion(price.input)} in, ${perMillion(price.output)} out`;
}

/** Tells providers that take no money: their models run on this machine. Of an agent only the program does. */
export function takesNoMoney({ local, kind }: ProviderInfo): boolean {
  return local && kind !== 'agent';
}

/** `$5`, `$0.25`, `$1.50` */
function perMillion(amount: number): string {
  if (amount === 0) return 'free';
  return `$${Number.isInteger(amount) ? amount : amount.toFixed(2)}`;
}

/** `tools, images, thinking` */
export function abilitiesOf({ tools, images, files, thinking }: ModelInfo): string {
  const can = [
    tools === true && 'tools',
    images === true && 'images',
    files === true && 'PDFs',
    thinking === true && 'thinking',
  ];
  return can.filter((word) => word !== false).join(', ');
}

/** Returns the reason a provider cannot be asked, short enough for a row. */
export function hindranceOf({ hindrance }: ProviderInfo): string {
  switch (hindrance?.code) {
    case undefined:
      return '';
    case 'no-key':
      return 'needs a key';
    case 'not-running':
      return 'not running';
    case 'missing':
      return 'not installed';
    case 'needs-login':
      return 'not logged in';
    case 'no-address':
      return 'needs an address';
    default:
      return hindrance?.message ?? '';
  }
}

/** Returns the reason that a provider could not list its current models, short enough for a row. */
export function problemOf({ problem }: ProviderInfo): string {
  switch (problem?.code) {
    case undefined:
      return '';
    case 'key-refused':
      return 'key refused';
    case 'no-answer':
      return 'does not answer';
    default:
      return problem?.message ?? '';
  }
}

/** The name of a provider as its maker writes it. */
export function providerName(name: string): string {
  return properNames[name] ?? name;
}

const properNames: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  chatgpt: 'ChatGPT plan',
  google: 'Google',
  openrouter: 'OpenRouter',
  ollama: 'Ollama',
  'lm-studio': 'LM Studio',
  'llama-cpp': 'llama.cpp',
  vllm: 'vLLM',
  demo: 'Demo',
  claude: 'Claude Code',
  codex: 'Codex',
};

/** Names the models that answer, short enough for a button: `claude-opus-5-5`, `claude-opus-5-5 × 3`, `3 models × 2`, `No model`. */
export function answererWords({ models, n }: Pick<Answerers, 'models' | 'n'>, preset?: string): string {
  const [first] = models;
  if (first === undefined) return 'No model';
  const who = models.length > 1 ? `${models.length} models` : speakerName(first);
  const times = n > 1 ? ` × ${n}` : '';
  return preset === undefined ? who + times : `${preset}: ${who}${times}`;
}

/** `claude-opus-5-5`, `demo`, and of an agent its name before the model: `Claude Code opus`. */
function speakerName({ provider, name, model }: ModelInfo): string {
  if (isAgent(provider)) return model === 'default' ? providerName(provider) : `${providerName(provider)} ${model}`;
  return provider === 'demo' ? name : model;
}

/** Returns true for a provider that is an agent: a program with its own tools, sessions and login. */
export function isAgent(provider: string): boolean {
  return agentNames.has(provider);
}

const agentNames: ReadonlySet<string> = new Set(['claude', 'codex']);
