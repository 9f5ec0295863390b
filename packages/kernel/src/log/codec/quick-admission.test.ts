import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { rootOp } from '../../op.ts';
import { admitQuickly } from './quick-admission.ts';

const odd = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    'a\ud800',
    '\0',
    'text',
    'stdout',
    undefined,
    null,
    Number.NaN,
    -0,
    -1,
    1.5,
    2 ** 53,
    true,
    [],
    {},
  ),
  fc.integer(),
);
const splice = fc.record({ at: odd, delete: odd, insert: odd }, { requiredKeys: [] });
const goodSplice = fc.record({ at: fc.nat(), delete: fc.nat(), insert: fc.string() });
const append = {
  type: fc.constant('text-appended'),
  block: fc.string(),
  field: fc.constant('text'),
  text: fc.string(),
};
const edit = { type: fc.constant('text'), block: fc.string(), unit: fc.string(), client: fc.integer() };

const anyOp = fc.oneof(
  fc.record({ ...append, unit: fc.string() }),
  fc.record({ ...edit, splices: fc.array(goodSplice, { maxLength: 2 }) }),
  fc.record({ ...edit, splices: fc.array(goodSplice, { maxLength: 2 }), update: fc.string() }),
  fc.record({ ...append, field: odd, text: odd, unit: odd, more: odd }, { requiredKeys: ['type'] }),
  fc.record(
    { ...edit, splices: fc.array(fc.oneof(splice, odd)), client: odd, update: odd, more: odd },
    { requiredKeys: ['type'] },
  ),
);

test('[LO21] what is admitted quickly is what the schema returns, and shares nothing with what came', () => {
  let quick = 0;
  const check = (value: unknown): void => {
    if (!isOp(value)) return;
    const admitted = admitQuickly(value);
    if (admitted === undefined) return;
    quick += 1;
    const parsed = rootOp.safeParse(value);
    assert.ok(parsed.success);
    assert.deepStrictEqual(admitted, parsed.data);
    assert.notEqual(admitted, value);
    if ('splices' in value && 'splices' in admitted) assert.notEqual(admitted.splices[0], value.splices[0]);
  };
  fc.assert(fc.property(anyOp, check), { numRuns: 3_000 });
  assert.ok(quick > 500, `${quick} were admitted quickly`);
});

/** Callers without types are believed. */
function isOp(_value: unknown): _value is Parameters<typeof admitQuickly>[0] {
  return true;
}
