import { stableDeepEqual } from '@loom/blocks';
import type { SourceInfo } from '../node-metadata.ts';

/** The part of a turn that is mostly the same as in the turn before. */
interface TurnManner {
  readonly provider: string;
  readonly model: string;
  readonly settings: Record<string, unknown>;
  readonly tools: readonly string[];
  readonly maxRounds: number;
  readonly holder: string;
}

/**
 * One copy of values that keep coming again. Every change that is read from a log brings its own, and a state that is made of
 * a hundred thousand changes would keep them all.
 */
export class SharedValues {
  readonly #agents = new Map<string, string>();
  readonly #sources = new Map<string, SourceInfo>();
  #manner: TurnManner | undefined;

  agent(id: string): string {
    const known = this.#agents.get(id);
    if (known !== undefined) return known;
    this.#agents.set(id, id);
    return id;
  }

  /** A source, or the last one of its kind if that says the same. */
  source(source: SourceInfo): SourceInfo {
    const key = source.type === 'model' ? `${source.provider} ${source.model_name}` : source.type;
    const known = this.#sources.get(key);
    if (known !== undefined && stableDeepEqual(known, source)) return known;
    this.#sources.set(key, source);
    return source;
  }

  /** Returns a turn's manner that shares the values it has in common with the last one. */
  turnManner(manner: TurnManner): TurnManner {
    const last = this.#manner;
    if (last === undefined) return (this.#manner = manner);
    const shared = {
      provider: share(last.provider, manner.provider),
      model: share(last.model, manner.model),
      settings: share(last.settings, manner.settings),
      tools: share(last.tools, manner.tools),
      maxRounds: manner.maxRounds,
      holder: share(last.holder, manner.holder),
    };
    return (this.#manner = shared);
  }
}

function share<T>(known: T, value: T): T {
  return stableDeepEqual(known, value) ? known : value;
}
