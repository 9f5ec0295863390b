import { isPlainObject } from '@loom/blocks';

/** A call of a tool that writes or reads texts, as its card tells it. */
export interface TextCall {
  /** The text that it is about; of a call that begins one, only its result says so. */
  readonly block: string | undefined;
  /** The lines that it changes, counted from 1, as far as its arguments say so. */
  readonly lines: { readonly first: number; readonly last: number } | undefined;
  /** The name of a draft that it begins. */
  readonly title: string | undefined;
}

/** Reads the arguments of a call. */
export function textCallOf(name: string, parameters: Readonly<Record<string, unknown>>): TextCall {
  const { block_id: block, title, operations, patch } = parameters;
  return {
    block: typeof block === 'string' ? block : undefined,
    title: typeof title === 'string' ? title : undefined,
    lines:
      name === 'block_edit' ? linesOfEdit(operations) : name === 'block_apply_patch' ? linesOfPatch(patch) : undefined,
  };
}

/** Words the lines of a call: `line 3`, `lines 3–5`. */
export function lineWords({ first, last }: NonNullable<TextCall['lines']>): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

/** Returns the version that an edit made, and the text that a call began, as its result says them. */
export function textResultOf(said: string): { version: number | undefined; block: string | undefined } {
  const read = parseJson(said);
  const { version, block_id: block } = isPlainObject(read) ? read : {};
  return {
    version: typeof version === 'number' ? version : undefined,
    block: typeof block === 'string' ? block : undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lines are those of the text before; an insertion stands at the line that it makes. */
function linesOfEdit(operations: unknown): TextCall['lines'] {
  if (!Array.isArray(operations)) return undefined;
  const spans = operations.flatMap((operation: unknown) => {
    if (!isPlainObject(operation)) return [];
    const { line, start_line: start, end_line: end } = operation;
    if (typeof line === 'number') return [{ first: line + 1, last: line + 1 }];
    if (typeof start !== 'number' || typeof end !== 'number') return [];
    return [{ first: start + 1, last: Math.max(start + 1, end) }];
  });
  return around(spans);
}

function linesOfPatch(patch: unknown): TextCall['lines'] {
  if (typeof patch !== 'string') return undefined;
  const hunks = patch.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gmu);
  return around(
    [...hunks].map(([, start = '1', length = '1']) => {
      const first = Math.max(1, Number(start));
      return { first, last: Math.max(first, first + Number(length) - 1) };
    }),
  );
}

function around(spans: readonly { first: number; last: number }[]): TextCall['lines'] {
  if (spans.length === 0) return undefined;
  const [first, last] = [Math.min(...spans.map((span) => span.first)), Math.max(...spans.map((span) => span.last))];
  return Number.isSafeInteger(first) && Number.isSafeInteger(last) ? { first, last } : undefined;
}
