import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoomEngine } from '../operations/calling/engine.ts';
import type { Caller } from '../operations/operation.ts';
import type { ProviderCall, ProviderRequest } from '../provider.ts';
import { say } from '../testing/scripted-provider.ts';
import type { Script } from '../testing/scripted-provider.ts';
import { createWorld, until } from '../testing/world.ts';
import type { World } from '../testing/world.ts';
import type { CallKeeping } from './call-records.ts';

/** Reverses bytes instead of compressing them, and knows one key. */
const keepCalls: CallKeeping = {
  decode: (bytes) => new TextDecoder().decode(bytes),
  compress: async (text) => new TextEncoder().encode(text).toReversed(),
  decompress: async (bytes) => new TextDecoder().decode(bytes.toReversed()),
  redact: async (text) => text.replaceAll('hunter2', '[key]'),
};

/** Says something after it has recorded its request, try by try. */
function recorded(answer: string, tries: [request: string, ...response: string[]][]): Script {
  return async function* (_request: ProviderRequest, call: ProviderCall) {
    const record = (part: 'request' | 'response', text: string): void =>
      call.record(part, new TextEncoder().encode(text));
    for (const [request, ...responses] of tries) {
      record('request', request);
      for (const response of responses) record('response', response);
    }
    yield* say(answer);
  };
}

async function start(...scripts: Script[]): Promise<World & { keeper: LoomEngine }> {
  const world = await createWorld(scripts);
  return { ...world, keeper: world.another({ keepCalls }) };
}

/** Says something and has it answered; the node of the answer. */
async function talk({ keeper, root, say: speak, ids }: World & { keeper: LoomEngine }, text: string): Promise<string> {
  const params = { node: await speak(text), provider: 'scripted', model: 'one' };
  const outcome = await keeper.turns.generate({ agent: 'person', id: ids.next() }, root, params);
  assert.ok(outcome.ok);
  await keeper.turns.wait(outcome.value.turns[0] ?? '');
  return outcome.value.nodes[0] ?? '';
}

const caller: Caller = { agent: 'person', type: 'person', role: 'owner', id: 'x', door: 'library' };

async function get(engine: LoomEngine, node: string) {
  const outcome = await engine.call('call.get', caller, { node });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

test('[IN1] what was sent and answered is kept try by try, without keys, and read back by the node that the call wrote', async () => {
  const world = await start(
    recorded('hello', [
      ['{"key":"hunter2"}', 'HTTP 529'],
      ['{"again":true}', 'data: h', 'éllo'],
    ]),
  );
  const node = await talk(world, 'hi');
  const { exchanges, rebuilt, nodes, model, previous } = await get(world.keeper, node);
  assert.deepEqual(exchanges, [
    { request: '{"key":"[key]"}', response: 'HTTP 529', cut: false },
    { request: '{"again":true}', response: 'data: héllo', cut: false },
  ]);
  assert.deepEqual([rebuilt, nodes, model, previous], [false, [node], 'one', undefined]);
  const elsewhere = world.another({ keepCalls, holder: 'third' });
  assert.deepEqual((await get(elsewhere, node)).exchanges, exchanges);
});

test('[IN1] the log says nothing of it, and a process that is not told how to keep calls keeps none', async () => {
  const world = await start(recorded('one', [['sent']]), recorded('two', [['sent']]));
  await talk(world, 'hi');
  const { seq } = await world.state();
  await world.keeper.records.idle();
  assert.equal((await world.state()).seq, seq);
  const turn = await world.answer(await world.say('and'));
  await world.engine.turns.wait(turn);
  assert.equal((await world.keeper.records.list(world.root)).length, 1);
});

test('[IN2] of a call more than 4 MB of requests, or of responses, are not kept, and that is said', async () => {
  const long = 'x'.repeat(3 * 1024 * 1024);
  const world = await start(recorded('hello', [[long, 'short'], [long], ['more', 'end']]));
  const { exchanges } = await get(world.keeper, await talk(world, 'hi'));
  assert.deepEqual(
    exchanges.map(({ request, response, cut }) => [request.length, response, cut]),
    [
      [3 * 1024 * 1024, 'short', false],
      [1024 * 1024, '', true],
      [0, 'end', true],
    ],
  );
});

test('[IN2] the last 20 calls of a conversation are kept, and together not more than 16 MB', async () => {
  const world = await start(...Array.from({ length: 22 }, (_, index) => recorded('a', [[`sent ${index}`]])));
  const nodes: string[] = [];
  for (let index = 0; index < 22; index += 1) nodes.push(await talk(world, `say ${index}`));
  const listed = await world.keeper.call('call.list', caller, { root: world.root });
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.items.flatMap((item) => item.nodes),
    nodes.slice(2),
  );
  const kept = await world.store.readProjection(world.root, 'calls');
  assert.equal(kept?.parts.length, 21);
  assert.equal((await get(world.keeper, nodes[1] ?? '')).rebuilt, true);
  assert.equal((await get(world.keeper, nodes[2] ?? '')).exchanges[0]?.request, 'sent 2');
});

