import type { LongOutput } from '@loom/blocks';

/** The number of lines shown of a longer output until the reader wants all. */
const firstLines = 10;

/** A stretch of a program's output. */
export interface OutputPart {
  readonly text: string;
  readonly isError: boolean;
}

export interface ShownOutput {
  readonly parts: readonly OutputPart[];
  /** The number of all lines, hidden ones included. */
  readonly lines: number;
  readonly isCut: boolean;
}

/** Returns the output of a program as it is shown: all of it, or its first lines. */
export function shownOutput(parts: readonly OutputPart[], showsAll: boolean): ShownOutput {
  const shown: OutputPart[] = [];
  let lines = 0;
  let isCut = false;
  for (const { text, isError } of parts) {
    // A final end of line begins no line.
    const own = text.replace(/\n$/u, '').split('\n');
    const room = showsAll ? own.length : Math.max(0, firstLines - lines);
    if (room > 0) shown.push({ text: own.slice(0, room).join('\n'), isError });
    isCut ||= own.length > room;
    lines += own.length;
  }
  return { parts: shown, lines, isCut };
}

/** Returns the part of an output that is at hand: the beginning of a long one. */
export function presentText(output: string | LongOutput | undefined): string {
  return typeof output === 'object' ? output.preview : (output ?? '');
}
