import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import { rootOfId } from './reading/block-place.ts';

/** The kinds of things that ids name; a place is a conversation or a node. */
export type IdKind = 'root' | 'node' | 'place' | 'block';

/** Knows which parameters are ids, so that the conversations of a call are found in one way for all operations. */
const kinds = z.registry<{ kind: IdKind; mayBeGone?: true }>();

function idOf(kind: IdKind): z.ZodString {
  return z.string().min(1).register(kinds, { kind });
}

export const rootId = idOf('root').describe('The id of a conversation.');
/** A conversation among many that a call is about: one that is gone does not concern the others. */
export const knownRootId = z
  .string()
  .min(1)
  .register(kinds, { kind: 'root', mayBeGone: true })
  .describe('The id of a conversation.');
export const nodeId = idOf('node').describe('The id of a node: a message at its place in the tree.');
export const placeId = idOf('place').describe('The id of a conversation or a node.');
export const blockId = idOf('block').describe('The id of a block, from block.list or block.create.');
/** A block that a client has known; a deleted conversation is not the client's mistake. */
export const knownBlockId = z
  .string()
  .min(1)
  .register(kinds, { kind: 'block', mayBeGone: true })
  .describe('The id of a block, from block.list or block.create.');

/** An id among parameters, and the conversation that it names. */
export interface NamedId {
  id: string;
  kind: IdKind;
  root: string;
  mayBeGone: boolean;
}

/** Returns the kind of id that a schema describes, if it describes one. */
export function idKind(schema: z.core.$ZodType): IdKind | undefined {
  return kinds.get(schema)?.kind;
}

/** Returns the kinds of ids that may be among parameters. */
export function idKinds(schema: z.core.$ZodType): Set<IdKind> {
  const kind = idKind(schema);
  if (kind !== undefined) return new Set([kind]);
  return new Set(holdsIds(schema) ? innerSchemas(schema).flatMap((inner) => [...idKinds(inner)]) : []);
}

/** The ids among parameters: the first of each conversation. */
export function idsNamed(schema: z.ZodType, params: unknown): NamedId[] {
  const firsts = new Map<string, NamedId>();
  for (const named of walk(schema, params)) if (!firsts.has(named.root)) firsts.set(named.root, named);
  return [...firsts.values()];
}

function* walk(schema: z.core.$ZodType, value: unknown): Generator<NamedId> {
  if (value === undefined || value === null || !holdsIds(schema)) return;
  const mark = kinds.get(schema);
  if (mark !== undefined) {
    if (typeof value !== 'string') return;
    const { kind, mayBeGone = false } = mark;
    yield { id: value, kind, root: kind === 'root' ? value : rootOfId(value), mayBeGone };
  } else if (schema instanceof z.ZodObject && isPlainObject(value)) {
    for (const [key, inner] of Object.entries<z.core.$ZodType>(schema.shape)) yield* walk(inner, value[key]);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const elements: readonly unknown[] = value;
    for (const element of elements) yield* walk(schema.element, element);
  } else if (schema instanceof z.ZodTuple && Array.isArray(value)) {
    for (const [index, item] of schema.def.items.entries()) yield* walk(item, value[index]);
  } else if (!isContainer(schema)) {
    for (const inner of innerSchemas(schema)) yield* walk(inner, value);
  }
}

const known = new WeakMap<z.core.$ZodType, boolean>();

/** Returns true if ids are anywhere in a schema. Blocks are in many, and hold none that an operation follows. */
function holdsIds(schema: z.core.$ZodType): boolean {
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  // Schemas may hold themselves; one that is being looked at has nothing to add.
  known.set(schema, false);
  const holds = kinds.get(schema) !== undefined || innerSchemas(schema).some(holdsIds);
  known.set(schema, holds);
  return holds;
}

function isContainer(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodArray || schema instanceof z.ZodTuple;
}

function innerSchemas(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values<z.core.$ZodType>(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodTuple) return schema.def.items;
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return [schema.unwrap()];
  return schema instanceof z.ZodReadonly || schema instanceof z.ZodDefault ? [schema.def.innerType] : [];
}
