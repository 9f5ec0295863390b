import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedText, interruptedText } from '@loom/blocks';
import type { AssistantBlock, Message } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest } from '@loom/kernel';
import { instantClock } from '@loom/kernel/testing';
import { inspectEvents } from '../testing/event-rules.ts';
import { callWith, collectEvents, requestSaying, saying } from '../testing/streams.ts';
import { playTurn } from '../testing/turns.ts';
import { createDemoProvider, demoTools } from './index.ts';
import { longText, slowText } from './long-texts.ts';
import { topics } from './topics.ts';

const demo = createDemoProvider({ clock: instantClock() });
const tools = demoTools(instantClock());

async function answerTo(request: ProviderRequest): Promise<AssistantBlock[]> {
  return inspectEvents(await collectEvents(demo, request), false).blocks;
}

async function answerAfter(...messages: Message[]): Promise<string> {
  return textOf(await answerTo(requestSaying('', { messages, tools })));
}

/** Returns the text of the last message of a turn. */
function lastWords(added: readonly Message[]): string {
  return textOf(added.at(-1)?.content ?? []);
}

function textOf(blocks: readonly { type: string; text?: unknown }[]): string {
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n');
}

function namesOfCalls(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-use' && block.executed === undefined ? [block.name] : [])),
  );
}

test('[DM12] help names every topic, and what it names leads there', async () => {
  const help = await answerAfter(saying('help'));
  for (const topic of topics) {
    assert.ok(help.includes(`- \`${topic.example}\`: ${topic.description}`), topic.example);
    assert.equal(
      topics.find(({ pattern }) => pattern.test(topic.example)),
      topic,
      topic.example,
    );
  }
});

test('[DM12] a topic answers with what it promises', async () => {
  const typesFor = async (text: string): Promise<string[]> =>
    (await answerTo(requestSaying(text))).map(({ type }) => type);
  assert.deepEqual(await typesFor('Could you show me some code?'), ['text', 'code']);
  assert.deepEqual(await typesFor('Please think about it.'), ['thinking', 'text']);
  assert.match(await answerAfter(saying('HELLO!')), /welcome to Loom/u);
  assert.match(await answerAfter(saying('What is 6 * 7?')), /= \*\*42\*\*$/u);
  assert.match(await answerAfter(saying('1/0')), /divide by zero/u);
  assert.match(await answerAfter(saying('Why is the sky blue?')), /“Why is the sky blue\?” is a good question/u);
  assert.match(await answerAfter(saying(`${'🧵'.repeat(300)} is long`)), /“(?:🧵){80}…”/u);
});

