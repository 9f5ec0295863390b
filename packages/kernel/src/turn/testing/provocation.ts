import assert from 'node:assert/strict';
import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, Provider, Tool } from '@loom/kernel';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';

/** A tool or a provider that misbehaves. */
export interface Culprit {
  /** The behavior of the provider in its calls, one after the other; without it the tool is called once. */
  stream?: (call: number) => unknown;
  runsTools?: true;
  /** The tool named `clock`. */
  tool?: object;
  maxRounds?: number;
}

export const opened = (block: unknown, more: object = {}) => ({
  type: 'block-start',
  key: 'k',
  message: 'm',
  role: 'assistant',
  block,
  ...more,
});
export const whole = (block: unknown, more: object = {}) => ({
  type: 'block',
  message: 'm',
  role: 'assistant',
  block,
  ...more,
});
export const result = (id: string, text: string, message = `r${id}`) =>
  whole({ type: 'text', text }, { message, role: 'tool', tool_call_id: id });
export const toolUse = (id: string, name = 'clock') => ({ type: 'tool-use', id, name, parameters: {} });
export const text = { type: 'text', text: 'hello' };
export const stop = { type: 'call-end', reason: 'stop' };

export async function* events(...list: unknown[]): AsyncGenerator {
  yield* list;
}
export const once =
  (...list: unknown[]) =>
  (round: number) =>
    events(...(round === 0 ? list : say('after it')));
/** Asks a question that the culprit answers, or is called for. */
export async function provoke({ stream, runsTools, tool: culprit, maxRounds = 20 }: Culprit) {
  const world = await createWorld();
  let calls = 0;
  const script: Culprit['stream'] =
    stream ?? ((round) => events(...(round === 0 ? call(['1', 'clock', '{"zone":"UTC"}']) : say('after it'))));
  const provider = { id: 'scripted', runsTools, stream: () => script(calls++) };
  const tools: Tool[] = [];
  Object.assign(tools, [culprit ?? echoTool('clock')]);
  const providers: Provider[] = [];
  Object.assign(providers, [provider]);
  const engine = world.another({ providers, tools });
  const heard: FeedEvent[] = [];
  world.engine.forest.log(world.root).subscribe((item) => item.type === 'change' && heard.push(...item.events));
  const node = await world.say('what time is it?');
  const params = { node, provider: 'scripted', model: 'one', tools: ['clock'], maxRounds };
  const started = await engine.turns.generate({ agent: 'person', id: 'go' }, world.root, params);
  assert.ok(started.ok);
  return { world, engine, heard, turn: started.value.turns[0] ?? '' };
}

/** Returns the words that people read of a block. */
export function wordsOf(block: MessageBlock): string[] {
  const own = block.type === 'text' ? [block.text] : block.type === 'error' ? [block.message] : [];
  return [...own, ...(block.error === undefined ? [] : [block.error.message])];
}
