import { Store } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';
import { toolList } from './model-answers.ts';
import type { ToolInfo } from './model-answers.ts';

/** The conversation and the model that tools are offered to. */
export interface ToolPlace {
  /** Absent for a conversation that is yet to be created. */
  readonly root?: string | undefined;
  /** The part of its config that tools depend on. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

interface ListedTools {
  readonly tools: readonly ToolInfo[];
  readonly failure: string | undefined;
}

type Ask = (name: string, params: unknown) => Promise<unknown>;

/** The tools that the chosen model is offered in the conversation on display, as the server says. */
export class OfferedTools {
  readonly listed = new Store<ListedTools>({ tools: [], failure: undefined });
  readonly #ask: Ask;
  readonly #place: () => ToolPlace;
  #key: string | undefined;
  #asking: Promise<void> = Promise.resolve();

  constructor(ask: Ask, place: () => ToolPlace) {
    this.#ask = ask;
    this.#place = place;
  }

  /** Asks again if the conversation, its config or the model has become another one. */
  readonly look = (): void => {
    const { root, config, provider, model } = this.#place();
    const key = JSON.stringify([root, config, provider, model]);
    if (key === this.#key || provider === undefined) return;
    this.#key = key;
    const params = { ...(root === undefined ? { config } : { root }), provider, model, limit: 1000 };
    this.#asking = this.#ask('tool.list', params).then(
      (answer) => this.#take(key, { tools: toolList.parse(answer).items, failure: undefined }),
      (error: unknown) => {
        // The next look asks again.
        if (this.#key === key) this.#key = undefined;
        this.#take(undefined, { tools: this.listed.getSnapshot().tools, failure: describeFailure(error) });
      },
    );
  };

  /** Asks again: servers may be ready by now, and tools switched on or off. */
  refresh(): void {
    this.#key = undefined;
    this.look();
  }

  /** Resolves once it is known which tools are offered, or that the server does not say. */
  async ready(): Promise<void> {
    this.look();
    await this.#asking;
  }

  /** The names of the tools that a turn is started with. */
  names(): string[] {
    return this.listed.getSnapshot().tools.flatMap(({ name, offered }) => (offered ? [name] : []));
  }

  #take(key: string | undefined, listed: ListedTools): void {
    if (this.#key === key) this.listed.set(listed);
  }
}
