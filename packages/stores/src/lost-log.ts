/** A log of which more was acknowledged than is there. */
export interface LostLog {
  log: string;
  /** The last change that was acknowledged, as far as is known. */
  seq: number;
  /** The epoch of the log that is lost, as far as is known: another one in its place may be lost too. */
  epoch?: string;
  /** The last change that is there, in a store that can lose a part of a log; 0 if none is. */
  end?: number;
  /** An earlier process has found this, and something else may be in its place by now. */
  isKept?: boolean;
}
