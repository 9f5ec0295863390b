import assert from 'node:assert/strict';
import type { Operation } from '@loom/kernel';
import { generateParams } from '@loom/kernel/testing';
import type { Aim, Random } from '@loom/kernel/testing';
import { z } from 'zod';
import type { Served } from './served-loom.ts';

/** Values that JSON can carry and few programs expect, as they are written. */
const hostileTexts = [
  'null',
  'true',
  '-1',
  '1e999',
  '-0',
  '1.5',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '[]',
  '[[]]',
  '{}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":{"polluted":1}}',
  '"__proto__"',
  '"../../etc/passwd"',
  '"forest"',
  `"${'x'.repeat(50_000)}"`,
  '['.repeat(90) + ']'.repeat(90),
  '{"type":"text"}',
  '{"type":"tool-use","id":""}',
];

const answered = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: z.unknown(), cursor: z.unknown().optional() }),
  z.strictObject({
    ok: z.literal(false),
    refusal: z.looseObject({ reason: z.string() }).exactOptional(),
    problem: z.strictObject({ reason: z.literal('not-json') }).exactOptional(),
    message: z.string(),
  }),
]);

/** The counts of a run, so that a test can see that it was worth something. */
export interface FuzzReport {
  calls: number;
  taken: number;
  /** Operations that answered with a value at least once. */
  reached: Set<string>;
}

/** Calls every operation with parameters of its schema, half of them with one place spoilt, and holds each answer against its row. */
export async function fuzzOperations(served: Served, random: Random, calls: number): Promise<FuzzReport> {
  const { engine, requests } = served;
  const operations = engine.operations.filter(
    // Waiting for the end of a turn takes as long as that does.
    ({ doors, name }) => doors.includes('http') && name !== 'turn.wait' && name !== 'token.revoke',
  );
  const report: FuzzReport = { calls: 0, taken: 0, reached: new Set() };
  const roots: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { root } = await requests.call('root.create', {});
    roots.push(root);
    await grow(served, root, count);
  }
  for (; report.calls < calls; report.calls += 1) {
    const operation = random.pick(operations) ?? assert.fail();
    const root = random.pick(roots) ?? '';
    if (random.chance(0.1)) {
      // An undo or a redo may have deleted it, too.
      await requests.post('/api/v1/root.restore', { root });
      await grow(served, root, report.calls);
    }
    const aim = await aimAt(served, root, random);
    const text = JSON.stringify(generateParams(random, operation.params, aim));
    const sent = random.chance(0.5) ? spoil(random, text) : text;
    const response = await requests.fetch(`/api/v1/${operation.name}`, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/json' },
    });
    const where = `${operation.name} ${sent.slice(0, 500)}: ${response.status}`;
    assert.ok(response.status < 500, where);
    // A conversation that is deleted refuses almost everything.
    if (['root.remove', 'block.purge'].includes(operation.name)) await requests.post('/api/v1/root.restore', { root });
    check(operation, answered.parse(await response.json()), response.status, where, report);
  }
  return report;
}

function check(
  operation: Operation,
  answer: z.infer<typeof answered>,
  status: number,
  where: string,
  report: FuzzReport,
): void {
  if (!answer.ok) {
    const { reason = '' } = answer.refusal ?? {};
    const known: readonly string[] = operation.refusals;
    return assert.ok(status >= 400 && (answer.problem !== undefined || known.includes(reason)), `${where} ${reason}`);
  }
  assert.equal(status, 200, where);
  const { error } = operation.result.safeParse(answer.value);
  assert.equal(error, undefined, where);
  report.taken += 1;
  report.reached.add(operation.name);
}

/** Adds a few messages, so that there is something to aim at. */
export async function grow({ requests }: Served, root: string, count: number): Promise<void> {
  const said = { role: 'user' as const, content: `message ${count}\nof two lines` };
  await requests.call('node.append', {
    parent: root,
    messages: [said, { role: 'assistant', content: 'an answer' }, said],
  });
}

export async function aimAt({ engine }: Served, root: string, random: Random): Promise<Aim> {
  const state = await engine.forest.log(root).state();
  const seen = [...state.nodes.values()].filter(({ deleted }) => deleted !== true);
  const nodes = seen.map(({ id }) => id);
  const blocks = seen.flatMap((node) => node.blocks.flatMap(({ block_id: block }) => block ?? []));
  const node = (): string => random.pick(nodes) ?? `${root}/node-1`;
  return {
    id: (kind) => {
      if (kind === 'root') return root;
      if (kind === 'block') return random.pick(blocks) ?? `${root}/@person/1`;
      return kind === 'place' && random.chance(0.3) ? root : node();
    },
    named: {
      provider: () => 'demo',
      model: () => 'demo',
      turn: () => random.pick([...state.turns.keys()]) ?? 'turn',
      agent: () => 'person',
      messages: () => [{ role: 'user', content: random.pick(['one', 'two\nlines', 'hello', 'é 😀']) }],
      n: () => 1,
      tools: () => [],
      max_rounds: () => 1,
    },
    text: () => random.pick(['one', 'two\nlines', '', '😀', 'node-1']) ?? '',
  };
}

/** Puts something hostile in the place of one value, or cuts the text. */
export function spoil(random: Random, text: string): string {
  if (random.chance(0.05)) return text.slice(0, random.below(text.length));
  const values = [...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null)(?=[,\]}])/gu)];
  const chosen = random.pick(values);
  const other = random.pick(hostileTexts) ?? 'null';
  if (chosen === undefined) return random.chance(0.5) ? other : text.replace(/\}$/u, ',"colour":1}');
  return `${text.slice(0, chosen.index)}${other}${text.slice(chosen.index + chosen[0].length)}`;
}
