import { isPlainObject } from '@loom/blocks';

/** Arguments as a person edits them. */
export function spelledOut(written: string): string {
  const value = parsed(written);
  return value === undefined ? written : JSON.stringify(value, null, 2);
}

/** Returns the problem with changed arguments, if there is one. */
export function argumentProblem(text: string): string | undefined {
  const value = parsed(text);
  if (value === undefined) return 'This is not JSON yet.';
  return isPlainObject(value) ? undefined : 'The arguments have to be a JSON object: { … }';
}

/** Returns true if changed arguments mean the same as those that were asked about. */
export function areSame(text: string, written: string): boolean {
  return JSON.stringify(parsed(text)) === JSON.stringify(parsed(written));
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
