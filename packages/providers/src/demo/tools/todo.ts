import { todoItem } from '@loom/blocks';
import type { Tool } from '@loom/kernel';
import { objectWith, refuse } from './parameters.ts';

/** Keeps a list of tasks; the list is in the arguments and comes back as a block. */
export const todo: Tool = {
  name: 'plan_tasks',
  description: 'Replaces the list of tasks.',
  parameters: objectWith({
    items: {
      type: 'array',
      items: objectWith({
        content: { type: 'string' },
        status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
      }),
    },
  }),
  prepare: async () => ({ permission: 'run' }),
  async run({ parameters }) {
    const read = todoItem.array().safeParse(parameters['items']);
    if (!read.success) {
      return refuse('plan_tasks needs "items": [{"content": "…", "status": "pending" | "in_progress" | "completed"}].');
    }
    const items = read.data;
    const completed = items.filter(({ status }) => status === 'completed').length;
    return {
      content: [
        { type: 'text', text: `${completed} of ${items.length} tasks completed` },
        { type: 'todo', items },
      ],
    };
  },
};
