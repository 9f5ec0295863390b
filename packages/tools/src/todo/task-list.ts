import { todoItem } from '@loom/blocks';
import type { ToolInvocation, ToolOutcome } from '@loom/kernel';

/** Returns the list as a block, and its count as the text for the model. */
export function keepTasks({ parameters }: ToolInvocation): ToolOutcome {
  const read = todoItem.array().safeParse(parameters['items']);
  if (!read.success) return { content: [{ type: 'text', text: misread }], is_error: true };
  const items = read.data;
  const completed = items.filter(({ status }) => status === 'completed').length;
  const text = `${completed} of ${items.length} completed.`;
  return {
    content: [
      { type: 'text', text },
      { type: 'todo', items },
    ],
  };
}

const misread =
  'The list was not changed: give "items": [{"content": "…", "status": "pending" | "in_progress" | "completed"}].';