test('[DM13] what do you see? tells what reaches the model, and nothing else', async () => {
  const seen = await answerAfter(
    saying('first thing'),
    { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
    saying('what do you see?'),
  );
  assert.match(seen, /2 messages of yours and no system prompt:\n\n1\. “first thing”\n2\. “what do you see\?”\n/u);
});

test('[DM14] odd histories get a sensible answer', async () => {
  assert.match(await answerAfter(), /welcome to Loom/u);
  assert.match(await answerAfter(saying('  ')), /You said nothing/u);
  assert.match(
    await answerAfter(saying('x'), { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }),
    /What next\?$/u,
  );
  assert.match(await answerAfter({ role: 'tool', tool_call_id: 'nobody', content: [] }), /welcome to Loom/u);
  const image: Message = {
    role: 'user',
    content: [{ type: 'image', media_type: 'image/png', url: 'https://example.org/cat.png' }],
  };
  assert.match(await answerAfter(image), /“image\/png”/u);
});

test('[DM15] an answer that was cut off goes on with the next character', async () => {
  for (const whole of [slowText, longText]) {
    const cut: Message = { role: 'assistant', content: [{ type: 'text', text: whole.slice(0, 200) }] };
    assert.equal(await answerAfter(saying('x'), cut, saying('go on')), whole.slice(200));
    assert.equal(await answerAfter(saying('x'), cut), whole.slice(200));
  }
});

test('[DM16] only offered tools are called, and without any it says so', async () => {
  for (const text of topics.map(({ example }) => example)) {
    for (const offered of [[], tools.slice(0, 4), tools.slice(4)]) {
      const added = await playTurn(demo, requestSaying(text), offered, () => 'blue');
      for (const name of namesOfCalls(added)) assert.ok(offered.some((tool) => tool.name === name));
      assert.notEqual(added.at(-1)?.role, 'tool', `${text} ends with a result`);
    }
  }
  assert.match(textOf(await answerTo(requestSaying('weather'))), /I would use `weather` now/u);
});

test('[DM17] calls side by side are written in turns, spelled as the model spelled them', async () => {
  const events = await collectEvents(demo, requestSaying('weather in São Paulo, Oslo and Kyoto?', { tools }));
  const calls = inspectEvents(events, false).blocks.filter((block) => block.type === 'tool-use');
  assert.deepEqual(
    calls.map(({ parameters, arguments: spelled }) => [parameters, spelled]),
    ['São Paulo', 'Oslo', 'Kyoto'].map((city) => [{ city }, `{"city": "${city}"}`]),
  );
  const keys = events.flatMap((event) =>
    event.type === 'block-delta' && event.field === 'arguments' ? [event.key] : [],
  );
  assert.deepEqual(keys.slice(0, 6), ['block-2', 'block-3', 'block-4', 'block-2', 'block-3', 'block-4']);
});

test('[DM18] call <tool> {…} makes exactly these calls, broken ones too', async () => {
  const text =
    'call weather {"city":"Kyoto"}\ncall weather { "city" : 1 }\ncall weather {"city": "Kyo\ncall unknown {}';
  const calls = await answerTo(requestSaying(text, { tools }));
  assert.deepEqual(
    calls.map((block) => (block.type === 'tool-use' ? [block.name, block.parameters, block.arguments] : block)),
    [
      ['weather', { city: 'Kyoto' }, undefined],
      ['weather', { city: 1 }, '{ "city" : 1 }'],
      ['weather', {}, '{"city": "Kyo'],
    ],
  );
});

test('[DM19] it goes on after results and refers to them, whatever became of the calls', async () => {
  const weather = await playTurn(demo, requestSaying('weather in Oslo'), tools);
  const found = weather.flatMap((message) => (message.role === 'tool' ? [textOf(message.content)] : []));
  assert.match(found.join(), /^Oslo: .+, \d+ °C$/u);
  assert.ok(lastWords(weather).includes(found.join()));

  assert.match(lastWords(await playTurn(demo, requestSaying('use the flaky tool'), tools)), /failed.*\n.*failed/u);
  assert.match(lastWords(await playTurn(demo, requestSaying('run the tests'), tools)), /said “Exit code 0/u);
  assert.match(
    lastWords(await playTurn(demo, requestSaying('run the tests'), tools, () => false)),
    /did not want `run_command`/u,
  );
  assert.match(lastWords(await playTurn(demo, requestSaying('ask me something'), tools, () => 'green')), /green$/u);
  const call: AssistantBlock = { type: 'tool-use', id: 'c', name: 'slow_tool', parameters: { seconds: 5 } };
  const failing = (text: string): Message => ({
    role: 'tool',
    tool_call_id: 'c',
    content: [{ type: 'text', text }],
    is_error: true,
  });
  const asked: Message[] = [saying('wait 5 seconds'), { role: 'assistant', content: [call] }];
  assert.match(
    await answerAfter(...asked, failing(interruptedText)),
    /`slow_tool` was interrupted; I did not start it/u,
  );
  assert.match(await answerAfter(...asked, failing(deniedText)), /did not want `slow_tool` to run/u);
  assert.match(await answerAfter(...asked, failing('Out of time.')), /`slow_tool` failed: “Out of time”/u);
});

test('[DM20] the tour shows tasks, parallel calls, a file change, a command and sources in one turn', async () => {
  for (const request of [requestSaying('give me the tour'), requestSaying('x', { model: 'tools' })]) {
    const asked: string[] = [];
    const added = await playTurn(demo, request, tools, (tool) => {
      asked.push(tool);
      return true;
    });
    assert.deepEqual(namesOfCalls(added), [
      'plan_tasks',
      'weather',
      'search_pages',
      'plan_tasks',
      'write_file',
      'plan_tasks',
      'run_command',
      'plan_tasks',
    ]);
    assert.deepEqual(asked, ['write_file', 'run_command']);
    const shown = new Set(added.flatMap(({ role, content }) => content.map(({ type }) => `${role} ${type}`)));
    for (const type of ['todo', 'file-change', 'command', 'sources']) assert.ok(shown.has(`tool ${type}`), type);
    assert.ok(shown.has('assistant sources'));
  }
});

test('[DM20] the plan is ticked off to its end', async () => {
  const added = await playTurn(demo, requestSaying('make a plan'), tools);
  const lists = added.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'todo' ? [block.items] : [])),
  );
  assert.deepEqual(
    lists.map((items) => items.filter(({ status }) => status === 'completed').length),
    [0, 1, 2, 3],
  );
});

test('[DM27] it tries again, runs tools of its own, sends out an agent, takes words back, draws, asks and listens', async () => {
  const typesOf = async (prompt: string) =>
    new Set(
      (await collectEvents(createDemoProvider({ clock: instantClock() }), requestSaying(prompt))).map(
        ({ type }) => type,
      ),
    );
  assert.ok((await typesOf('be overloaded for a moment')).has('retrying'));
  assert.ok((await typesOf('search by yourself')).has('tool-state'));
  const agent = await typesOf('send out an agent');
  assert.ok(agent.has('child') && agent.has('note'));
  assert.ok((await typesOf('change your mind')).has('retract'));
  const drawn = await collectEvents(createDemoProvider({ clock: instantClock() }), requestSaying('draw a picture'));
  assert.ok(
    drawn.some((event) => event.type === 'block' && event.block.type === 'image' && event.block.blob !== undefined),
  );
  const { signal } = new AbortController();
  const steered = {
    ...callWith(signal),
    steering: (async function* () {
      yield { id: 's', blocks: [{ type: 'text' as const, text: 'enough' }] };
    })(),
    decide: async () => ({ decision: 'denied' as const, text: 'not now', by: 'ann' }),
  };
  const heard: ProviderEvent[] = [];
  const provider = createDemoProvider({ clock: instantClock() });
  for (const prompt of ['listen while you count', 'ask for permission yourself'])
    for await (const event of provider.stream(requestSaying(prompt), steered)) heard.push(event);
  assert.ok(heard.some((event) => event.type === 'heard' && event.id === 's'));
  assert.match(JSON.stringify(heard), /enough.*not .*now/u);
});
