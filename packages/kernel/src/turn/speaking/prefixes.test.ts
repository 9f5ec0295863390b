import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { buildContext } from '../../context/context.ts';
import { pathTo } from '../../state/tree/tree.ts';
import { Random } from '../../testing/random.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, testHash } from '../../testing/world.ts';

const start = (key: string, block: AssistantBlock, message = 'm'): ProviderEvent => ({
  type: 'block-start',
  key,
  message,
  role: 'assistant',
  block,
});
const whole = (block: AssistantBlock, message = 'm'): ProviderEvent => ({
  type: 'block',
  message,
  role: 'assistant',
  block,
});
const result = (id: string, text: string): ProviderEvent => ({
  type: 'block',
  message: `result of ${id}`,
  role: 'tool',
  tool_call_id: id,
  block: { type: 'text', text },
});
const toolUse = (id: string): AssistantBlock => ({ type: 'tool-use', id, name: 'look', parameters: { at: id } });
const delta = (key: string, text: string, field: 'text' | 'arguments' = 'text'): ProviderEvent => ({
  type: 'block-delta',
  key,
  field,
  text,
});
const close = (key: string): ProviderEvent => ({ type: 'block-end', key });
const code: AssistantBlock = { type: 'code', content: 'let x = 1;' };

/** One call: these events between its start and its end. */
function speak(...events: ProviderEvent[]): ProviderEvent[] {
  return [{ type: 'call-start' }, ...events, { type: 'call-end', reason: 'stop' }];
}

/** Blocks of all kinds in one or two messages, some of them written side by side, some taken back, some calls answered, at once or later. */
function blocksAtRandom(seed: number): ProviderEvent[] {
  const random = new Random(seed);
  const events: ProviderEvent[] = [];
  const open: string[] = [];
  const answerable: string[] = [];
  const answered: string[] = [];
  const ended: string[] = [];
  const endOne = (): void => {
    const [key] = open.splice(random.below(open.length), 1);
    if (key === undefined) return;
    if (random.chance(0.2)) {
      events.push({ type: 'retract', key });
    } else {
      events.push({ type: 'block-end', key });
      ended.push(key);
    }
  };
  for (const message of ['m', 'n']) {
    for (let count = 2 + random.below(8); count > 0; count -= 1) {
      const id = `${message}${count}`;
      const kinds = [
        'call',
        'text',
        'blank',
        'code',
        'thinking',
        'open',
        'end',
        'result',
        'error',
        'back',
        'more',
      ] as const;
      switch (random.pick(kinds)) {
        case 'call':
          events.push(whole(toolUse(id), message));
          answerable.push(id);
          break;
        case 'blank':
          events.push(whole({ type: 'text', text: ' ' }, message));
          break;
        case 'code':
          events.push(whole(code, message));
          break;
        case 'thinking':
          events.push(whole({ type: 'thinking', text: `hm, ${id}` }, message));
          break;
        case 'open':
          events.push(start(id, { type: 'text', text: '' }, message), delta(id, `word ${id}`));
          open.push(id);
          break;
        case 'end':
          endOne();
          break;
        case 'result':
          for (const call of answerable.splice(0, 1)) {
            events.push(result(call, 'seen'));
            answered.push(call);
          }
          break;
        case 'error':
          for (const call of answered.splice(0, 1)) events.push({ type: 'tool-state', call, state: 'error' });
          break;
        case 'back':
          for (const key of ended.splice(random.below(ended.length + 1), 1)) events.push({ type: 'retract', key });
          break;
        case 'more':
          for (const call of answered.slice(0, 1)) events.push(result(call, `more ${id}`));
          break;
        default:
          events.push(whole({ type: 'text', text: `text ${id}` }, message));
      }
    }
    while (open.length > 0) endOne();
    events.push(whole({ type: 'text', text: `${message} is over` }, message));
  }
  return events;
}

