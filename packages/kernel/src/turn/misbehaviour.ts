import type { z } from 'zod';
import { describeProblems } from '@loom/blocks';

/** More than this much of a foreign message helps no reader. */
const longestMessage = 2_000;

/** Describes a thrown value in words, whatever it was. */
export function describeThrown(thrown: unknown): string {
  return shorten(messageOf(thrown));
}

/** Describes the problem with a value: `block.media_type must be a media type such as image/png`. */
export function describeMismatch(error: z.ZodError): string {
  return shorten(describeProblems(error));
}

/** Lets go of an answer that may be a promise though none was asked for: a rejection that nothing handles ends the process. */
export function disregard(answer: unknown): void {
  Promise.resolve(answer).catch(() => {});
}

function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return text === '' ? 'no reason was given' : text;
  } catch {
    return 'what was thrown cannot be read';
  }
}

function shorten(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}
