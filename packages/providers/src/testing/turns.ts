import { deniedBlock, isNonEmpty } from '@loom/blocks';
import type { AssistantMessage, Message, ToolMessage } from '@loom/blocks';
import type { Provider, ProviderRequest, Tool } from '@loom/kernel';
import { inspectEvents } from './event-rules.ts';
import { collectEvents, contextWith } from './streams.ts';
import { runTool } from './tool-results.ts';

/** Returns the user's response to a call that asks: yes, no, or the answer to its question. */
export type Decide = (tool: string) => boolean | string;

/** Plays the smallest turn: calls the model until it calls no more tools; returns the messages added to the path. */
export async function playTurn(
  provider: Provider,
  request: ProviderRequest,
  tools: readonly Tool[],
  decide: Decide = () => true,
): Promise<Message[]> {
  const added: Message[] = [];
  for (let round = 0; round < 12; round += 1) {
    const messages = [...request.messages, ...added];
    const events = await collectEvents(provider, { ...request, messages, tools });
    const { blocks } = inspectEvents(events, false);
    if (!isNonEmpty(blocks)) return added;
    const answer: AssistantMessage = { role: 'assistant', content: blocks };
    added.push(answer);
    const results = await runCalls(answer, tools, decide);
    if (results.length === 0) return added;
    added.push(...results);
  }
  return added;
}

async function runCalls({ content }: AssistantMessage, tools: readonly Tool[], decide: Decide): Promise<ToolMessage[]> {
  const results: ToolMessage[] = [];
  for (const block of content) {
    if (block.type !== 'tool-use' || block.executed === 'provider') continue;
    const { id, name, parameters } = block;
    const invocation = { id, name, parameters, arguments: block.arguments ?? JSON.stringify(parameters) };
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`the model called ${name}, which it was not offered`);
    const { signal } = new AbortController();
    const { permission } = await tool.prepare(invocation, contextWith(signal));
    const decision = permission === 'run' || decide(name);
    if (decision === false) {
      results.push({ role: 'tool', tool_call_id: id, content: [deniedBlock(undefined)], is_error: true });
      continue;
    }
    const answer = typeof decision === 'string' ? decision : undefined;
    const outcome = await runTool(tool, invocation, contextWith(signal, answer)).catch((error: unknown) => ({
      content: [{ type: 'text' as const, text: String(error) }],
      is_error: true,
    }));
    results.push({ role: 'tool', tool_call_id: id, ...outcome });
  }
  return results;
}