test('[IN2] calls that take much room push out older ones', async () => {
  const long = 'x'.repeat(4 * 1024 * 1024);
  const world = await start(...Array.from({ length: 4 }, () => recorded('a', [[long]])));
  for (let index = 0; index < 4; index += 1) await talk(world, `say ${index}`);
  // Each takes 4 MB and a third.
  assert.equal((await world.keeper.records.list(world.root)).length, 2);
});

test('[IN3] where a call is not kept any more it is made again from the path, and says so', async () => {
  const world = await start(say('first'), say('second'));
  const [first, second] = [await talk(world, 'one'), await talk(world, 'two')];
  const { exchanges, rebuilt, previous } = await get(world.keeper, second);
  assert.deepEqual([rebuilt, previous], [true, first]);
  const { messages, systemPrompt, model } = world.provider.requests[1] ?? {};
  const [exchange] = exchanges;
  assert.deepEqual(JSON.parse(exchange?.request ?? ''), { model, systemPrompt, messages, tools: [], settings: {} });
  assert.match(exchange?.response ?? '', /"text":"second"/);
});

test('[IN3] a node that no model wrote is refused, with the answers to it', async () => {
  const world = await start(say('first'));
  const answer = await talk(world, 'one');
  const node = (await world.nodes())[0]?.id ?? '';
  const refused = await world.keeper.call('call.get', caller, { node });
  assert.ok(!refused.ok);
  assert.deepEqual(refused.refusal, {
    reason: 'not-by-model',
    node,
    answers: [answer],
    next: { type: 'choose', ids: [answer] },
  });
});

test('[IN4] a response without a request, and a keeper that fails, hurt nothing', async () => {
  const world = await start(
    async function* (_request, call) {
      call.record('response', new Uint8Array(3));
      yield* say('fine');
    },
    recorded('two', [['sent']]),
  );
  const node = await talk(world, 'hi');
  assert.equal((await get(world.keeper, node)).exchanges[0]?.response, '\0\0\0');
  const failing = world.another({ keepCalls: { ...keepCalls, compress: () => Promise.reject(new Error('full')) } });
  const again = await talk({ ...world, keeper: failing }, 'again');
  assert.equal((await get(failing, again)).rebuilt, true);
});

test('[OP24] what a call sent is compared with what the one before on its branch did; the first one is new as a whole', async () => {
  const world = await start(
    recorded('one', [['{"messages":["hi"]}']]),
    recorded('two', [['{"messages":["lost"]}'], ['{"messages":["hi","more"]}']]),
  );
  const first = await talk(world, 'hi');
  const second = await talk(world, 'more');
  const diff = async (node: string) => world.keeper.call('call.diff', caller, { node });
  const later = await diff(second);
  assert.ok(later.ok);
  assert.deepEqual([later.value.previous, later.value.rebuilt], [first, false]);
  assert.equal(later.value.request, '{\n  "messages": [\n    "hi",\n    "more"\n  ]\n}\n');
  assert.match(later.value.diff, /-    "hi"\n\+    "hi",\n\+    "more"\n/u);
  const begun = await diff(first);
  assert.ok(begun.ok && begun.value.previous === undefined);
  assert.match(begun.value.diff, /^--- \/dev\/null\n\+\+\+ .*\n@@ -0,0 \+1,5 @@\n/u);
  const wrong = await diff((await world.nodes())[0]?.id ?? '');
  assert.equal(wrong.ok ? '' : wrong.refusal.reason, 'not-by-model');
});

test('[PU27] a model that was asked before a purge leaves no trace of the purged words: no kept call and no title', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = async function* (_request, call) {
    yield { type: 'call-start' };
    call.record('request', new TextEncoder().encode('a title for my SECRET'));
    await promise;
    yield* say('All about SECRET').slice(1);
  };
  const world = await start(recorded('hello', [['my SECRET']]), script);
  const { keeper, root, provider } = world;
  await talk(world, 'my SECRET');
  await keeper.records.idle();
  assert.equal((await keeper.records.list(root)).length, 1);
  const params = { root, provider: 'scripted', model: 'cheap' };
  const suggested = keeper.call('root.suggest_title', { ...caller, id: 'title' }, params);
  await until(() => provider.requests.length === 2);
  const purge = { blocks: [`${root}/@person/1`], confirmed: true };
  assert.ok((await keeper.call('block.purge', { ...caller, id: 'purge' }, purge)).ok);
  resolve();
  const outcome = await suggested;
  assert.deepEqual(outcome.ok && outcome.value, { failure: 'what it was made of is gone' });
  assert.equal((await world.state()).title, undefined);
  await keeper.records.idle();
  assert.deepEqual(await keeper.records.list(root), []);
  await keeper.close();
});
