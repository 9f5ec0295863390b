import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoomEngine, ToolContext } from '@loom/kernel';
import { say } from '../testing/scripted-provider.ts';
import { echoTool, until } from '../testing/world.ts';
import type { World } from '../testing/world.ts';
import { once, opened, provoke, result, stop, text, toolUse, whole, wordsOf } from './testing/provocation.ts';
import type { Culprit } from './testing/provocation.ts';

/** A misbehaving provider or tool, and its consequences. */
interface Misbehaviour extends Culprit {
  /** The means that stops it; without one it has to end on its own. */
  stop?: 'abort' | 'close';
  ended: 'done' | 'error' | 'aborted' | 'interrupted';
  /** The words that people read about it. */
  says: RegExp;
  /** The words said before that stay. */
  keeps?: string;
  /** The nodes below the question. */
  shape?: string[];
}

const never = new Promise<never>(() => {});
const tool = (run: unknown, prepare: unknown = () => ({ permission: 'run' })) => ({
  ...echoTool('clock'),
  run,
  prepare,
});
const answering = (answer: unknown) => tool(async () => answer);
const badEvent = (problem: string) =>
  new RegExp(`The provider scripted sent an event that cannot be kept: .*${problem}`);

const misbehaviours: Record<string, Misbehaviour> = {
  'preparation that throws': {
    tool: tool(undefined, () => assert.fail('no idea')),
    ended: 'done',
    says: /The tool clock failed: no idea/,
    shape: ['assistant thinking tool-use', 'tool(error) text', 'assistant text'],
  },
  'preparation that answers nonsense': {
    tool: tool(undefined, () => Promise.resolve('run')),
    ended: 'done',
    says: /The tool clock did not say whether the call may run/,
  },
  'preparation that rejects': {
    tool: tool(undefined, () => Promise.reject(new Error('later'))),
    ended: 'done',
    says: /The tool clock failed: later/,
  },
  'stream that is a promise and rejects': {
    stream: () => Promise.reject(new Error('later')),
    ended: 'error',
    says: /The provider scripted failed: it gave no stream of events/,
  },
  'run that throws at once': {
    tool: tool(() => assert.fail('broken')),
    ended: 'done',
    says: /The tool clock failed: broken/,
    shape: ['assistant thinking tool-use', 'tool(error) text', 'assistant text'],
  },
  'run that throws something unreadable': {
    tool: tool(() => Promise.reject(Object.create(null))),
    ended: 'done',
    says: /The tool clock failed: what was thrown cannot be read/,
  },
  'run that is no function': { tool: tool('now'), ended: 'done', says: /The tool clock failed: .*not a function/ },
  'run that answers undefined': {
    tool: answering(undefined),
    ended: 'done',
    says: /The tool clock gave no usable result/,
  },
  'run that answers unknown keys': {
    tool: answering({ content: [], colour: 'red' }),
    ended: 'done',
    says: /The tool clock gave no usable result: .*colour/,
  },
  'run that answers a block without a value': {
    tool: answering({ content: [text, { type: 'raw', source: 'x', value: undefined }] }),
    ended: 'done',
    says: /The tool clock gave a result that cannot be kept as it is: block 2: value must be a value that JSON can hold/,
    shape: ['assistant thinking tool-use', 'tool(error) text text', 'assistant text'],
  },
  'run that answers an image without a media type': {
    tool: answering({ content: [{ type: 'image', media_type: 'png', url: 'https://x.test/' }] }),
    ended: 'done',
    says: /The tool clock gave .*block 1: media_type must be a media type/,
  },
  'run that answers a block that says of itself that it is running': {
    tool: answering({ content: [{ ...text, status: 'running', version: 7, block_id: 'root-1/@x/1' }] }),
    ended: 'done',
    says: /hello/,
  },
  'run that changes its parameters': {
    tool: tool(async ({ parameters }: { parameters: object }) => {
      Reflect.set(parameters, 'zone', undefined);
      return { content: [text] };
    }),
    ended: 'done',
    says: /hello/,
  },
  'run that never settles, aborted': {
    tool: tool(() => never),
    stop: 'abort',
    ended: 'aborted',
    says: /The tool clock was stopped before it returned a result/,
    shape: ['assistant thinking tool-use', 'tool(interrupted) text'],
  },
  'run that throws when it is told to stop': {
    tool: tool(async (_call: unknown, { signal }: ToolContext) => {
      signal.addEventListener('abort', () => assert.fail('not now'));
      return never;
    }),
    stop: 'abort',
    ended: 'aborted',
    says: /The tool clock was stopped before it returned a result/,
  },
  'run that never settles, closed': {
    tool: tool(() => never),
    stop: 'close',
    ended: 'interrupted',
    says: /The tool clock was stopped before it returned a result/,
  },
  'stream that throws at once': {
    stream: () => assert.fail('no key'),
    ended: 'error',
    says: /The provider scripted failed: no key/,
    shape: ['assistant error'],
  },
  'stream that answers undefined': {
    stream: () => undefined,
    ended: 'error',
    says: /The provider scripted failed: it gave no stream of events/,
  },
  'stream that throws later': {
    stream: async function* () {
      yield opened({ type: 'text', text: '' });
      yield { type: 'block-delta', key: 'k', field: 'text', text: 'so far' };
      throw new Error('connection lost');
    },
    ended: 'error',
    says: /The provider scripted failed: connection lost/,
    keeps: 'so far',
    shape: ['assistant text error'],
  },
  'stream whose steps are nothing': {
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => undefined }) }),
    ended: 'error',
    says: /The provider scripted failed/,
  },
  'stream that breaks off': {
    stream: once({ type: 'call-start' }),
    ended: 'error',
    says: /The provider scripted stopped in the middle of its answer/,
  },
  'stream that says nothing': {
    stream: once(stop),
    ended: 'error',
    says: /The provider scripted ended its answer without a word/,
  },
  'stream that never says anything, aborted': {
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }) }),
    stop: 'abort',
    ended: 'aborted',
    says: /The provider scripted was stopped before it said anything/,
    shape: [],
  },
  'stream that never ends, closed': {
    stream: async function* () {
      yield opened({ type: 'text', text: 'so far' });
      await never;
    },
    stop: 'close',
    ended: 'interrupted',
    says: /scripted:one was stopped before this was complete/,
    shape: ['assistant text'],
  },
  'stream that does not let go, aborted': {
    stream: async function* () {
      try {
        yield opened({ type: 'text', text: 'so far' });
        await never;
      } finally {
        await never;
      }
    },
    stop: 'abort',
    ended: 'aborted',
    says: /scripted:one was stopped before this was complete/,
  },
  'stream that is not left in peace after its end': {
    stream: async function* () {
      try {
        yield* say('all of it');
      } finally {
        await never;
      }
    },
    ended: 'done',
    says: /all of it/,
  },
  'no event': { stream: once(undefined), ended: 'error', says: badEvent('') },
  'unknown event': { stream: once({ type: 'block-sung' }), ended: 'error', says: badEvent('type') },
  'unknown key in an event': { stream: once({ type: 'call-start', at: 1 }), ended: 'error', says: badEvent('at') },
  'unknown block': { stream: once(opened({ type: 'song', text: 'la' })), ended: 'error', says: badEvent('block.type') },
  'unknown key in a block': { stream: once(whole({ ...text, key: 'C' })), ended: 'error', says: badEvent('block') },
  'usage that is no number': {
    stream: once(whole(text), { type: 'usage', usage: { input_tokens: Number.NaN, output_tokens: 1 } }, stop),
    ended: 'error',
    says: badEvent('usage.input_tokens'),
    keeps: 'hello',
    shape: ['assistant text error'],
  },
  'call without an id': {
    stream: once(whole(toolUse(' '))),
    ended: 'error',
    says: badEvent('block.id must not be blank'),
  },
  'call without a name': {
    stream: once(whole(toolUse('1', ''))),
    ended: 'error',
    says: badEvent('block.name must not be blank'),
  },
  'raw without a value': {
    stream: once(whole({ type: 'raw', source: 'x', value: undefined })),
    ended: 'error',
    says: badEvent('block.value'),
  },
  'image without a media type': {
    stream: once(whole({ type: 'image', media_type: 'png', url: 'https://x.test/' })),
    ended: 'error',
    says: badEvent('block.media_type'),
  },
  'error with a detail that JSON cannot hold': {
    stream: once({
      type: 'call-error',
      error: { code: 'failed', message: 'scripted is odd', detail: new Error('inside') },
    }),
    ended: 'error',
    says: /scripted is odd/,
  },
  'delta without a block': {
    stream: once({ type: 'block-delta', key: 'k', field: 'text', text: 'lost' }),
    ended: 'error',
    says: badEvent('a delta for k, which is not open'),
  },
  'delta of a field that the block does not have': {
    stream: once(opened({ type: 'text', text: '' }), { type: 'block-delta', key: 'k', field: 'stdout', text: 'x' }),
    ended: 'error',
    says: badEvent('a text block streams no stdout'),
  },
  'key that is opened twice': {
    stream: once(opened(text), opened(text)),
    ended: 'error',
    says: badEvent('the key k was opened before'),
  },
  'block that ends as another one': {
    stream: once(opened(text), { type: 'block-end', key: 'k', block: { type: 'thinking', text: 'hello' } }),
    ended: 'error',
    says: badEvent('the text block of k ends as another one'),
  },
  'call that ends with a block open': {
    stream: once(
      opened({ type: 'text', text: '' }),
      { type: 'block-delta', key: 'k', field: 'text', text: 'kept' },
      stop,
    ),
    ended: 'error',
    says: badEvent('its call ends while k is open'),
    keeps: 'kept',
    shape: ['assistant text error'],
  },
  'result of a provider that runs no tools': {
    stream: once(whole(toolUse('1')), result('1', 'x')),
    ended: 'error',
    says: badEvent('a result of 1, although it does not run it itself'),
  },
  'result of a call that was never made': {
    stream: once(whole(text), result('9', 'x')),
    runsTools: true,
    ended: 'error',
    says: badEvent('a result of 9, which it has not called'),
  },
  'message that changes its role': {
    stream: once(whole(toolUse('1')), result('1', 'x', 'm')),
    runsTools: true,
    ended: 'error',
    says: badEvent('the message m changes its role or its call'),
  },
  'more of a message behind which another has begun': {
    stream: once(whole(text), whole(text, { message: 'n' }), whole(text)),
    runsTools: true,
    ended: 'error',
    says: badEvent('more of the message m, behind which another has begun'),
    shape: ['assistant text', 'assistant text error'],
  },
  'two calls with one id': {
    stream: once(whole(toolUse('1')), whole({ ...toolUse('1'), parameters: { other: true } })),
    ended: 'error',
    says: badEvent('a second call with the id 1'),
    shape: ['assistant tool-use error', 'tool(interrupted) text'],
  },
};

