import * as fc from 'fast-check';
import type { LineOperation } from '../line-operation.ts';

/** Texts of few lines with every kind of ending, often without one at the end. */
export const anyLines = textOf(['\n', '\r\n']);

/** The same with `\n` alone. */
export const anyPlainLines = textOf(['\n']);

function textOf(breaks: readonly string[]): fc.Arbitrary<string> {
  const units = ['', '', 'a', 'b', 'é', '👩‍👩‍👧', ...(breaks.length > 1 ? ['\r'] : [])];
  const line = fc.tuple(
    fc.array(fc.constantFrom(...units), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.constantFrom(...breaks),
  );
  return fc.tuple(fc.array(line, { maxLength: 7 }), fc.boolean()).map(([lines, ended]) =>
    lines
      .map(([body, end]) => body + end)
      .join('')
      .replace(ended ? /$^/ : /\r?\n$/, ''),
  );
}

/** A batch for a text of so many lines: mostly possible, sometimes out of range, backwards or overlapping. */
export function anyOperations(
  text: string,
  lineCount: number,
  content: fc.Arbitrary<string>,
): fc.Arbitrary<LineOperation[]> {
  const raw = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const line = fc.nat(19).map((number) => (number === 0 ? lineCount + 1 : number % (lineCount + 1)));
  const operation = fc
    .record({
      kind: fc.nat(2),
      first: line,
      second: line,
      backwards: fc.nat(15),
      content,
      expectation: fc.nat(9),
      content2: content,
    })
    .map(({ kind, first, second, backwards, content, expectation, content2 }): LineOperation => {
      if (kind === 0) return { op: 'insert', line: first, content };
      const [start_line, end_line] = [first, second].sort((a, b) => (backwards === 0 ? b - a : a - b));
      const range = { start_line: start_line ?? 0, end_line: end_line ?? 0 };
      const actual = raw.slice(range.start_line, range.end_line).join('');
      const spellings = [
        actual,
        actual.replaceAll('\r\n', '\n'),
        actual.replace(/\r?\n$/, ''),
        `${actual}\n`,
        content2,
        `${actual}x`,
      ];
      const expected = spellings[expectation];
      const guard = expected === undefined ? {} : { expected_text: expected };
      return kind === 1 ? { op: 'delete', ...range, ...guard } : { op: 'replace', ...range, content, ...guard };
    });
  return fc.array(operation, { minLength: 1, maxLength: 4 });
}
