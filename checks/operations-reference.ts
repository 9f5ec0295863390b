import type { Operation } from '@loom/kernel';
import { z } from 'zod';

/** The reference of a table of operations, as Markdown. */
export function renderOperations(operations: readonly Operation[]): string {
  const groups = Map.groupBy(operations, ({ name }) => name.split('.')[0] ?? '');
  const sections = [...groups].flatMap(([noun, rows]) => [`## ${noun}`, ...rows.flatMap(renderOperation)]);
  return `${[...introduction, ...sections].join('\n\n')}\n`;
}

const introduction = [
  '# Operations',
  'All operations of Loom, generated from the table of operations by `npm run reference`. [The specification](../spec/operations.md) has the rules that apply to all of them.',
  "A call is `engine.call(name, caller, params)` in the library and `loom call <name> '<params>'` at the command line. It returns `{ok: true, value, cursor?}`, where `value` is the result below, or `{ok: false, refusal}`, where `refusal.reason` is one of the reasons listed. Ids of nodes and blocks start with the id of their conversation. A `?` marks an optional field; blocks and messages are defined in [the vocabulary](../guides/blocks.md).",
];

function renderOperation({ name, summary, params, result, refusals, effect, role, doors }: Operation): string[] {
  const rows = Object.entries<z.ZodType>(params.shape);
  const table = ['| parameter | type | meaning |', '| --- | --- | --- |', ...rows.map(renderParameter)].join('\n');
  return [
    `### ${name}`,
    summary,
    `${capital(effect)}; needs the role ${role}; offered at: ${doors.join(', ')}.`,
    ...(rows.length === 0 ? ['It takes no parameters.'] : [table]),
    `Result: \`${typeText(result)}\``,
    `Refused with: ${refusals.map((reason) => `\`${reason}\``).join(', ')}.`,
  ];
}

function renderParameter([name, schema]: [string, z.ZodType]): string {
  const mark = isOptional(schema) ? '?' : '';
  return `| \`${name}${mark}\` | \`${cell(typeText(schema))}\` | ${cell(schema.description ?? '')} |`;
}

/** Pipes end a cell of a table, in code too. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

/** The words for a whole number, and for a value without a known shape. */
export interface TypeWords {
  readonly integer: string;
  readonly unknown: string;
}

const wordsForPeople: TypeWords = { integer: 'integer', unknown: 'object' };

/** A type as TypeScript would write it, with the names of the vocabulary where it is that. */
export function typeText(schema: z.core.$ZodType, words: TypeWords = wordsForPeople): string {
  const text = (inner: z.core.$ZodType): string => typeText(inner, words);
  if (isOptional(schema)) return text(unwrapped(schema));
  if (schema instanceof z.ZodNullable) return `${text(schema.unwrap())} | null`;
  if (schema instanceof z.ZodReadonly) return text(schema.unwrap());
  if (schema instanceof z.ZodArray) return listOf(text(schema.element));
  if (schema instanceof z.ZodTuple) return tupleText(schema.def, text);
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(' | ');
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(' | ');
  if (schema instanceof z.ZodUnion) return unionText(schema.options, text);
  if (schema instanceof z.ZodObject) return objectText(schema.shape, text);
  if (schema instanceof z.ZodNumber) return schema.isInt ? words.integer : 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNull) return 'null';
  if (schema instanceof z.ZodString || schema instanceof z.ZodBase64) return 'string';
  return schema instanceof z.ZodUnknown ? 'unknown' : words.unknown;
}

type Write = (schema: z.core.$ZodType) => string;

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional) return schema.unwrap();
  return schema instanceof z.ZodDefault ? schema.unwrap() : schema;
}

function listOf(element: string): string {
  const isOne = /^\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}$/u.test(element);
  return /[ |]/u.test(element) && !isOne ? `(${element})[]` : `${element}[]`;
}

function tupleText(
  { items, rest }: { items: readonly z.core.$ZodType[]; rest: z.core.$ZodType | null },
  text: Write,
): string {
  // At least one, and then more of the same.
  if (rest !== null) return listOf(text(rest));
  return `[${items.map(text).join(', ')}]`;
}

function unionText(options: readonly z.core.$ZodType[], text: Write): string {
  return vocabularyName(options) ?? [...new Set(options.map(text))].join(' | ');
}

function objectText(shape: Readonly<Record<string, z.core.$ZodType>>, text: Write): string {
  const fields = Object.entries(shape).map(
    ([key, schema]) => `${key}${isOptional(schema) ? '?' : ''}: ${text(schema)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

/** Unions of many blocks or of messages are named, not written out. */
function vocabularyName(options: readonly z.core.$ZodType[]): string | undefined {
  const keys = options.map((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : []));
  if (keys.every((known) => known.includes('type') && known.includes('block_id'))) return 'ContentBlock';
  if (keys.every((known) => known.includes('role') && known.includes('content'))) return 'Message';
  return undefined;
}