for (const [name, misbehaviour] of Object.entries(misbehaviours)) {
  test(`[TU21] ${name} hurts only its own turn, and its message names the culprit`, async () => {
    const { world, engine, heard, turn } = await provoke(misbehaviour);
    if (misbehaviour.stop !== undefined) await stopIt(world, engine, turn, misbehaviour.stop);
    else assert.equal(await engine.turns.wait(turn), misbehaviour.ended);
    const ending = heard.findLast((event) => event.type === 'turn-ended');
    assert.equal(ending?.reason, misbehaviour.ended);
    const alive = misbehaviour.stop === 'close' ? world.engine : engine;
    const nodes = [...(await alive.forest.log(world.root).state()).nodes.values()].slice(1);
    const blocks = nodes.flatMap((node) => node.blocks);
    const said = [...blocks.flatMap(wordsOf), ending.error?.message ?? ''];
    assert.ok(
      said.some((words) => misbehaviour.says.test(words)),
      said.join('\n'),
    );
    assert.deepEqual(
      blocks.filter(({ status }) => status !== 'done' && status !== 'error'),
      [],
    );
    const shape = nodes.map(({ role, tool: state, blocks: own }) =>
      [`${role}${state === undefined ? '' : `(${state})`}`, ...own.map(({ type }) => type)].join(' '),
    );
    if (misbehaviour.keeps !== undefined) assert.ok(said.includes(misbehaviour.keeps));
    if (misbehaviour.shape !== undefined) assert.deepEqual(shape, misbehaviour.shape);
    // A new process reads the same as this one has in memory.
    const reopened = await world.another().forest.log(world.root).state();
    assert.deepEqual([...reopened.nodes.values()].slice(1), nodes);
  });
}

/** Stops a hanging turn: at most two seconds later everything is over. */
async function stopIt(world: World, engine: LoomEngine, turn: string, how: 'abort' | 'close'): Promise<void> {
  // Everything that happens without further input has happened when nothing was written for a while.
  let [seq, quiet] = [0, 0];
  await until(async () => {
    const { seq: now } = await world.state();
    quiet = now === seq ? quiet + 1 : 0;
    seq = now;
    return quiet === 20;
  });
  const waited = engine.turns.wait(turn);
  const stopped =
    how === 'abort' ? engine.turns.abort({ agent: 'person', id: 'stop' }, world.root, turn) : engine.close();
  let isOver = false;
  const over = Promise.all([stopped, waited]).finally(() => (isOver = true));
  let elapsed = 0;
  await until(() => {
    if (!isOver) world.clock.advance(10);
    elapsed += isOver ? 0 : 10;
    return isOver;
  });
  await over;
  assert.ok(elapsed <= 2_000, `it took ${elapsed} ms`);
  if (how === 'close') await world.another({ exclusive: true }).recover(world.root);
  await until(async () => (await world.state()).liveTurns.size === 0);
}
