import { UsageError } from '../command-line/failure.ts';
import { readNumber } from './number-option.ts';

/** Lines counted from 0, the end exclusive; without an end, up to the last line. */
export interface Lines {
  start: number;
  end?: number;
}

/**
 * The lines that a person means: `3:5` as in most programs, which are 3 and 4; `3-5` as people count, which are 3, 4 and 5;
 * `3` alone; and `3:` or `:5` up to an end of the text.
 */
export function readLineRange(option: string, text: string): Lines {
  const [, first = '', separator, last = ''] = /^(\d*)(?:([:-])(\d*))?$/.exec(text) ?? [];
  const start = first === '' && separator === ':' ? 0 : readNumber(first);
  const end = last === '' ? undefined : readNumber(last);
  const isComplete = end !== undefined || last === '';
  if (start === undefined || !isComplete || (separator === '-' && end === undefined)) {
    throw new UsageError('bad-option', `--${option} needs lines such as 3:5, not ${JSON.stringify(text)}`, {
      advice: 'Lines count from 0: 3:5 are lines 3 and 4, 3-5 are 3, 4 and 5, 3 is one line, 3: goes to the end.',
    });
  }
  if (separator === undefined) return { start, end: start + 1 };
  if (end === undefined) return { start };
  const exclusive = separator === '-' ? end + 1 : end;
  if (exclusive < start) throw new UsageError('bad-option', `--${option} ${text} ends before it begins`);
  return { start, end: exclusive };
}
