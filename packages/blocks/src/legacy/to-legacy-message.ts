import { renderBlockAsText } from '../rendering/text-rendering.ts';
import { blocksShownToModel } from '../rendering/model-view.ts';
import type { ModelBlock } from '../rendering/model-view.ts';
import type { Message } from '../message.ts';
import type { LegacyMessage, LegacyToolCall } from './legacy-message.ts';

/**
 * A message in the shape of mid-2025: one string and a list of calls. Lossy by nature: order between text and calls,
 * thinking and everything that a model is not shown are left out, several texts are joined by a blank line.
 */
export function toLegacyMessage(message: Message): LegacyMessage {
  const blocks = blocksShownToModel(message);
  const content = joinTexts(blocks);
  switch (message.role) {
    case 'user':
      return { role: 'user', content: content ?? '' };
    case 'tool':
      return { role: 'tool', content: content ?? '', tool_call_id: message.tool_call_id };
    case 'assistant': {
      const calls = blocks.flatMap(toLegacyCall);
      return calls.length === 0
        ? { role: 'assistant', content: content ?? '' }
        : { role: 'assistant', content, tool_calls: calls };
    }
  }
}

function joinTexts(blocks: readonly ModelBlock[]): string | null {
  const texts = blocks
    .filter((block) => block.type === 'text' || block.type === 'image')
    .map((block) => renderBlockAsText(block));
  return texts.length === 0 ? null : texts.join('\n\n');
}

function toLegacyCall(block: ModelBlock): LegacyToolCall[] {
  if (block.type !== 'tool-use') return [];
  const text = block.arguments ?? JSON.stringify(block.parameters);
  return [{ id: block.id, type: 'function', function: { name: block.name, arguments: text } }];
}
