import type { Topic } from './topic.ts';

/** A call that breaks in the middle of its text: the model `error` does the same with any prompt. */
export const breakdown: Topic = {
  example: 'show me an error',
  description: 'an answer that breaks off with an error',
  pattern: /\b(?:show|make|cause|give|simulate)\b.{0,20}\berror\b|^\W*(?:error|crash)\b/iu,
  write: () => ({
    lines: [{ type: 'text', text: 'I was about to tell you something important. It is this: the most' }],
    ending: {
      type: 'call-error',
      error: {
        code: 'overloaded',
        message: 'The demo pretends to be overloaded. Say something else, or try again.',
        detail: { status: 529, pretended: true },
      },
    },
  }),
};

/** A call that is declined: the model `refusal` does the same with any prompt. */
export const refusal: Topic = {
  example: 'refuse to answer',
  description: 'an answer that the model declines to give',
  pattern: /\brefus\w*|\bforbidden\b/iu,
  write: () => ({
    lines: [
      {
        type: 'text',
        text: 'I would rather not answer this. Edit your message and ask me again: the old branch stays.',
      },
    ],
    ending: { type: 'call-end', reason: 'refusal' },
  }),
};
