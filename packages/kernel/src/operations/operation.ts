import { z } from 'zod';
import type { LoomEngine } from './calling/engine.ts';
import type { Outcome, RefusalReason } from '../refusal.ts';
import { once } from '../once.ts';
import { idKinds } from '../forest/ids.ts';
import type { IdKind } from '../forest/ids.ts';

/**
 * The roles of callers, from less to more: a reader looks, an appender adds messages and blocks and alters nothing that is
 * there, a writer changes conversations and lets models answer, an owner may do everything.
 */
export const roles = ['reader', 'appender', 'writer', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The ways in. The library has every operation; the others have those that name them. */
export type Door = 'library' | 'command' | 'http' | 'mcp' | 'model';

/** The caller of an operation. The door sets it, never the caller. */
export interface Caller {
  /** The name under which changes are kept. */
  readonly agent: string;
  readonly type: 'person' | 'model' | 'tool' | 'importer' | 'filesystem' | 'loom';
  readonly role: Role;
  /** The conversations that it may use; all without. */
  readonly roots?: readonly string[];
  /** The id of this request: repeating one with the same id is done once and answered every time. */
  readonly id: string;
  /** The digest of the operation and its parameters: the id is bound to them. The engine sets it. */
  readonly digest?: string;
  readonly door: Door;
  /** The id of the token that the door let it in with, if it was one: things made with that token end with it. */
  readonly credential?: string;
  /** Given when the caller no longer waits for the answer: an operation that only reads may end early. */
  readonly signal?: AbortSignal;
}

/** The effect of an operation: it only looks, changes what is kept, or lets a model or a job work. */
export type Effect = 'reads' | 'changes' | 'runs';

/** One thing that can be asked of Loom. Every door is a loop over these. */
export interface Operation<
  Name extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
> {
  /** `<noun>.<verb>`, in snake_case. */
  readonly name: Name;
  /** A description in a sentence or two that serve as documentation at every door. */
  readonly summary: string;
  readonly params: Params;
  readonly result: Result;
  /** Every reason for which it may be refused. */
  readonly refusals: readonly RefusalReason[];
  readonly effect: Effect;
  /** The least role that may call it. */
  readonly role: Role;
  readonly doors: readonly Door[];
  /** True if its result has something in it that only the caller may ever see, and that is kept nowhere for long. */
  readonly isSecret: boolean;
  /** Does it. The parameters have been parsed, the caller may ask for it, and the conversations that it names are open. */
  run(engine: LoomEngine, caller: Caller, params: z.output<Params>): Promise<Outcome<z.output<Result>>>;
}

/**
 * The fields that a row states; the rest has a default. Its schemas are made when they are first asked for: a command needs
 * those of one or two rows.
 */
interface Row<Name extends string, Params extends z.ZodObject, Result extends z.ZodType> extends Pick<
  Operation<Name, Params, Result>,
  'name' | 'summary' | 'effect' | 'run'
> {
  readonly params: () => Params;
  readonly result: () => Result;
  /** Reasons beside those that every operation has. */
  readonly refusals?: readonly RefusalReason[];
  /** The role needed; by default a reader may read and a writer may do the rest. */
  readonly role?: Role;
  /** Beside the library; by default the command and HTTP. */
  readonly doors?: readonly Exclude<Door, 'library'>[];
  /** Default: false. */
  readonly isSecret?: boolean;
}

/** Reasons that any operation may have, before it is run. */
const commonRefusals: readonly RefusalReason[] = ['invalid-params', 'not-permitted'];

/** Reasons of operations with ids of these kinds. */
const missing: Record<IdKind, RefusalReason> = {
  root: 'root-not-found',
  place: 'root-not-found',
  node: 'node-not-found',
  block: 'block-not-found',
};

/** Reasons that any operation may have that writes. */
const writingRefusals: readonly RefusalReason[] = ['root-deleted', 'request-reused'];

/** A row of the table of operations. */
export function defineOperation<const Name extends string, Params extends z.ZodObject, Result extends z.ZodType>({
  refusals = [],
  effect,
  role = effect === 'reads' ? 'reader' : 'writer',
  doors = ['command', 'http'],
  isSecret = false,
  ...row
}: Row<Name, Params, Result>): Operation<Name, Params, Result> {
  const params = once(row.params);
  const result = once(row.result);
  return {
    ...row,
    get params() {
      return params();
    },
    get result() {
      return result();
    },
    get refusals() {
      const missed = [...idKinds(params())].map((kind) => missing[kind]);
      const unwritten = effect === 'reads' ? [] : writingRefusals;
      return [...new Set([...commonRefusals, ...missed, ...unwritten, ...refusals])];
    },
    effect,
    role,
    doors: ['library', ...doors],
    isSecret,
  };
}

/** The parameters and the result of each operation of a table, by its name. */
export type Calls<Table extends readonly Operation[]> = {
  [Row in Table[number] as Row['name']]: { params: z.input<Row['params']>; result: z.output<Row['result']> };
};

/** The parameters of an operation as a JSON schema. */
export function parametersOf({ params }: Operation): Record<string, unknown> {
  return jsonSchemaOf(params);
}

export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  // A parameter that takes any JSON object has a check that says so better than a schema can; the schema has its type.
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** The name of an operation where dots are not allowed: for MCP and for models. */
export function flatName(name: string): string {
  return name.replaceAll('.', '_');
}
