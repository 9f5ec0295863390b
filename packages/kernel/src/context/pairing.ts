import { interruptedText, toolUsesOf } from '@loom/blocks';
import type { Message, ToolMessage } from '@loom/blocks';
import type { NodeState } from '../state/node-state.ts';

/** One message on its way to a model, and the node that it is from; none for an answer that was made up. */
export interface PathMessage {
  message: Message;
  node?: NodeState;
}

/**
 * Makes the history valid for every provider: each call is followed by exactly one result, right after the message that
 * made it and in the order of the calls; a call without a result is answered as interrupted; a result without a call, and a
 * second result of the same call, are left out.
 */
export function pairCallsAndResults(sequence: readonly PathMessage[]): PathMessage[] {
  const results = collectResults(sequence);
  const paired: PathMessage[] = [];
  for (const item of sequence) {
    if (item.message.role === 'tool') continue;
    paired.push(item);
    for (const { id } of toolUsesOf(item.message)) {
      paired.push(results.get(item)?.get(id) ?? { message: interruptedResult(id) });
    }
  }
  return paired;
}

/** The first later result of each call, by the message that made the call: providers have been seen to use ids twice. */
function collectResults(sequence: readonly PathMessage[]): Map<PathMessage, Map<string, PathMessage>> {
  const results = new Map<PathMessage, Map<string, PathMessage>>();
  const waiting = new Map<string, PathMessage>();
  for (const item of sequence) {
    const { message } = item;
    if (message.role !== 'tool') {
      for (const { id } of toolUsesOf(message)) waiting.set(id, item);
      continue;
    }
    const caller = waiting.get(message.tool_call_id);
    if (caller === undefined) continue;
    waiting.delete(message.tool_call_id);
    results.set(caller, (results.get(caller) ?? new Map<string, PathMessage>()).set(message.tool_call_id, item));
  }
  return results;
}

function interruptedResult(id: string): ToolMessage {
  return { role: 'tool', tool_call_id: id, is_error: true, content: [{ type: 'text', text: interruptedText }] };
}
