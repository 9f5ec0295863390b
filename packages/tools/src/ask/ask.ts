import type { Tool } from '@loom/kernel';

/** Asks a person one question or several, with choices where there are any. */
export const ask: Tool = {
  name: 'ask',
  description:
    'Asks the person, when you cannot go on without a decision that is theirs: never for what you can find out yourself. Put all questions into one call. Offer choices where you can, the one you recommend first; the person may also answer in other words.',
  parameters: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: {
          type: 'object',
          properties: {
            text: { type: 'string', description: 'The question.' },
            choices: {
              type: 'array',
              maxItems: 10,
              items: {
                type: 'object',
                properties: {
                  label: { type: 'string', description: 'One to five words.' },
                  detail: { type: 'string', description: 'What it means, in one sentence.' },
                },
                required: ['label'],
                additionalProperties: false,
              },
            },
            several: { type: 'boolean', description: 'True if several choices may be taken.' },
          },
          required: ['text'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  },
  group: 'other',
  effect: 'reads',
  prepare: async (invocation) => (await import('./asking.ts')).prepareQuestions(invocation),
  run: async (invocation, context) => (await import('./asking.ts')).tellAnswers(invocation, context),
};