const conversations: Record<string, { scripts: Script[]; runsTools?: boolean }> = {
  'calls side by side': { scripts: [call(['1', 'echo', '{"a":1}'], ['2', 'echo', '{ "a": 2 }']), say('both')] },
  'calls that are written at once': {
    scripts: [
      speak(
        start('1', { type: 'tool-use', id: '1', name: 'echo', parameters: {} }),
        start('2', { type: 'tool-use', id: '2', name: 'echo', parameters: {} }),
        delta('2', '{"b":', 'arguments'),
        delta('1', '{"a":1}', 'arguments'),
        delta('2', '2}', 'arguments'),
        { type: 'block-end', key: '2' },
        {
          type: 'block-end',
          key: '1',
          block: {
            type: 'tool-use',
            id: '1',
            name: 'echo',
            parameters: { a: 1 },
            provider: { scripted: { item: 'i' } },
          },
        },
      ),
      say('both'),
    ],
  },
  'provider data at the end of a text': {
    scripts: [
      speak(
        start('a', { type: 'text', text: '' }),
        delta('a', 'one'),
        { type: 'block-end', key: 'a', block: { type: 'text', text: 'one', provider: { scripted: { id: 'x' } } } },
        whole({ type: 'text', text: 'two' }),
      ),
    ],
  },
  'another content at the end': {
    scripts: [
      speak(
        start('a', { type: 'text', text: '' }),
        delta('a', 'draft'),
        { type: 'block-end', key: 'a', block: { type: 'text', text: 'final' } },
        whole({ type: 'text', text: 'more' }),
      ),
    ],
  },
  'code without text': { scripts: [speak(whole(code), whole(toolUse('1'))), say('seen')] },
  'code with text behind it': {
    scripts: [speak(whole(code), whole(toolUse('1')), whole({ type: 'text', text: 'there' })), say('seen')],
  },
  'half of an emoji': {
    scripts: [speak(whole({ type: 'text', text: 'a\ud83e' }), whole({ type: 'text', text: 'b' }))],
  },
  'a blank message before another': {
    scripts: [speak(whole({ type: 'text', text: ' ' }), whole({ type: 'text', text: 'b' }, 'n'))],
    runsTools: true,
  },
  "an agent's own tools": {
    scripts: [
      speak(
        whole({ type: 'text', text: 'looking' }),
        whole(toolUse('1')),
        whole(toolUse('2')),
        result('2', 'second'),
        result('1', 'first'),
        whole({ type: 'text', text: 'now this' }, 'n'),
        whole(toolUse('3'), 'n'),
        whole({ type: 'text', text: 'done' }, 'o'),
      ),
    ],
    runsTools: true,
  },
  'results that are denied, fail or have no words': {
    scripts: [
      speak(
        ...(['denied', 'error', 'interrupted', 'result'] as const).flatMap((state, index): ProviderEvent[] => [
          whole(toolUse(`silent ${state}`), `m${index}`),
          { type: 'tool-state', call: `silent ${state}`, state },
          whole({ type: 'text', text: `so it is ${state}` }, `n${index}`),
          whole(toolUse(`said ${state}`), `n${index}`),
          { type: 'tool-state', call: `said ${state}`, state: 'running' },
          result(`said ${state}`, 'seen'),
          { type: 'tool-state', call: `said ${state}`, state },
          whole({ type: 'text', text: `and ${state} again` }, `o${index}`),
        ]),
      ),
    ],
    runsTools: true,
  },
  'an error that is told of a call after the next message began': {
    scripts: [
      speak(
        whole(toolUse('1')),
        result('1', 'seen'),
        whole({ type: 'text', text: 'so it is there' }, 'n'),
        { type: 'tool-state', call: '1', state: 'error' },
        whole({ type: 'text', text: 'or not' }, 'n'),
        whole(toolUse('2'), 'n'),
        result('2', 'seen'),
        whole({ type: 'text', text: 'it is over' }, 'o'),
      ),
    ],
    runsTools: true,
  },
  'a result that goes on after the next messages began': {
    scripts: [
      speak(
        whole(toolUse('1')),
        result('1', 'begun'),
        whole({ type: 'text', text: 'meanwhile' }, 'n'),
        whole({ type: 'text', text: 'still' }, 'o'),
        result('1', 'over'),
        whole({ type: 'text', text: 'so it is over' }, 'p'),
      ),
    ],
    runsTools: true,
  },
  'messages that are taken back after others began': {
    scripts: [
      speak(
        ...['m', 'n', 'o'].flatMap((id) => [start(id, { type: 'text', text: `wrong ${id}` }, id), close(id)]),
        whole(toolUse('1'), 'p'),
        result('1', 'seen'),
        whole({ type: 'text', text: 'right' }, 'q'),
        ...['n', 'm', 'o'].map((key): ProviderEvent => ({ type: 'retract', key })),
        whole({ type: 'text', text: 'it is over' }, 'r'),
      ),
    ],
    runsTools: true,
  },
  'errors that are told of calls after everything was said': {
    scripts: [
      speak(
        ...['1', '2', '3'].flatMap((id) => [whole(toolUse(id), `m${id}`), result(id, 'seen')]),
        whole({ type: 'text', text: 'it is over' }, 'n'),
        { type: 'tool-state', call: '2', state: 'error' },
        { type: 'tool-state', call: '1', state: 'error' },
      ),
    ],
    runsTools: true,
  },
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, seed) => [
      `blocks at random, seed ${seed}`,
      { scripts: [speak(...blocksAtRandom(seed))], runsTools: true },
    ]),
  ),
};

