import { z } from 'zod';
import * as schemas from '../schemas.ts';
import type { Operation } from '../../operations/operation.ts';
import { patchAnswerSchema } from '../../operations/patch-answer.ts';
import { kernelOperations } from '../../operations/table.ts';

/** One field of a tool's parameters or result, as its JSON schema has it. */
export interface SchemaField {
  /** `range.start`; `[]` for the members of a list, `[insert]` for one of several forms of them. */
  path: string;
  type: string;
  optional: boolean;
  description: string;
  /** True if it may hold fields that the schema does not name. */
  open: boolean;
}

const jsonSchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().default(''),
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  required: z.array(z.string()).default([]),
  get items() {
    return z.union([jsonSchema, z.boolean()]).optional();
  },
  get prefixItems() {
    return z.array(jsonSchema).optional();
  },
  get oneOf() {
    return z.array(jsonSchema).optional();
  },
  enum: z.array(z.string()).optional(),
  const: z.unknown().optional(),
});
type JsonSchema = z.infer<typeof jsonSchema>;

/** The tools for blocks, as models are offered them. Reading a range of a long output is none of these. */
export const blockTools: readonly Operation[] = kernelOperations.filter(
  ({ name, doors }) => doors.includes('model') && name !== 'blob.read' && !name.startsWith('draft.'),
);

/** The parameters and results of all tools, including `block.subscribe`, which yields one patch after another. */
export const toolSchemas: readonly { name: string; params: z.ZodType; result: z.ZodType }[] = [
  ...blockTools.map(({ name, params, result }) => ({
    name,
    params,
    result: name === 'block.apply_patch' ? patchAnswerSchema() : result,
  })),
  { name: 'block.subscribe', params: schemas.subscribeParams(), result: schemas.blockPatch() },
];

/** Returns all fields of a schema, outer ones before inner ones. */
export function fieldsOf(schema: z.ZodType): SchemaField[] {
  const json = jsonSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return [...walk(json, '')];
}

function* walk(schema: JsonSchema, path: string): Generator<SchemaField> {
  const members = typeof schema.items === 'object' ? schema.items : undefined;
  if (members !== undefined) yield* walk(members, `${path}[]`);
  for (const form of schema.oneOf ?? []) {
    const name = z.string().parse(form.properties?.['op']?.const);
    yield* walk(form, path.replace(/\[\]$/, `[${name}]`));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = path === '' ? name : `${path}.${name}`;
    yield {
      path: inner,
      type: typeOf(property),
      optional: !schema.required.includes(name),
      description: property.description,
      open: property.type === 'object' && property.properties === undefined,
    };
    yield* walk(property, inner);
  }
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.prefixItems !== undefined) return `(${schema.prefixItems.map(typeOf).join(', ')})`;
  if (schema.type === 'array') return `[${typeof schema.items === 'object' ? typeOf(schema.items) : ''}]`;
  if (schema.oneOf !== undefined) return 'object';
  return schema.type ?? 'any';
}
