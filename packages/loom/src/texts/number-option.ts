import type { Call } from '../command-line/command.ts';
import { UsageError } from '../command-line/failure.ts';

/** The value of an option as a whole number that is not below the smallest one allowed. */
export function numberOption(options: Call['options'], name: string, smallest: number): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  const number = readNumber(String(text));
  if (number !== undefined && number >= smallest) return number;
  throw new UsageError('bad-option', `--${name} needs a whole number from ${smallest} on, not ${JSON.stringify(text)}`);
}

/** A whole number as people write it, in digits only. */
export function readNumber(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? number : undefined;
}

/** The value of an option as text, if it is given. */
export function textOption(options: Call['options'], name: string): string | undefined {
  const text = options.get(name);
  return typeof text === 'string' ? text : undefined;
}
