import type { Tool } from '@loom/kernel';

/** Keeps the list of tasks of a conversation: the list is in the arguments, and people see it as a block. */
export const todo: Tool = {
  name: 'todo',
  description:
    'Replaces your list of tasks, which the person sees. Use it for work of three steps or more: before you begin, and whenever a step is finished. At most one item is in_progress.',
  parameters: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        description: 'The whole list, in order.',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string' },
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['items'],
    additionalProperties: false,
  },
  group: 'other',
  effect: 'reads',
  prepare: async () => ({ permission: 'run' }),
  run: async (invocation) => (await import('./task-list.ts')).keepTasks(invocation),
};
