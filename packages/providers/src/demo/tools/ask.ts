import { cleanText } from '@loom/blocks';
import type { Tool } from '@loom/kernel';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

/** Asks the person a question and gives the answer to the model. */
export const ask: Tool = {
  name: 'ask',
  description: 'Asks the person a question.',
  parameters: {
    ...objectWith({
      question: textFor('The question'),
      options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from' },
    }),
    required: ['question'],
  },
  async prepare(invocation) {
    const text = textParameter(invocation, 'question');
    return { permission: 'question', preview: text === undefined ? [] : [{ type: 'text', text }] };
  },
  async run(_invocation, { answer }) {
    return answer === undefined
      ? refuse('The question was not answered.')
      : { content: [{ type: 'text', text: cleanText(answer) }] };
  },
};
