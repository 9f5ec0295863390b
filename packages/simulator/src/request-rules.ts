import type { ProviderRequest } from '@loom/kernel';
import type { Report } from './violation.ts';

/** Checks that a request is one that every model accepts: each message with calls is followed by exactly their results. */
export function checkRequest({ messages }: ProviderRequest, report: Report): void {
  let due: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!due.includes(message.tool_call_id))
        report('paired', `a model is sent a stray result of ${message.tool_call_id}`);
      due = due.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (due.length > 0) report('paired', `a model is sent no result of ${due.join(', ')}`);
    due =
      message.role === 'assistant'
        ? message.content.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []))
        : [];
  }
  if (due.length > 0) report('paired', `a model is sent no result of ${due.join(', ')}`);
}
