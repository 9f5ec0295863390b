import { lineCount } from '@loom/blocks';
import { refuse } from '../../../refusal.ts';
import type { Refused } from '../../../refusal.ts';

/** The whole of a text was to be replaced, and it is not what the caller took it for. */
export function refuseOtherText(actual: string, expected: string): Refused {
  return refuse({ reason: 'text-mismatch', expected, actual, start_line: 0, end_line: lineCount(actual) });
}