for (const [name, { scripts, runsTools = false }] of Object.entries(conversations)) {
  test(`[CX20] the prefixes that are kept are those that a reload gives: ${name}`, async () => {
    const world = await createWorld(scripts, [echoTool('echo'), echoTool('look')]);
    Object.assign(world.provider, { runsTools });
    assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
    const live = await world.state();
    const state = await world.another().forest.log(world.root).state();
    assert.deepEqual([...state.nodes.values()], [...live.nodes.values()]);
    const path = pathTo(state, [...state.nodes.keys()].at(-1) ?? '');
    const tools = [echoTool('echo'), echoTool('look')].map(({ name: tool, description, parameters }) => ({
      name: tool,
      description,
      parameters,
    }));
    const head = { provider: 'scripted', model: 'one', systemPrompt: 'Be brief.', tools };
    const { invalid } = buildContext(path, head, testHash);
    assert.deepEqual(invalid, []);
    const kinds = new Set(['text', 'thinking', 'tool-use', 'image']);
    const generated = path.filter(({ role }) => role === 'assistant').flatMap(({ blocks }) => blocks);
    const without = generated.filter(({ type, prefix }) => kinds.has(type) && prefix === undefined);
    assert.deepEqual(
      without.filter((block) => block.type !== 'text' || block.text.trim() !== ''),
      [],
    );
    assert.ok(generated.length > 1 || scripts.length > 1);
  });
}

/** Counts the hashes that the kernel computes for an agent that calls this many of its own tools in one message. */
async function hashesFor(calls: number): Promise<number> {
  const ids = Array.from({ length: calls }, (_, index) => String(index));
  const script = speak(...ids.flatMap((id) => [whole(toolUse(id)), result(id, 'seen')]), whole(code, 'n'));
  const world = await createWorld([script], [echoTool('look')]);
  Object.assign(world.provider, { runsTools: true });
  const node = await world.say('go');
  let count = 0;
  const hash = {
    hex: (text: string): string => {
      count += 1;
      return testHash.hex(text);
    },
  };
  const engine = world.another({ hash });
  const started = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, {
    node,
    provider: 'scripted',
    model: 'one',
    tools: ['look'],
  });
  assert.ok(started.ok);
  assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'done');
  return count;
}

test('[CX21] twice as many calls in a message are about twice as many hashes', async () => {
  const [few, many] = [await hashesFor(40), await hashesFor(80)];
  assert.ok(many < 2.2 * few, `${few} hashes for 40 calls, ${many} for 80`);
});
