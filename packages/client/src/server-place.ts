/** The address of a server, and the token that opens it. */
export interface ServerPlace {
  /** `http://127.0.0.1:4177` */
  url: string;
  token: string;
}

/** Finds the server. `lost` is the place that did not answer, or did not let the client in, if that is why it is asked for again. */
export type Locate = (lost?: ServerPlace) => Promise<ServerPlace>;

/** Remembers where the server is until it was lost there. */
export class KnownPlace {
  readonly #locate: Locate;
  #place: Promise<ServerPlace> | undefined;
  #lost: ServerPlace | undefined;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  get(): Promise<ServerPlace> {
    if (this.#place !== undefined) return this.#place;
    const place = this.#locate(this.#lost);
    this.#place = place;
    place.catch(() => (this.#place = undefined));
    return place;
  }

  /**
   * Forgets the place: the server did not answer there, or did not let the client in, so the next attempt looks for it
   * again.
   */
  lose(place: ServerPlace): void {
    this.#lost = place;
    this.#place = undefined;
  }
}
