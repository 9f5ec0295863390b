import type { ModelInfo, PresetInfo, ProviderInfo } from './model-answers.ts';

/** The choice of models that answer next: one or several side by side, each as often as wanted, perhaps with a preset. */
export interface Picked {
  /** Names of models; the first one leads. None: the one that the server takes where none is named. */
  readonly names: readonly string[];
  /** The number of answers of each. */
  readonly n: number;
  readonly preset?: string;
}

export const nothingPicked: Picked = { names: [], n: 1 };

/** Returns the choice kept at an earlier visit, if it can be used. */
export function readPicked(value: unknown): Picked | undefined {
  if (typeof value !== 'object' || value === null || !('names' in value) || !('n' in value)) return undefined;
  const { names, n } = value;
  if (!Array.isArray(names) || typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > mostAnswers)
    return undefined;
  const preset = 'preset' in value && typeof value.preset === 'string' ? { preset: value.preset } : {};
  return { names: names.filter((name) => typeof name === 'string'), n, ...preset };
}

export const mostAnswers = 8;

interface Offered {
  readonly models: readonly ModelInfo[];
  readonly presets: readonly PresetInfo[];
  readonly usual: string | undefined;
}

/** The models that will answer, as far as they are known. */
export interface Answerers {
  /** The models that can be asked, the leading one first. */
  readonly models: readonly ModelInfo[];
  /** Names that were picked and cannot be asked now. */
  readonly missing: readonly string[];
  readonly n: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Resolves a choice into models that can be asked. A preset may name the model; a choice made by hand takes precedence. */
export function answerersOf(picked: Picked, { models, presets, usual }: Offered): Answerers {
  const preset = presets.find(({ name }) => name === picked.preset) ?? presets.find(({ active }) => active);
  const wanted = picked.names.length > 0 ? picked.names : [preset?.model ?? usual].filter((name) => name !== undefined);
  const found = wanted.map((name) => models.find((model) => isNamed(model, name)));
  return {
    models: found.filter((model) => model !== undefined).filter(({ usable }) => usable),
    missing: wanted.filter((_name, index) => found[index]?.usable !== true),
    n: picked.n > 1 ? picked.n : (preset?.n ?? 1),
    settings: preset?.settings ?? {},
  };
}

/** The model that a provider answers with until the reader picks another one: the one that it is used with as a rule, not the first of its list. */
export function usualModelOf(
  name: string,
  { models, providers }: { models: readonly ModelInfo[]; providers: readonly ProviderInfo[] },
): ModelInfo | undefined {
  const own = models.filter(({ provider, usable }) => provider === name && usable);
  const usual = providers.find((provider) => provider.name === name)?.usual_model;
  return own.find(({ model }) => model === usual) ?? own[0];
}

/** Conversations and settings may name a model as `demo/plain` or `demo:plain`. */
export function isNamed({ name, provider, model }: ModelInfo, wanted: string): boolean {
  return name === wanted || `${provider}/${model}` === wanted || (wanted === provider && name === provider);
}

/** Returns the number of answers a message gets. */
export function answerCount({ models, n }: Pick<Answerers, 'models' | 'n'>): number {
  return models.length * n;
}

/** Chooses one model alone, or adds it to and takes it from those that answer side by side. */
export function pick(picked: Picked, name: string, { beside }: { beside: boolean }): Picked {
  if (!beside) return { ...picked, names: [name], n: 1 };
  const names = picked.names.includes(name) ? picked.names.filter((one) => one !== name) : [...picked.names, name];
  return { ...picked, names };
}
