/** A log of which more was acknowledged than is there. */
export interface Loss {
  /** The last change that had been acknowledged. */
  seq: number;
  /** The epoch of the lost log, as far as is known. */
  epoch?: string;
}

/** Knows the logs of which something is gone that had been acknowledged, until a person has said that they know. */
export interface LossPort {
  /** The losses by the name of the log; `seq` is the last change that had been acknowledged. */
  readonly lost: ReadonlyMap<string, Loss>;
  /** Stops reporting them, also by a Loom that does not know the op for it. Returns their number. */
  acknowledge(): Promise<number>;
}

/** The port of a store that has lost nothing, as far as anyone knows. */
export const noLosses: LossPort = { lost: new Map(), acknowledge: () => Promise.resolve(0) };
