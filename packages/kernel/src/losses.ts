/** Knows the logs of which something is gone that had been acknowledged, until a person has said that they know. */
export interface LossPort {
  /** The losses by the name of the log; `seq` is the last change that had been acknowledged. */
  readonly lost: ReadonlyMap<string, { seq: number }>;
  /** Stops reporting them, also by a Loom that does not know the op for it. Returns their number. */
  acknowledge(): Promise<number>;
}

/** The port of a store that has lost nothing, as far as anyone knows. */
export const noLosses: LossPort = { lost: new Map(), acknowledge: () => Promise.resolve(0) };
