import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { generateParams, Random } from '@loom/kernel/testing';
import { z } from 'zod';
import { aimAt, grow, spoil } from '../testing/api-fuzz.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import { hasPatchForm, offeredTools } from './tools.ts';
import type { OfferedTool } from './tools.ts';

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const result = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.boolean().optional(),
});
const error = z.object({ code: z.int(), message: z.string() });
const message = z.object({ jsonrpc: z.literal('2.0'), result: z.unknown().optional(), error: error.optional() });
const problem = z.object({ ok: z.literal(false), problem: z.object({ reason: z.literal('not-json') }) });

/** Methods beside those of tools, with parameters that are nearly right. */
const methods = [
  'tools/list',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'ping',
  'initialize',
  'resources/subscribe',
  'x',
];

/** More in the deep run. */
const messages = Number(process.env['LOOM_MCP_MESSAGES'] ?? 500);
const messagesOfRound = 500;

test('[MC17] 500 messages from the schemas, half of them spoilt: no failure, no answer beside its schema, no pollution', async (t) => {
  const seed = Number(process.env['LOOM_SEED'] ?? 20_261_118);
  t.diagnostic(`LOOM_SEED=${seed}`);
  let tried = 0;
  for (const round of rounds((done) => done * messagesOfRound >= messages)) {
    const served = await serveLoom(t);
    const { taken, refused } = await fuzzTools(served, new Random(seed + round - 1));
    assert.ok(taken > 80 && refused > 20, `${taken} calls answered with a value, ${refused} refused`);
    assert.deepEqual(served.failures, []);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    tried = round * messagesOfRound;
  }
  tellTried(t, tried, 'messages from the schemas');
});

test('[MC17] the messages find a planted fault: an answer that is not what its row says', async (t) => {
  const served = await serveLoom(t);
  const liar = served.engine.operations.find(({ name }) => name === 'root.list') ?? assert.fail();
  t.mock.method(liar, 'run', async () => ({ ok: true, value: { items: 'none' } }));
  await assert.rejects(fuzzTools(served, new Random(1)));
});

async function fuzzTools(served: Served, random: Random): Promise<{ taken: number; refused: number }> {
  const tools = [...offeredTools(served.engine.operations).values()];
  const { root } = await served.requests.call('root.create', {});
  await grow(served, root, 0);
  let [taken, refused] = [0, 0];
  for (let count = 0; count < messagesOfRound; count += 1) {
    const offered = random.chance(0.8) ? random.pick(tools) : undefined;
    const text = JSON.stringify({ jsonrpc: '2.0', id: count, ...(await messageFor(served, root, random, offered)) });
    const sent = random.chance(0.5) ? spoil(random, text) : text;
    const answered = await ask(served, sent);
    if (answered === undefined || offered === undefined) continue;
    const { data } = result.safeParse(answered);
    if (data?.isError === true) refused += 1;
    else if (data !== undefined && sent === text) {
      taken += 1;
      check(offered, data['structuredContent'], text);
    }
  }
  return { taken, refused };
}

async function messageFor(
  served: Served,
  root: string,
  random: Random,
  offered: OfferedTool | undefined,
): Promise<object> {
  if (offered === undefined) {
    const params = {
      uri: `loom://conversations/${root}`,
      name: 'find_and_quote',
      arguments: { query: 'x' },
      cursor: 'x',
    };
    return { method: random.pick(methods), params };
  }
  const given = generateParams(random, offered.operation.params, await aimAt(served, root, random));
  return { method: 'tools/call', params: { name: offered.tool.name, arguments: given } };
}

/** Returns the result of a message, if it was taken; any response must be one of the protocol or of the guard. */
async function ask({ requests }: Served, body: string): Promise<unknown> {
  const response = await requests.fetch('/mcp', { method: 'POST', headers, body });
  const text = await response.text();
  const where = `${response.status} ${body.slice(0, 500)} ${text.slice(0, 500)}`;
  assert.ok(response.status < 500, where);
  if (response.status === 202) return undefined;
  const data = response.headers.get('content-type')?.startsWith('text/event-stream') === true ? lastEvent(text) : text;
  const value: unknown = JSON.parse(data);
  if (problem.safeParse(value).success) return undefined;
  const answered = z.union([message, z.array(message).min(1)]).safeParse(value);
  assert.ok(answered.success, where);
  const [first] = [answered.data].flat();
  assert.doesNotMatch(first?.error?.message ?? '', /Loom failed/u, where);
  return first?.result;
}

function lastEvent(text: string): string {
  return text.match(/(?<=^data: ).+$/gmu)?.at(-1) ?? assert.fail(text);
}

function check({ operation }: OfferedTool, content: unknown, where: string): void {
  if (hasPatchForm(operation)) return;
  const isList = operation.result instanceof z.ZodArray;
  const value = isList ? z.object({ items: z.unknown() }).parse(content).items : content;
  assert.equal(operation.result.safeParse(value).error, undefined, where);
}
