import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { withChecksum } from './log/checked-text.ts';
import { rootCodec } from './log/codec/root-codec.ts';
import { formatOfChange } from './op-format.ts';
import { forestOp, rootOp } from './op.ts';
import type { ForestOp, RootOp } from './op.ts';
import { generateParams } from './testing/operation-params.ts';
import { Random } from './testing/random.ts';

// The ops that the last Loom before format 3 could read, as JSON Schemas made from its own schemas.
const schemas = z
  .strictObject({ root: z.looseObject({}), forest: z.looseObject({}) })
  .parse(JSON.parse(readFileSync(new URL('testing/fixtures/ops-format-2.json', import.meta.url), 'utf8')));

const random = new Random(Number(process.env['LOOM_SEED'] ?? 1));
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
  text: (): string => random.pick(['a', 'x y', '█', '😀']) ?? 'a',
};

/** Random ops of every type, as many as the schema takes out of so many. */
function* sample<Op>(union: { options: readonly z.ZodObject[] } & z.ZodType<Op>, perType: number): Generator<Op> {
  for (const option of union.options) {
    let found = 0;
    for (let attempt = 0; attempt < perType; attempt += 1) {
      const parsed = union.safeParse(generateParams(random, option, aim));
      if (!parsed.success) continue;
      found += 1;
      yield parsed.data;
    }
    assert.ok(found > 0, `no op like ${JSON.stringify(generateParams(random, option, aim))} was made`);
  }
}

test('[LO30] a change needs the newer number exactly if the Loom before it could not read one of its ops', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const [readsRoot, readsForest] = [ajv.compile(schemas.root), ajv.compile(schemas.forest)];
  const counts = { 2: 0, 3: 0 };
  const judge = (op: RootOp | ForestOp, isOld: boolean): void => {
    const format = formatOfChange({ ops: [op] });
    assert.equal(format, isOld ? 2 : 3, JSON.stringify(op));
    counts[isOld ? 2 : 3] += 1;
  };
  for (const op of sample<RootOp>(rootOp, 150)) judge(op, readsRoot(op));
  for (const op of sample<ForestOp>(forestOp, 20)) judge(op, readsForest(op));
  assert.ok(counts[2] > 500 && counts[3] > 500, JSON.stringify(counts));
});

const started = {
  type: 'turn-started' as const,
  turn: 'turn-1',
  node: 'root-1/node-1',
  provider: 'demo',
  model: 'demo',
  settings: {},
  tools: [],
  max_rounds: 1,
  holder: 'h',
};
const lateFields: RootOp[] = [
  { ...started, beyond_limits: true },
  { type: 'turn-ended', turn: 'turn-1', reason: 'limit' },
  { type: 'node-changed', node: 'root-1/node-1', set: { ask: { kind: 'ask', preview: [], modes: ['edit'] } } },
];

test('[LO30] fields that came late to the step need the newer number, too, which the Loom before it refuses', () => {
  const readsRoot = new Ajv2020({ strict: false, validateFormats: false }).compile(schemas.root);
  for (const op of lateFields) {
    assert.ok(rootOp.safeParse(op).success, JSON.stringify(op));
    assert.deepEqual([formatOfChange({ ops: [op] }), readsRoot(op)], [3, false], JSON.stringify(op));
  }
});

test('[LO30] what only a later Loom knows is refused with a code, in every place of an op, and never read without it', () => {
  const ended = { type: 'turn-ended', turn: 'turn-1', reason: 'done' };
  const read = (op: object): unknown => {
    const change = { seq: 1, time: 1, agent: 'a', request: 'r', ops: [op] };
    return rootCodec.decode(withChecksum(JSON.stringify(change)));
  };
  read(ended);
  read(started);
  const asking = { type: 'node-changed', node: 'root-1/node-1', set: { ask: { kind: 'ask', preview: [], later: 1 } } };
  const unknown = [
    { ...started, later: true },
    { ...ended, reason: 'later' },
    asking,
    { type: 'later', turn: 'turn-1' },
  ];
  for (const op of unknown) assert.throws(() => read(op), { code: 'store-corrupt' }, JSON.stringify(op));
});
