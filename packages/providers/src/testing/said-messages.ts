import { isAssistantBlock, isNonEmpty, withAppended } from '@loom/blocks';
import type { AssistantBlock, Message, MessageBlock, ToolBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import type { ProviderEvent } from '@loom/kernel';

interface Gathered {
  role: 'assistant' | 'tool';
  call: string;
  isError: boolean;
  blocks: Map<string, AssistantBlock | ToolBlock>;
}

/** The messages that the events of a call come to. What was left open is kept as far as it came, calls and thoughts excepted. */
export function saidMessages(events: readonly ProviderEvent[]): Message[] {
  const messages = new Map<string, Gathered>();
  const owners = new Map<string, Map<string, AssistantBlock | ToolBlock>>();
  const spelled = new Map<string, string>();
  const ended = new Set<string>();
  let whole = 0;
  for (const event of events) {
    if (event.type === 'block-start' || event.type === 'block') {
      const { message, role, tool_call_id: call = '' } = event;
      const known = messages.get(message) ?? {
        role,
        call,
        isError: false,
        blocks: new Map<string, AssistantBlock | ToolBlock>(),
      };
      messages.set(message, known);
      if (event.type === 'block' && event.is_error === true) known.isError = true;
      const key = event.type === 'block' ? `whole ${(whole += 1)}` : event.key;
      if (event.type === 'block') ended.add(key);
      known.blocks.set(key, event.block);
      owners.set(key, known.blocks);
    } else if (event.type === 'block-delta') {
      const block = owners.get(event.key)?.get(event.key);
      if (event.field === 'arguments') spelled.set(event.key, (spelled.get(event.key) ?? '') + event.text);
      else if (block !== undefined) keep(owners, event.key, withAppended(block, event.field, event.text));
    } else if (event.type === 'block-end') {
      ended.add(event.key);
      const block = event.block ?? owners.get(event.key)?.get(event.key);
      if (block?.type === 'tool-use')
        keep(owners, event.key, { ...block, ...keepToolArguments(spelled.get(event.key) ?? '') });
      else if (block !== undefined) keep(owners, event.key, block);
    }
  }
  return [...messages.values()].flatMap((message) => toMessage(message, ended));
}

function keep(
  owners: ReadonlyMap<string, Map<string, AssistantBlock | ToolBlock>>,
  key: string,
  block: MessageBlock,
): void {
  if (block.type !== 'conversation') owners.get(key)?.set(key, block);
}

function toMessage({ role, call, isError, blocks }: Gathered, ended: ReadonlySet<string>): Message[] {
  const kept = [...blocks].flatMap(([key, block]) => (ended.has(key) || block.type === 'text' ? [block] : []));
  if (role === 'assistant') {
    const content = kept.filter(isAssistantBlock);
    return isNonEmpty(content) ? [{ role, content }] : [];
  }
  const content = kept.filter((block) => block.type !== 'thinking' && block.type !== 'tool-use');
  return [{ role, tool_call_id: call, content, ...(isError ? { is_error: true } : {}) }];
}
