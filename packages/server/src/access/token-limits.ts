/** The number of a kind that one token may have at once, and the number that may queue. */
export interface Limit {
  atOnce: number;
  waiting: number;
}

/** The kinds that are counted: requests, those that wait by their nature, streams and connections, and searches through all conversations. */
export type LimitedKind = 'requests' | 'waits' | 'streams' | 'searches';

export type Limits = Readonly<Record<LimitedKind, Limit>>;

/** The default limits: far above the needs of a person or a program, and low enough that no token is noticed by the others. */
const usualLimits: Limits = {
  requests: { atOnce: 64, waiting: 448 },
  waits: { atOnce: 1000, waiting: 0 },
  streams: { atOnce: 256, waiting: 0 },
  // Each is a request as well, so that no more of them wait than requests may.
  searches: { atOnce: 4, waiting: 64 },
};

/** Gives back a held place; calling it again does nothing. */
export type Release = () => void;

interface Line {
  held: number;
  waiting: ((release: Release) => void)[];
}

/** Counts what each token has open, so that one token never takes what another needs. A token that wants more waits, or is refused. */
export class TokenLimits {
  readonly #limits: Limits;
  readonly #lines = new Map<string, Line>();

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Takes a place, now or as soon as the token has one; `undefined` if too many wait for one already. */
  enter(token: string, kind: LimitedKind): Promise<Release> | undefined {
    const { atOnce, waiting } = this.#limits[kind];
    const key = `${kind} ${token}`;
    const line = this.#lines.get(key) ?? { held: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.held < atOnce) return Promise.resolve(this.#hold(key, line));
    if (line.waiting.length >= waiting) return undefined;
    return new Promise((resolve) => line.waiting.push(resolve));
  }

  /** Takes a place at once; `undefined` if the token has none left. */
  take(token: string, kind: LimitedKind): Release | undefined {
    const line = this.#lines.get(`${kind} ${token}`);
    if (line !== undefined && line.held >= this.#limits[kind].atOnce) return undefined;
    const taken = line ?? { held: 0, waiting: [] };
    this.#lines.set(`${kind} ${token}`, taken);
    return this.#hold(`${kind} ${token}`, taken);
  }

  /** Returns the number of places a token has taken. */
  held(token: string, kind: LimitedKind): number {
    return this.#lines.get(`${kind} ${token}`)?.held ?? 0;
  }

  #hold(key: string, line: Line): Release {
    line.held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      line.held -= 1;
      const next = line.waiting.shift();
      if (next !== undefined) next(this.#hold(key, line));
      else if (line.held === 0) this.#lines.delete(key);
    };
  }
}
