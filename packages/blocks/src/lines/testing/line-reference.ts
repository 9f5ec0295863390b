import type { LineOperation } from '../line-operation.ts';

/**
 * The required result of a batch of line operations, worked out on a list of lines. Written apart from the code it judges.
 */
export type Verdict = { text: string } | { reason: string; indexes: number[] };

interface Line {
  body: string;
  end: string;
}

/** The text after the batch, or the reason for a refusal and the operations that may be named for it. */
export function judgeLineEdits(text: string, operations: readonly LineOperation[]): Verdict {
  const lines = cut(text);
  const spans = operations.map((operation) =>
    operation.op === 'insert' ? [operation.line, operation.line] : [operation.start_line, operation.end_line],
  );
  for (const [index, operation] of operations.entries()) {
    const [start = 0, end = 0] = spans[index] ?? [];
    if (start > lines.length || end > lines.length) return { reason: 'line-out-of-range', indexes: [index] };
    if (start > end) return { reason: 'invalid-params', indexes: [index] };
    if (operation.op === 'insert' || operation.expected_text === undefined) continue;
    const expected = operation.expected_text.replaceAll('\r\n', '\n');
    if (!acceptable(lines.slice(start, end)).includes(expected)) return { reason: 'text-mismatch', indexes: [index] };
  }
  const guilty = spans.flatMap(([start = 0, end = 0], later) =>
    spans.slice(0, later).some(([from = 0, to = 0]) => start < to && from < end) ? [later] : [],
  );
  if (guilty.length > 0) return { reason: 'invalid-params', indexes: guilty };

  const result: Line[] = [];
  let written = '';
  for (let at = 0; at <= lines.length;) {
    for (const [index, operation] of operations.entries()) {
      const [start, end] = spans[index] ?? [];
      if (start !== at || end !== at || operation.op === 'delete') continue;
      const neighbour = lines[at - 1]?.end || lines[at - 2]?.end || (at === 0 ? lines[0]?.end : '') || '';
      result.push(...renew(operation.content, [], neighbour));
      written = operation.content || written;
    }
    const covering = spans.findIndex(([start, end = 0]) => start === at && end > at);
    const operation = operations[covering];
    if (operation === undefined) {
      const kept = lines[at];
      if (kept !== undefined) result.push({ ...kept });
      at += 1;
      continue;
    }
    const end = spans[covering]?.[1] ?? at;
    const ends = lines.slice(at, end).flatMap((line) => (line.end === '' ? [] : [line.end]));
    const neighbour = ends.at(-1) ?? lines[at - 1]?.end ?? '';
    if (operation.op !== 'delete') result.push(...renew(operation.content, ends, neighbour));
    at = end;
  }

  for (const [index, line] of result.entries()) {
    const next = result[index + 1];
    if (next !== undefined && line.end === '') line.end = lines.at(-2)?.end || next.end || '\n';
  }
  const last = result.at(-1);
  const unended = text === '' ? !written.endsWith('\n') : !text.endsWith('\n');
  if (last !== undefined && unended && last.body !== '') last.end = '';
  return { text: result.map((line) => line.body + line.end).join('') };
}

function cut(text: string): Line[] {
  return (text.match(/[^\n]*\n|[^\n]+/g) ?? []).map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? '';
    return { body: line.slice(0, line.length - end.length), end };
  });
}

function renew(content: string, ends: readonly string[], neighbour: string): Line[] {
  const lines = cut(content);
  const own = lines[0]?.end || '\n';
  return lines.map((line, index) => ({ body: line.body, end: ends[index] ?? (neighbour || line.end || own) }));
}

/** Every spelling of the lines that counts as them, in `\n`. */
function acceptable(lines: readonly Line[]): string[] {
  if (lines.length === 0) return [''];
  const joined = lines.map((line) => line.body).join('\n');
  return [joined, `${joined}\n`];
}
