import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';
import { withUsualModels } from './agents.ts';
import { modelPage, presetList, providerList } from './model-answers.ts';
import type { ModelInfo, PresetInfo, ProviderInfo } from './model-answers.ts';
import { answerersOf, nothingPicked, readPicked } from './picked.ts';
import type { Answerers, Picked } from './picked.ts';

export interface KnownModels {
  readonly state: 'loading' | 'ready' | 'failed';
  /** The models that can be asked; all known ones, once `isWhole`. */
  readonly models: readonly ModelInfo[];
  readonly isWhole: boolean;
  readonly providers: readonly ProviderInfo[];
  readonly presets: readonly PresetInfo[];
  /** The default model. */
  readonly usual: string | undefined;
  /** True if the settings name it: otherwise it is the one that Loom takes for want of a choice. */
  readonly isUsualSet: boolean;
  /** The system prompt of new conversations. */
  readonly systemPrompt: string | undefined;
  readonly failure: string | undefined;
}

const nothingKnown: KnownModels = {
  state: 'loading',
  models: [],
  isWhole: false,
  providers: [],
  presets: [],
  usual: undefined,
  isUsualSet: false,
  systemPrompt: undefined,
  failure: undefined,
};

/** Asks for an operation whose answer is read here. */
type Ask = (name: string, params: unknown) => Promise<unknown>;

/** The models that the server knows, and which of them the reader has picked. */
export class Models {
  readonly #ask: Ask;
  readonly known = new Store<KnownModels>(nothingKnown);
  readonly picked: Store<Picked>;
  /** The models that answer next. */
  readonly answerers: Store<Answerers>;
  /** Models that the picker shows only when they are searched for. */
  readonly hidden: Store<readonly string[]>;
  #loading: Promise<void> | undefined;

  constructor(ask: Ask, storage: TextStorage) {
    this.#ask = ask;
    this.picked = keptStore(storage, 'loom-picked', { read: readPicked, otherwise: nothingPicked });
    const names = { read: readNames, otherwise: [] };
    this.hidden = keptStore<readonly string[]>(storage, 'loom-hidden-models', names);
    const find = (): Answerers => answerersOf(this.picked.getSnapshot(), this.known.getSnapshot());
    this.answerers = new Store(find());
    this.known.subscribe(() => this.answerers.set(find()));
    this.picked.subscribe(() => this.answerers.set(find()));
  }

  /** Resolves once it is known which models can be asked. */
  ready(): Promise<void> {
    return this.known.getSnapshot().state === 'ready' ? Promise.resolve() : this.refresh();
  }

  /** Looks again: keys may have changed, servers may have been started. Asks nothing of providers elsewhere unless a picked model is unknown. */
  refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  /** Asks the providers for their current models, and for those, too, that cannot be asked now: for a list that people look at. */
  async loadAll(): Promise<void> {
    await this.ready();
    const [page, providers] = await Promise.all([
      this.#ask('model.list', { limit: 5000 }),
      this.#ask('provider.list', {}),
    ]);
    const { items, default: usual } = modelPage.parse(page);
    const found = providerList.parse(providers).items;
    const models = withUsualModels(items, found);
    this.known.update((known) => ({ ...known, isWhole: true, models, usual, providers: found }));
  }

  /** Asks for a model that was picked at an earlier visit, and that only its provider knows. */
  async #lookForPicked(): Promise<void> {
    const { providers } = this.known.getSnapshot();
    const isKnownElsewhere = (name: string): boolean =>
      providers.some((provider) => provider.usable && !provider.local && name.startsWith(`${provider.name}/`));
    if (!this.answerers.getSnapshot().missing.some(isKnownElsewhere)) return;
    await this.loadAll().catch(() => {});
  }

  async #load(): Promise<void> {
    try {
      const [page, providers, presets] = await Promise.all([
        this.#ask('model.list', { usable: true, live: false, limit: 5000 }),
        this.#ask('provider.list', { live: false }),
        this.#ask('preset.list', {}),
      ]);
      const { items: models, default: usual } = modelPage.parse(page);
      const { items, defaults } = presetList.parse(presets);
      const found = providerList.parse(providers).items;
      this.known.set({
        state: 'ready',
        models: withUsualModels(models, found),
        isWhole: false,
        providers: found,
        presets: items,
        usual,
        isUsualSet: (items.find(({ active }) => active)?.model ?? defaults.model) !== undefined,
        systemPrompt: defaults.system_prompt,
        failure: undefined,
      });
      await this.#lookForPicked();
    } catch (error) {
      this.known.update((known) => ({ ...known, state: 'failed', failure: describeFailure(error) }));
    }
  }
}

function readNames(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}
