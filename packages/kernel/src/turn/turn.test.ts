import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { deniedText, interruptedText } from '@loom/blocks';
import type { Message, MessageBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { call, say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../testing/world.ts';
import type { World } from '../testing/world.ts';
import { progressOf } from '../forest/reading/progress.ts';

const request = (world: World) => ({ agent: 'person', id: world.ids.next() });
const textOf = (blocks: readonly MessageBlock[]) =>
  blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
const shape = async (world: World) =>
  (await world.nodes()).map(
    (node) => `${node.role}${node.tool === undefined ? '' : `(${node.tool})`} ${textOf(node.blocks)}`,
  );
const texts = (messages: readonly Message[] | undefined) =>
  (messages ?? []).map((message) => `${message.role}: ${textOf(message.content)}`);

/** A script that stops in the middle until it is told to go on. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

async function* haltingAnswer(before: string, waiting: Promise<void>, after: string): AsyncGenerator<ProviderEvent> {
  const [start, first, ...rest] = say(`${before}\n`, after);
  const [delta, second, ...end] = rest;
  for (const event of [start, first, delta]) if (event) yield event;
  await waiting;
  for (const event of [second, ...end]) if (event) yield event;
}

test('[TU1] an answer is streamed into one node whose text is exactly what was said', async () => {
  const world = await createWorld([say('Hel', 'lo,\n', ' wor', 'ld \n ')]);
  const turn = await world.answer(await world.say('hi'));
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(await shape(world), ['user hi', 'assistant Hello,\n world \n ']);
  const [, answer] = await world.nodes();
  assert.equal(answer?.blocks[0]?.status, 'done');
  assert.equal(answer.blocks[0].agent, 'scripted:one');
});

test('[TU2] usage and the reason for the end are stored once per call', async () => {
  const world = await createWorld([call(['1', 'echo', '{}']), say('done')], [echoTool('echo')]);
  await world.engine.turns.wait(await world.answer(await world.say('hi')));
  const sources = (await world.nodes()).flatMap(({ source }) => (source.type === 'model' ? [source] : []));
  assert.deepEqual(
    sources.map(({ finish_reason, usage }) => [finish_reason, usage?.input_tokens]),
    [
      ['tool-use', 20],
      ['stop', 10],
    ],
  );
});

test('[TU3] calls are answered by a chain of tool nodes in call order, whatever ends first', async () => {
  const slow = gate();
  const tools = [
    echoTool('slow', 'run', async () => {
      await slow.opened;
      return { content: [{ type: 'text', text: 'slow one' }] };
    }),
    echoTool('quick'),
  ];
  const world = await createWorld([call(['1', 'slow', '{}'], ['2', 'quick', '{"a":1}']), say('both')], tools);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).includes('tool(result) echo {"a":1}'));
  assert.deepEqual((await shape(world)).slice(2), ['tool(running) ', 'tool(result) echo {"a":1}']);
  slow.open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual((await shape(world)).slice(2), [
    'tool(result) slow one',
    'tool(result) echo {"a":1}',
    'assistant both',
  ]);
  assert.deepEqual(texts(world.provider.requests[1]?.messages), [
    'user: go',
    'assistant: thinking|tool-use|tool-use',
    'tool: slow one',
    'tool: echo {"a":1}',
  ]);
});

test('[TU4] unknown tools, malformed arguments and failing tools give error results, and the turn goes on', async () => {
  const failing = echoTool('failing', 'run', () => Promise.reject(new Error('out of paper')));
  const world = await createWorld(
    [call(['1', 'nobody', '{}'], ['2', 'failing', '{}'], ['3', 'failing', '{"cut']), say('oh')],
    [failing],
  );
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  const results = (await shape(world)).slice(2, 5);
  assert.equal(results[0], 'tool(error) There is no tool named nobody. The tools of this turn are: failing.');
  assert.equal(results[1], 'tool(error) The tool failing failed: out of paper');
  assert.match(results[2] ?? '', /^tool\(error\) The arguments are not a JSON object/);
  assert.deepEqual(world.ran, ['failing {}']);
});

test('[TU5] the number of calls of the model is limited, and the last calls are still answered', async () => {
  const world = await createWorld([call(['1', 'echo', '{}']), call(['2', 'echo', '{}'])], [echoTool('echo')]);
  assert.equal(
    await world.engine.turns.wait(await world.answer(await world.say('go'), { maxRounds: 2 })),
    'max-rounds',
  );
  assert.deepEqual((await shape(world)).at(-1), 'tool(result) echo {}');
});

test('[TU6] an aborted turn keeps its text as stopped, and nothing is written after its end', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('first line', opened, 'never seen')]);
  const node = await world.say('go');
  const turn = await world.answer(node);
  await until(async () => (await shape(world)).some((line) => line.includes('first line')));
  assert.ok((await world.engine.turns.abort(request(world), world.root, turn)).ok);
  open();
  assert.ok([undefined, 'stopped'].includes(await world.engine.turns.wait(turn)));
  const [, answer] = await world.nodes();
  assert.deepEqual([answer?.blocks[0]?.status, answer?.blocks[0]?.error?.code], ['error', 'stopped']);
  assert.equal(answer && progressOf(answer), undefined, 'nothing has gone wrong');
  assert.deepEqual((await shape(world)).at(-1), 'assistant first line\n');
  const { seq } = await world.state();
  await until(async () => (await world.state()).seq === seq);
  assert.equal((await world.engine.turns.abort(request(world), world.root, turn)).ok, false);
});

test('[TU7] a call that needs approval waits for a person; its exact arguments are what is approved', async () => {
  const world = await createWorld([call(['1', 'shell', '{"rm": 1}']), say('ok')], [echoTool('shell', 'ask')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).includes('tool(waiting) '));
  const node = (await world.nodes()).find((candidate) => candidate.tool === 'waiting')?.id ?? '';
  const decide = (type: 'person' | 'other', exact: string) =>
    world.engine.turns.decide({ ...request(world), type }, world.root, {
      node,
      decision: 'approved',
      arguments: exact,
    });
  const byModel = await decide('other', '{"rm": 1}');
  const otherArguments = await decide('person', '{"rm":1}');
  assert.deepEqual(
    [byModel, otherArguments].map((outcome) => !outcome.ok && outcome.refusal.reason),
    ['not-permitted', 'call-changed'],
  );
  assert.deepEqual(world.ran, []);
  assert.ok((await decide('person', '{"rm": 1}')).ok);
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(world.ran, ['shell {"rm": 1}']);
  const again = await decide('person', '{"rm": 1}');
  assert.equal(again.ok, false);
});

test('[TU8] a denied call gets a fixed result and never runs; a question is answered by its person', async () => {
  const tools = [echoTool('shell', 'ask'), echoTool('ask', 'question')];
  const world = await createWorld([call(['1', 'shell', '{}'], ['2', 'ask', '{}']), say('ok')], tools);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).filter((line) => line === 'tool(waiting) ').length === 2);
  const [shell, ask] = (await world.nodes()).filter((node) => node.tool === 'waiting').map(({ id }) => id);
  const person = { agent: 'person', type: 'person' as const };
  await world.engine.turns.decide({ ...person, id: 'a' }, world.root, {
    node: shell ?? '',
    decision: 'denied',
    arguments: '{}',
  });
  await world.engine.turns.decide({ ...person, id: 'b' }, world.root, {
    node: ask ?? '',
    decision: 'answered',
    arguments: '{}',
    text: 'blue',
  });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual((await shape(world)).slice(2, 4), [`tool(denied) ${deniedText}`, 'tool(result) blue']);
  assert.deepEqual(world.ran, ['ask {}']);
});

test('[TU9] a steering message is heard after the current round, a queued one after the turn', async () => {
  const { opened, open } = gate();
  const slow = echoTool('slow', 'run', async () => {
    await opened;
    return { content: [{ type: 'text', text: 'r' }] };
  });
  const world = await createWorld([call(['1', 'slow', '{}']), say('as you wish'), say('next')], [slow]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).includes('tool(running) '));
  const block = (text: string) => [{ type: 'text' as const, text }];
  assert.ok((await world.engine.turns.steer(request(world), world.root, turn, block('faster'))).ok);
  assert.ok((await world.engine.turns.queue(request(world), world.root, turn, block('and then?'))).ok);
  open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  await until(async () => (await shape(world)).at(-1) === 'assistant next');
  assert.deepEqual((await shape(world)).slice(2), [
    'tool(result) r',
    'user faster',
    'assistant as you wish',
    'user and then?',
    'assistant next',
  ]);
  assert.equal((await world.state()).waiting.size, 0);
  const late = await world.engine.turns.steer(request(world), world.root, turn, block('too late'));
  assert.equal(!late.ok && late.refusal.reason, 'turn-ended');
});

test('[TU49] a message that waits is given back alone, once; the others stay', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('one', opened, 'two'), say('next')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).some((line) => line.includes('one')));
  const block = (text: string) => [{ type: 'text' as const, text }];
  assert.ok((await world.engine.turns.queue(request(world), world.root, turn, block('first'))).ok);
  assert.ok((await world.engine.turns.queue(request(world), world.root, turn, block('second'))).ok);
  const [message = ''] = (await world.state()).waiting.keys();
  const back = await world.engine.turns.withdraw(request(world), world.root, message);
  assert.deepEqual(back.ok && back.value, { kind: 'queue', blocks: block('first') });
  const again = await world.engine.turns.withdraw(request(world), world.root, message);
  assert.equal(!again.ok && again.refusal.reason, 'message-taken');
  open();
  await world.engine.turns.idle();
  assert.deepEqual(await shape(world), ['user go', 'assistant one\ntwo', 'user second', 'assistant next']);
});

test('[TU24] an abort gives back the messages that waited, and nothing goes on', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('one', opened, 'two'), say('never asked for')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).some((line) => line.includes('one')));
  const block = (text: string) => [{ type: 'text' as const, text }];
  assert.ok((await world.engine.turns.steer(request(world), world.root, turn, block('faster'))).ok);
  assert.ok((await world.engine.turns.queue(request(world), world.root, turn, block('and then?'))).ok);
  const asked = request(world);
  const aborted = await world.engine.turns.abort(asked, world.root, turn);
  const returned = [
    { kind: 'steer', blocks: block('faster') },
    { kind: 'queue', blocks: block('and then?') },
  ];
  assert.deepEqual(aborted.ok && aborted.value, { returned });
  assert.deepEqual(
    await world.engine.turns.abort(asked, world.root, turn),
    aborted,
    'a repeated request has the same answer',
  );
  open();
  await world.engine.turns.wait(turn);
  await world.another({ exclusive: true }).recover(world.root);
  assert.deepEqual(await shape(world), ['user go', 'assistant one\n']);
  const { waiting, liveTurns } = await world.state();
  assert.deepEqual([waiting.size, liveTurns.size, world.provider.requests.length], [0, 0, 1]);
});

test('[TU10] nothing else can be appended below what a live turn writes', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('one', opened, 'two')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.nodes()).length === 2);
  const place = (await world.nodes()).at(-1)?.id ?? '';
  await assert.rejects(world.say('me too', place), /"turn-live".*"above"/);
  open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  await world.say('now I can', place);
});

test('[TU11] what goes wrong in a call is an error block: after the text, or alone if nothing was said', async () => {
  const failure: ProviderEvent = { type: 'call-error', error: { code: 'overloaded', message: 'later' } };
  const world = await createWorld([
    [...say('so far').slice(0, 3), failure],
    [{ type: 'call-start' }, failure],
    [{ type: 'call-start' }],
  ]);
  for (const expected of ['error', 'error', 'error']) {
    assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), expected);
  }
  const answers = (await world.nodes()).filter((node) => node.role === 'assistant');
  assert.deepEqual(
    answers.map(({ blocks }) => textOf(blocks)),
    ['so far|error', 'error', 'error'],
  );
  assert.deepEqual(
    answers.map(({ blocks }) => blocks.at(-1)?.type === 'error' && blocks.at(-1)),
    [answers[0]?.blocks[1], answers[1]?.blocks[0], answers[2]?.blocks[0]],
  );
  assert.equal(answers[0]?.blocks[0]?.error?.code, 'interrupted');
});

test('[TU12] several answers are turns of one batch, each its own node, without tools', async () => {
  const world = await createWorld([say('same'), say('same'), say('other')], [echoTool('echo')]);
  const node = await world.say('go');
  const outcome = await world.engine.turns.generate(request(world), world.root, {
    node,
    provider: 'scripted',
    model: 'one',
    tools: ['echo'],
    n: 3,
  });
  assert.ok(outcome.ok);
  await Promise.all(outcome.value.turns.map((turn) => world.engine.turns.wait(turn)));
  const state = await world.state();
  assert.equal(state.children.get(node)?.length, 3);
  assert.equal(new Set([...state.turns.values()].map(({ batch }) => batch)).size, 1);
  assert.deepEqual(
    world.provider.requests.map(({ tools }) => tools.length),
    [0, 0, 0],
  );
});

test('[TU13] after a crash text is kept as interrupted, started calls are answered, and no tool runs again', async () => {
  const { opened } = gate();
  const hanging = echoTool('hanging', 'run', async () => {
    await opened;
    return { content: [] };
  });
  const world = await createWorld(
    [() => haltingAnswer('partial', opened, ''), call(['1', 'hanging', '{}'])],
    [hanging],
  );
  const first = await world.say('one');
  await world.answer(first);
  await until(async () => (await shape(world)).some((line) => line.includes('partial')));
  await world.answer(await world.say('two', world.root));
  await until(() => world.ran.length === 1);
  const heir = world.another({ exclusive: true });
  await heir.recover(world.root);
  const state = await heir.forest.log(world.root).state();
  assert.equal(state.liveTurns.size, 0);
  const blocks = [...state.nodes.values()].flatMap((node) => node.blocks);
  assert.ok(blocks.every(({ status }) => status === 'done' || status === 'error'));
  assert.ok(
    blocks.some((block) => block.type === 'text' && block.text === 'partial\n' && block.error?.code === 'interrupted'),
  );
  assert.ok(blocks.some((block) => block.type === 'text' && block.text === interruptedText));
  assert.deepEqual(world.ran, ['hanging {}']);
});

test('[TU14] a lease keeps others from recovering a turn that is alive', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('alive', opened, 'still')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).some((line) => line.includes('alive')));
  await world.another().recover(world.root);
  assert.equal((await world.state()).liveTurns.size, 1);
  open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
});

test('[TU14] a lease that is just being renewed when its turn ends is not renewed any more', async () => {
  const [answer, renewal] = [gate(), gate()];
  const world = await createWorld([() => haltingAnswer('alive', answer.opened, 'still')]);
  const turn = await world.answer(await world.say('go'));
  const lease = world.store.lease.bind(world.store);
  let asked = 0;
  Reflect.set(world.store, 'lease', async (...given: Parameters<typeof lease>) => {
    asked += 1;
    await renewal.opened;
    return lease(...given);
  });
  world.clock.advance(6_000);
  assert.equal(asked, 1);
  answer.open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  renewal.open();
  for (let round = 0; round < 5; round += 1) {
    await until(async () => (await world.state()).liveTurns.size === 0);
    world.clock.advance(20_000);
  }
  assert.equal(asked, 1, 'no process could take over what a process that does not run it keeps for itself');
});

test('[TU15] a turn that waits for a person survives its process, and the process of the decision goes on with it', async () => {
  const world = await createWorld([call(['1', 'shell', '{}']), say('went on')], [echoTool('shell', 'ask')]);
  await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).includes('tool(waiting) '));
  const heir = world.another({ exclusive: true });
  await heir.recover(world.root);
  const node = (await world.nodes()).find((candidate) => candidate.tool === 'waiting')?.id ?? '';
  // An edit made meanwhile is for the next turn: the context is that of the turn's start.
  const outcome = await heir.turns.decide({ agent: 'person', id: 'd', type: 'person' }, world.root, {
    node,
    decision: 'approved',
    arguments: '{}',
  });
  assert.ok(outcome.ok);
  assert.equal(await heir.turns.wait(outcome.value.turn), 'done');
  assert.equal((await shape(world)).at(-1), 'assistant went on');
  assert.deepEqual(world.ran, ['shell {}']);
});

test('[TU16] a turn that another process has taken over can write no more', async () => {
  const { opened, open } = gate();
  const world = await createWorld([() => haltingAnswer('mine', opened, 'too late')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await shape(world)).some((line) => line.includes('mine')));
  const heir = world.another({ exclusive: true });
  await heir.recover(world.root);
  open();
  await until(async () => (await world.engine.turns.wait(turn)) === undefined);
  assert.deepEqual((await shape(world)).at(-1), 'assistant mine\n');
});

test('[TU17] streamed text is written at the latest 100 ms after its first character', async () => {
  const { opened, open } = gate();
  const world = await createWorld([
    async function* () {
      const [start, first, delta, ...end] = say('no line break');
      for (const event of [start, first, delta]) if (event) yield event;
      await opened;
      yield* end;
    },
  ]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.nodes()).length === 2);
  await until(() => world.provider.requests.length === 1);
  assert.equal((await shape(world)).at(-1), 'assistant ');
  world.clock.advance(100);
  await until(async () => (await shape(world)).at(-1) === 'assistant no line break');
  open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
});

test('[TU18] a request without room for its answer is refused, or clamped to what is left where that was asked for', async () => {
  const world = await createWorld([]);
  const node = await world.say('x'.repeat(20_000));
  const params = { node, provider: 'scripted', model: 'one', settings: { onNoRoom: 'fail' } };
  const refused = await world.engine.turns.generate(request(world), world.root, params);
  assert.ok(refused.ok);
  assert.equal(await world.engine.turns.wait(refused.value.turns[0] ?? ''), 'no-room');
  assert.equal(world.provider.requests.length, 0);
  const clamped = { ...params, settings: { on_no_room: 'clamp' } };
  const started = await world.engine.turns.generate(request(world), world.root, clamped);
  assert.ok(started.ok);
  await world.engine.turns.wait(started.value.turns[0] ?? '');
  assert.equal(world.provider.requests[0]?.maxTokens, 2_188);
});

test('[TU25] estimates are corrected by what was reported, and the documented settings are understood', async () => {
  const reporting = (input_tokens: number): ProviderEvent[] =>
    say('x').map((event) =>
      event.type === 'usage' ? { type: 'usage', usage: { input_tokens, output_tokens: 1 } } : event,
    );
  const world = await createWorld([reporting(6_000), reporting(7_200), say('z')]);
  // About 3,000 tokens of the 8,192 that the catalogue of the world knows.
  const node = await world.say('x'.repeat(10_000));
  const ask = async (settings: object) => {
    const place = (await world.nodes()).at(-1)?.id ?? node;
    const params = { node: place, provider: 'scripted', model: 'one', settings: { ...settings } };
    const started = await world.engine.turns.generate(request(world), world.root, params);
    assert.ok(started.ok);
    return world.engine.turns.wait(started.value.turns[0] ?? '');
  };
  assert.equal(await ask({ max_tokens: 100, on_no_room: 'fail', temperature: 1 }), 'done');
  await world.say('x'.repeat(2_000));
  assert.equal(await ask({ on_no_room: 'clamp' }), 'done');
  const [first, second] = world.provider.requests;
  assert.deepEqual([first?.maxTokens, first?.settings], [100, { temperature: 1 }]);
  const left = second?.maxTokens ?? 0;
  assert.ok(left > 0 && left < 8_192 - 6_000 - 1_000, `${left} tokens are left`);
  await world.say('x'.repeat(8_000));
  assert.equal(await ask({ on_no_room: 'fail' }), 'no-room');
});

test('[TU19] an edit during a tool round is absent from the next request of the turn and present in the next turn', async () => {
  const { opened, open } = gate();
  const slow = echoTool('slow', 'run', async () => {
    await opened;
    return { content: [{ type: 'text', text: 'r' }] };
  });
  const world = await createWorld([call(['1', 'slow', '{}']), say('second'), say('third')], [slow]);
  const asked = await world.say('original');
  const turn = await world.answer(asked);
  await until(async () => (await shape(world)).includes('tool(running) '));
  const block = (await world.state()).nodes.get(asked)?.blocks[0]?.block_id ?? '';
  const splices = [{ at: 0, delete: 8, insert: 'edited' }];
  const edited = await world.engine.forest.change(request(world), world.root, z.null(), () => ({
    ok: true,
    ops: [{ type: 'text', block, splices, unit: 'u', client: 2 }],
    value: null,
  }));
  assert.ok(edited.ok);
  open();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  await world.engine.turns.wait(await world.answer(await world.say('again')));
  assert.deepEqual(
    world.provider.requests.map(({ messages }) => textOf(messages[0]?.content ?? [])),
    ['original', 'original', 'edited'],
  );
});
