import type { ToolBlock } from '../content-block.ts';
import { fieldIn, isList, listIn, objectIn, parseJson, textIn, textsOf } from './foreign.ts';
import type { View } from './view.ts';

/** Tools by which a model asks people to choose: each question with its options, those that were chosen ticked. */
export const questionView: View = {
  ofCall: (parameters) => questionBlocks(listIn(parameters, 'questions'), undefined),
  ofResult(parameters, { details, text }) {
    const answers = fieldIn(details, 'answers') ?? fieldIn(parseJson(text ?? ''), 'answers');
    return questionBlocks(listIn(details, 'questions') ?? listIn(parameters, 'questions'), answers);
  },
};

/** Tools by which a model hands in a plan before it begins: the plan. */
export const planView: View = {
  ofCall: (parameters) => markdown(textIn(parameters, 'plan')),
  ofResult: (parameters, { details }) =>
    markdown(textIn(details, 'plan') ?? textIn(parameters, 'plan'), textIn(details, 'filePath')),
};

function questionBlocks(questions: readonly unknown[] | undefined, answers: unknown): ToolBlock[] {
  const parts = (questions ?? []).flatMap((question, index) => {
    const words = textIn(question, 'question');
    if (words === undefined || words.trim() === '') return [];
    const chosen = new Set(answersTo(question, index, answers));
    const options = (listIn(question, 'options') ?? []).flatMap((option) => {
      const label = textIn(option, 'label');
      if (label === undefined) return [];
      const description = textIn(option, 'description');
      return [`- [${chosen.delete(label) ? 'x' : ' '}] ${label}${description === undefined ? '' : `: ${description}`}`];
    });
    // The answers that people wrote instead of choosing.
    const own = [...chosen].map((answer) => `- [x] ${answer}`);
    return [[words, '', ...options, ...own].join('\n').trimEnd()];
  });
  return parts.length === 0 ? [] : markdown(parts.join('\n\n'));
}

/** Finds the answers to a question by its words, by its id, or in the order of the questions. */
function answersTo(question: unknown, index: number, answers: unknown): string[] {
  const keys = [textIn(question, 'question'), textIn(question, 'id')].filter((key) => key !== undefined);
  const answer = isList(answers) ? answers[index] : fieldIn(answers, ...keys);
  if (typeof answer === 'string') return labelsIn(textIn({ answer }, 'answer') ?? '', question);
  return textsOf(answer) ?? textsOf(listIn(objectIn({ answer }, 'answer'), 'answers')) ?? [];
}

/** Splits an answer into labels, which stand with commas between them and may have commas themselves. */
function labelsIn(answer: string, question: unknown): string[] {
  const labels = new Set((listIn(question, 'options') ?? []).map((option) => textIn(option, 'label')));
  const parts = answer.split(', ');
  return !labels.has(answer) && parts.every((part) => labels.has(part)) ? parts : [answer];
}

function markdown(content: string | undefined, filename?: string): ToolBlock[] {
  if (content === undefined || content.trim() === '') return [];
  return [{ type: 'code', content, language: 'markdown', ...(filename === undefined ? {} : { filename }) }];
}
