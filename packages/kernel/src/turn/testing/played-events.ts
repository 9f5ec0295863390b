import type { ToolBlock } from '@loom/blocks';
import type { ProviderEvent } from '../../provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import type { HowEnded } from '../holding/running-turns.ts';

export const start: ProviderEvent = { type: 'call-start' };
export const end: ProviderEvent = { type: 'call-end', reason: 'stop' };
export const text = (words: string, message = 'm', child?: string): ProviderEvent => ({
  type: 'block',
  message,
  role: 'assistant',
  block: { type: 'text', text: words },
  ...(child === undefined ? {} : { child }),
});
export const ownCall = (id: string, message = 'm'): ProviderEvent => ({
  type: 'block',
  message,
  role: 'assistant',
  block: { type: 'tool-use', id, name: 'search', parameters: {}, executed: 'provider' },
});
export const result = (id: string, block: ToolBlock): ProviderEvent => ({
  type: 'block',
  message: `result ${id}`,
  role: 'tool',
  tool_call_id: id,
  block,
});

/** Plays scripts as the answer to one message, to the end of the turn. */
export async function play(...scripts: Script[]): Promise<{ world: World; turn: string; ended: HowEnded | undefined }> {
  const world = await createWorld(scripts);
  const turn = await world.answer(await world.say('go'));
  return { world, turn, ended: await world.engine.turns.wait(turn) };
}

/** The text of each block, or its type where it has none. */
export function wordsOf(blocks: readonly { type: string }[]): unknown[] {
  return blocks.map((block): unknown => Reflect.get(block, 'text') ?? block.type);
}
