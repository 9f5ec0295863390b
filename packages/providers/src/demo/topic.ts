import type { Reading } from './reading.ts';
import type { Script } from './script.ts';

/** A subject of the demo, found by a keyword in the user's message. */
export interface Topic {
  /** A prompt that leads to it, as `help` shows it. */
  example: string;
  /** The effect, as `help` shows it. */
  description: string;
  pattern: RegExp;
  write: (reading: Reading) => Script;
}
