import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { cleanObject, cleanString, copyJson, isPlainObject, plainObject } from '@loom/blocks';
import { seedOfRun } from '@loom/blocks/testing/corpus';
import { rootOp } from '../../op.ts';
import { generateParams } from '../../testing/operation-params.ts';
import { Random } from '../../testing/random.ts';
import { createSchemaCopier } from './schema-copier.ts';

const random = new Random(seedOfRun());
const aim = {
  id: (): string => 'root-1/node-1',
  named: {
    block_id: () => 'root-1/@a/1',
    agent: () => 'a',
    blob: () => `sha256:${'0'.repeat(64)}`,
    before: () => `sha256:${'1'.repeat(64)}`,
    after: () => `sha256:${'2'.repeat(64)}`,
    media_type: () => 'image/png',
  },
  text: (): string => random.pick(['a', 'x y', '█', '😀', 'a\0b', 'lone \ud800', ' ']) ?? 'a',
};

test('[LO21] what a copier makes of random ops, whole and spoilt, is what the schema makes of them, in the same order of keys, and shares nothing', () => {
  const copy = createSchemaCopier(rootOp);
  const counts = { copied: 0, accepted: 0, refused: 0 };
  for (const option of rootOp.options) {
    for (let round = 0; round < 300; round += 1) {
      const whole: unknown = generateParams(random, option, aim);
      const value = round % 2 === 0 ? whole : spoil(whole);
      const expected = bySchema(rootOp, value);
      const copied = copy(value);
      if (expected === undefined) counts.refused += 1;
      else counts.accepted += 1;
      if (copied === undefined) continue;
      counts.copied += 1;
      assert.ok(expected !== undefined, JSON.stringify(value));
      assert.deepStrictEqual(copied, expected);
      assert.equal(JSON.stringify(copied), JSON.stringify(expected));
      assertApart(copied, value);
    }
  }
  assert.ok(counts.refused > 500 && counts.copied > 0.8 * counts.accepted, JSON.stringify(counts));
});

test('[LO21] every rule of a schema that a copier does not know is left to the schema', () => {
  const schema = z.strictObject({
    even: z.number().multipleOf(2).exactOptional(),
    short: z.string().max(3).exactOptional(),
    loud: z.string().toUpperCase().exactOptional(),
    trimmed: z.string().trim().exactOptional(),
    loose: z.looseObject({ a: cleanString }).exactOptional(),
    several: z.union([cleanString, z.number(), z.array(z.boolean())]).exactOptional(),
    counts: z.record(z.string(), z.int()).exactOptional(),
    pair: z.tuple([z.int(), z.string()]).exactOptional(),
    rest: z.tuple([z.int()], z.string()).exactOptional(),
    date: z.iso.datetime().exactOptional(),
    clean: cleanObject.exactOptional(),
    plain: plainObject.exactOptional(),
    defaulted: z.string().default('x'),
  });
  const copy = createSchemaCopier(schema);
  const values = [
    1,
    2,
    'ab',
    'abcd',
    ' a ',
    { a: 'x\0', b: 1 },
    { a: 1 },
    [true],
    [1, 'a'],
    [1, 'a', 'b'],
    { 'k\0': 'v\0' },
  ];
  for (const key of Object.keys(schema.shape)) {
    for (const value of values) {
      const copied = copy({ [key]: value });
      if (copied !== undefined) assert.deepStrictEqual(copied, bySchema(schema, { [key]: value }), key);
    }
  }
  assert.equal(copy({ even: 3 }), undefined);
  assert.equal(copy({ unknown: 1 }), undefined);
});

test('[LO21] a value that JSON cannot hold, or that is nested too deep, is never copied', () => {
  const copy = createSchemaCopier(z.strictObject({ value: z.unknown(), of: plainObject }));
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  assert.notEqual(copy({ value: nested(900), of: {} }), undefined);
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const value of [nested(1000), Number.NaN, 1n, new Date(0), () => 1, Array(1), new Map(), cycle])
    for (const params of [
      { value, of: {} },
      { value: 1, of: { value } },
    ])
      assert.equal(copy(params), undefined);
});

function bySchema<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const copied = copyJson(value);
  return copied.ok ? schema.safeParse(copied.value).data : undefined;
}

/** Replaces something in a value, or adds an unknown key. */
function spoil(value: unknown): unknown {
  if (random.chance(0.15)) return random.pick(odd);
  if (Array.isArray(value)) return value.map((part: unknown) => (random.chance(0.5) ? spoil(part) : part));
  if (!isPlainObject(value)) return random.chance(0.2) ? random.pick(odd) : value;
  const entries = Object.entries(value).map(([key, part]) => [key, random.chance(0.3) ? spoil(part) : part]);
  if (random.chance(0.1)) entries.push(['more', 1]);
  if (random.chance(0.1)) entries.push(['absent', undefined]);
  return Object.fromEntries(entries);
}

const odd = [
  '',
  'a\ud800',
  '\0',
  undefined,
  null,
  Number.NaN,
  -0,
  0,
  -1,
  1.5,
  2 ** 53,
  true,
  [],
  {},
  [undefined],
  { a: 1 },
];

/** No object of one is part of the other. */
function assertApart(copied: unknown, value: unknown): void {
  if (typeof copied !== 'object' || copied === null) return;
  assert.notEqual(copied, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(copied)) assertApart(part, Reflect.get(value, key));
}
