import { cleanText } from '@loom/blocks';
import type { RootOp } from '../../op.ts';

/**
 * The op as its schema would return it, if it is one of the two that come with every keystroke and every streamed word, and is right as
 * it stands; else `undefined`, and the schema decides. The schema takes several times as long.
 */
export function admitQuickly(op: RootOp): RootOp | undefined {
  if (op.type === 'text-appended') return admitAppend(op);
  return op.type === 'text' ? admitEdit(op) : undefined;
}

function admitAppend(op: Extract<RootOp, { type: 'text-appended' }>): RootOp | undefined {
  const { type, block, field, text, unit } = op;
  const isRight = isText(block) && fields.has(field) && isCleanText(text) && isText(unit) && countKeys(op) === 5;
  return isRight ? { type, block, field, text, unit } : undefined;
}

function admitEdit(op: Extract<RootOp, { type: 'text' }>): RootOp | undefined {
  const { type, block, splices: given, unit, client, update } = op;
  const splices = Array.isArray(given) && given.length === 1 ? admitSplices(given) : undefined;
  if (splices === undefined || !isText(block) || !isText(unit) || !Number.isSafeInteger(client)) return undefined;
  if (update === undefined) return countKeys(op) === 5 ? { type, block, splices, unit, client } : undefined;
  return isText(update) && countKeys(op) === 6 ? { type, block, splices, unit, client, update } : undefined;
}

type Splices = Extract<RootOp, { type: 'text' }>['splices'];

function admitSplices([splice]: Splices): Splices | undefined {
  if (typeof splice !== 'object' || splice === null) return undefined;
  const { at, delete: count, insert } = splice;
  const isRight = isCount(at) && isCount(count) && isCleanText(insert) && countKeys(splice) === 3;
  return isRight ? [{ at, delete: count, insert }] : undefined;
}

const fields: ReadonlySet<unknown> = new Set(['text', 'arguments', 'stdout', 'stderr']);

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCleanText(value: unknown): boolean {
  return typeof value === 'string' && cleanText(value) === value;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0);
}

function countKeys(value: object): number {
  return Object.keys(value).length;
}
