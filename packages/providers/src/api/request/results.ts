import type { Message, ToolMessage } from '@loom/blocks';

/**
 * Returns the results right after a message, by the ids of their calls. Ids alone do not link results to calls: providers reuse them, and those of
 * two providers may meet in one conversation.
 */
export function resultsBehind(messages: readonly Message[], index: number): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let at = index + 1; ; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') return results;
    results.set(message.tool_call_id, message);
  }
}
