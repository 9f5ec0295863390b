import { cleanText, isPlainObject } from '@loom/blocks';
import type { Answer, Question, Tool, ToolInvocation } from '@loom/kernel';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

const options = {
  type: 'array',
  items: { type: 'object', properties: { label: { type: 'string' }, detail: { type: 'string' } }, required: ['label'] },
  description: 'Answers to choose from',
};

/** Asks the user one question, or several at once, and gives the answers to the model. */
export const ask: Tool = {
  name: 'ask_person',
  description: 'Asks the person a question, or several.',
  parameters: {
    ...objectWith({
      question: textFor('The question'),
      options: { ...options, items: { type: ['string', 'object'] } },
      questions: {
        type: 'array',
        items: objectWith({ question: textFor('The question'), options, several: { type: 'boolean' } }),
        description: 'Several questions, instead of one',
      },
    }),
    required: [],
  },
  async prepare(invocation) {
    const questions = questionsIn(invocation);
    const [first] = questions;
    return {
      permission: 'question',
      preview: questions.length === 1 && first !== undefined ? [{ type: 'text', text: first.text }] : [],
      ...(first === undefined ? {} : { questions }),
    };
  },
  async run(invocation, { answer, answers }) {
    if (answers !== undefined) return { content: [{ type: 'text', text: told(questionsIn(invocation), answers) }] };
    return answer === undefined
      ? refuse('The question was not answered.')
      : { content: [{ type: 'text', text: cleanText(answer) }] };
  },
};

function questionsIn(invocation: ToolInvocation): Question[] {
  const { questions } = invocation.parameters;
  const single = textParameter(invocation, 'question');
  const listed = Array.isArray(questions) ? questions.flatMap(readQuestion) : [];
  if (listed.length > 0) return listed;
  return single === undefined || single === '' ? [] : readQuestion({ ...invocation.parameters, question: single });
}

function readQuestion(value: unknown): Question[] {
  if (!isPlainObject(value) || typeof value['question'] !== 'string' || value['question'] === '') return [];
  const offered = Array.isArray(value['options']) ? value['options'].flatMap(readChoice) : [];
  const choices = [...new Map(offered.map((choice) => [choice.label, choice])).values()];
  return [
    {
      text: cleanText(value['question']),
      ...(choices.length === 0 ? {} : { choices }),
      ...(value['several'] === true ? { several: true as const } : {}),
    },
  ];
}

function readChoice(value: unknown): { label: string; detail?: string }[] {
  const { label, detail } = isPlainObject(value) ? value : { label: value, detail: undefined };
  if (typeof label !== 'string' || label === '') return [];
  const more = typeof detail === 'string' && detail !== '' ? { detail: cleanText(detail) } : {};
  return [{ label: cleanText(label), ...more }];
}

/** Returns the answer alone for one question, else each after its question. */
function told(questions: readonly Question[], answers: readonly Answer[]): string {
  const words = answers.map(({ chosen = [], text }) => [...chosen, ...(text === undefined ? [] : [text])].join(', '));
  if (words.length === 1) return cleanText(words[0] ?? '');
  return cleanText(words.map((word, index) => `${questions[index]?.text ?? ''} ${word}`.trim()).join('\n'));
}
