import type { Reading } from './reading.ts';
import type { Script } from './script.ts';

/** Something that the demo can talk about, found by a keyword in what the person said. */
export interface Topic {
  /** What to type to get there, as `help` shows it. */
  example: string;
  /** What one gets to see, as `help` shows it. */
  description: string;
  pattern: RegExp;
  write: (reading: Reading) => Script;
}
