import type { Clock } from '../ports.ts';
import type { Provider, ToolDescription } from '../provider.ts';
import type { Tool } from '../tool.ts';
import { askForOffers } from './offering/provider-offers.ts';
import type { OfferingProvider } from './offering/provider-offers.ts';
import { describeTools } from './speaking/turn-request.ts';

/**
 * The providers and tools of a process, looked through at every use: a list may change, and so may the result of a function.
 */
export interface Registered {
  providers: readonly Provider[] | (() => readonly Provider[]);
  tools: readonly Tool[] | (() => readonly Tool[]);
  /** Resolves when the tools are known, or will not be for a while; called before tools are listed or a turn is given some. */
  toolsReady?: () => Promise<void>;
  /** Returns true for the name of a tool that an owner has switched off for all conversations. */
  isToolOff?: (name: string) => boolean;
}

/** Tools that are made only when they are named or listed. */
export interface FurtherTools {
  find: (name: string) => Tool | undefined;
  all: () => readonly Tool[];
}

/** The time that providers may take to release what they hold, in milliseconds. */
const closeTime = 1_000;

/** The providers and tools of this process. */
export class Registry {
  readonly #registered: Registered;
  readonly #further: FurtherTools;
  readonly #attach: (provider: Provider) => void;
  readonly #attached = new WeakSet<Provider>();

  /** `further`: tools that are made only when they are named, and offered to no model otherwise. `attach`: called once with each provider. */
  constructor(
    registered: Registered,
    further: FurtherTools = { find: () => undefined, all: () => [] },
    attach: (provider: Provider) => void = () => {},
  ) {
    this.#registered = registered;
    this.#further = further;
    this.#attach = attach;
  }

  get providers(): readonly Provider[] {
    const providers = list(this.#registered.providers);
    for (const provider of providers) {
      if (this.#attached.has(provider)) continue;
      this.#attached.add(provider);
      this.#attach(provider);
    }
    return providers;
  }

  provider(id: string): Provider | undefined {
    return this.providers.find((provider) => provider.id === id);
  }

  /** Waits a moment for tools that are being started. */
  async toolsReady(): Promise<void> {
    await this.#registered.toolsReady?.();
  }

  /** Finds a tool by its name, or by another name that models know it by. */
  tool(name: string): Tool | undefined {
    const tools = list(this.#registered.tools);
    const named = tools.find((tool) => tool.name === name) ?? this.#further.find(name);
    const found = named ?? tools.find(({ aliases = [] }) => aliases.includes(name));
    return found && this.#marked(found);
  }

  /** All tools, with those that models get only on request. */
  get allTools(): Tool[] {
    return [...list(this.#registered.tools), ...this.#further.all()].map((tool) => this.#marked(tool));
  }

  #marked(tool: Tool): Tool {
    const isOff = tool.withheld === undefined && this.#registered.isToolOff?.(tool.name) === true;
    return isOff ? { ...tool, withheld: 'off' } : tool;
  }

  /** Describes to models the tools with these names, and those that a caller has described; all of them without names. None that is withheld. */
  describeTools(
    names: readonly string[] = list(this.#registered.tools).map(({ name }) => name),
    described: readonly ToolDescription[] = [],
  ): ToolDescription[] {
    const own = new Set(described.map(({ name }) => name));
    const registered = names.flatMap((name) => (own.has(name) ? [] : (this.tool(name) ?? [])));
    return describeTools([...registered.filter(({ withheld }) => withheld === undefined), ...described]);
  }

  /** Asks the providers that have offers for them. */
  offers(clock: Clock): Promise<OfferingProvider[]> {
    return askForOffers(this.providers, clock);
  }

  /** Closes the providers. Those that never finish are left behind. */
  async closeProviders(clock: Clock): Promise<void> {
    const closing = list(this.#registered.providers).map(async (provider) => provider.close?.());
    const { promise: patience, resolve: leave } = Promise.withResolvers<void>();
    const cancel = clock.after(closeTime, leave);
    await Promise.race([Promise.allSettled(closing), patience]);
    cancel();
  }
}

function list<T>(given: readonly T[] | (() => readonly T[])): readonly T[] {
  return typeof given === 'function' ? given() : given;
}
