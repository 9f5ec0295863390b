import { Store } from '../stores/store.ts';
import { NotLoadedError } from './lazily.ts';
import { whenBack } from './when-back.ts';

/** The state of a part; both fields are absent while it is on its way, or was not asked for. */
interface PartState<Shown> {
  readonly Shown?: Shown;
  readonly failure?: NotLoadedError;
}

/** A part that is loaded when it is needed: once, however often it is asked for. After a failure it can be tried again. */
export class LatePart<Shown> {
  readonly state = new Store<PartState<Shown>>({});
  readonly #fetch: (isAhead: boolean) => Promise<Shown>;
  #loading: Promise<boolean> | undefined;

  constructor(fetch: (isAhead: boolean) => Promise<Shown>) {
    this.#fetch = fetch;
  }

  /** Loads the part; resolves to true if it is there. `isAhead`: nobody waits for it yet. */
  load({ isAhead = false }: { isAhead?: boolean } = {}): Promise<boolean> {
    this.#loading ??= this.#fetch(isAhead).then(
      (Shown) => {
        this.state.set({ Shown });
        return true;
      },
      (error: unknown) => {
        this.#loading = undefined;
        this.state.set({ failure: error instanceof NotLoadedError ? error : new NotLoadedError(false, error) });
        whenBack(this.tryAgain);
        return false;
      },
    );
    return this.#loading;
  }

  /** Lets the component that shows it ask again. By the time that the server is known to be back, a reader may have had it loaded. */
  readonly tryAgain = (): void => {
    if (this.state.getSnapshot().failure?.isAway === true) this.state.set({});
  };
}
