/** One atomic record of a log. */
export interface Change<Op> {
  seq: number;
  /** Milliseconds since 1970. */
  time: number;
  agent: string;
  turn?: string;
  /** Unique per log and agent: a repeat is answered with `result` instead of being done again. */
  request: string;
  result?: unknown;
  ops: Op[];
}
