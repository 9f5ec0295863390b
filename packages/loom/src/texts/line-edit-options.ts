import { describeProblems } from '@loom/blocks';
import type { LineOperation } from '@loom/blocks';
import { kernelOperations } from '@loom/kernel';
import type { Call } from '../command-line/command.ts';
import { LoomError, UsageError } from '../command-line/failure.ts';
import { readLineRange, type Lines } from './line-range.ts';
import { readNumber, textOption } from './number-option.ts';
import { readText } from './text-input.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** Returns the operations on the lines of a text, once their number is known. */
export type LineEdit = (lineCount: number) => LineOperation[];

/** Parses `--replace`, `--insert`, `--delete` and `--ops`, of which one is given, and the options that go with each. */
export async function readLineEdit({ options, terminal }: Call): Promise<LineEdit> {
  const [kind, ...others] = kinds.filter((name) => options.has(name));
  if (kind === undefined) {
    throw new UsageError('missing-argument', 'loom edit-lines needs --replace, --insert, --delete or --ops', {
      advice: `Such as: ${suggest('edit-lines node-3 --replace 2 --with "a better line"')}`,
    });
  }
  if (others.length > 0) {
    throw new UsageError('bad-option', `--${kind} and --${others.join(', --')} exclude each other`, {
      advice: 'Several operations in one call are given with --ops.',
    });
  }
  refuseOthers(options, kind, 'with', kind === 'replace' || kind === 'insert');
  refuseOthers(options, kind, 'expect', kind === 'replace' || kind === 'delete');
  const value = textOption(options, kind) ?? '';
  const content = (): Promise<string> => readContent(options, kind, terminal);
  switch (kind) {
    case 'insert': {
      const line = value === 'end' ? undefined : readNumber(value);
      if (line === undefined && value !== 'end') {
        throw new UsageError('bad-option', `--insert needs a line, or end, not ${JSON.stringify(value)}`, {
          advice: 'Lines count from 0; what is inserted goes before that line.',
        });
      }
      const text = await content();
      return (count) => [{ op: 'insert', line: line ?? count, content: text }];
    }
    case 'delete': {
      const place = placeIn(readLineRange(kind, value), expectation(options));
      return (count) => [{ op: 'delete', ...place(count) }];
    }
    case 'replace': {
      const place = placeIn(readLineRange(kind, value), expectation(options));
      const text = await content();
      return (count) => [{ op: 'replace', ...place(count), content: text }];
    }
    case 'ops': {
      const operations = readOperations(await readText(value, 'The operations', terminal));
      return () => operations;
    }
  }
}

const kinds = ['replace', 'insert', 'delete', 'ops'] as const;
type Kind = (typeof kinds)[number];

function refuseOthers(options: Call['options'], kind: Kind, name: string, isAllowed: boolean): void {
  if (isAllowed || !options.has(name)) return;
  throw new UsageError('bad-option', `--${name} does not go with --${kind}`, {
    advice: kind === 'ops' ? 'Each operation of --ops says that itself.' : 'See loom edit-lines --help.',
  });
}

async function readContent(options: Call['options'], kind: Kind, terminal: Call['terminal']): Promise<string> {
  const text = textOption(options, 'with');
  if (text !== undefined) return text === '-' ? readText('-', 'The new lines', terminal) : text;
  throw new UsageError('missing-argument', `--${kind} needs --with <text>, or --with - to read it from standard input`);
}

function expectation(options: Call['options']): { expected_text?: string } {
  const text = textOption(options, 'expect');
  return text === undefined ? {} : { expected_text: text };
}

function placeIn({ start, end }: Lines, expected: { expected_text?: string }) {
  return (count: number) => ({ start_line: start, end_line: end ?? Math.max(start, count), ...expected });
}

/** Operations as `block.edit` takes them. */
function readOperations(text: string): LineOperation[] {
  const operations = parseJson(text);
  if (areOperations(operations)) return operations;
  const problem = problemOf(operations) ?? '';
  throw new LoomError('invalid-params', `the operations cannot be used: ${problem}`, { advice: shape });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LoomError('invalid-params', 'the operations are not valid JSON', { advice: shape, cause });
  }
}

/** The tool's own schema decides. */
function problemOf(operations: unknown): string | undefined {
  const params = kernelOperations.find(({ name }) => name === 'block.edit')?.params;
  const error = params?.safeParse({ block_id: 'any', operations }).error;
  return error && describeProblems(error);
}

function areOperations(value: unknown): value is LineOperation[] {
  return problemOf(value) === undefined;
}

const shape = 'They look like [{"op": "replace", "start_line": 3, "end_line": 5, "content": "new lines"}].';
