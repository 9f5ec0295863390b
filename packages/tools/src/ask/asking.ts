import { cleanText, isPlainObject } from '@loom/blocks';
import type { Answer, PreparedCall, Question, ToolContext, ToolInvocation, ToolOutcome } from '@loom/kernel';

/** Puts the questions to a person, or denies a call with none. */
export function prepareQuestions(invocation: ToolInvocation): PreparedCall {
  const questions = questionsIn(invocation);
  if (questions.length === 0) return { permission: 'deny', preview: [{ type: 'text', text: noQuestion }] };
  const preview = questions.length === 1 ? questions.map(({ text }) => ({ type: 'text' as const, text })) : [];
  return { permission: 'question', preview, questions };
}

/** Tells the model the answers: alone for one question, else each after its question. */
export function tellAnswers(invocation: ToolInvocation, { answer, answers }: ToolContext): ToolOutcome {
  const words = answers === undefined ? answer : wordsOf(questionsIn(invocation), answers);
  if (words === undefined)
    return { content: [{ type: 'text', text: 'The question was not answered.' }], is_error: true };
  return { content: [{ type: 'text', text: cleanText(words) }] };
}

const noQuestion =
  'No question was asked: give "questions": [{"text": "…", "choices": [{"label": "…"}]}] with at least one text.';

function questionsIn({ parameters }: ToolInvocation): Question[] {
  const { questions } = parameters;
  return Array.isArray(questions) ? questions.flatMap(readQuestion) : [];
}

function readQuestion(value: unknown): Question[] {
  const { text, choices, several } = isPlainObject(value) ? value : { text: value };
  if (typeof text !== 'string' || text.trim() === '') return [];
  const offered = Array.isArray(choices) ? choices.flatMap(readChoice) : [];
  // Two choices with one label could not be told apart in the answer.
  const apart = [...new Map(offered.map((choice) => [choice.label, choice])).values()];
  return [
    {
      text: cleanText(text),
      ...(apart.length === 0 ? {} : { choices: apart }),
      ...(several === true && apart.length > 0 ? { several: true as const } : {}),
    },
  ];
}

/** Reads a choice; models also write the label alone. */
function readChoice(value: unknown): { label: string; detail?: string }[] {
  const { label, detail } = isPlainObject(value) ? value : { label: value };
  if (typeof label !== 'string' || label.trim() === '') return [];
  const more = typeof detail === 'string' && detail !== '' ? { detail: cleanText(detail) } : {};
  return [{ label: cleanText(label), ...more }];
}

function wordsOf(questions: readonly Question[], answers: readonly Answer[]): string {
  const words = answers.map(({ chosen = [], text }) => [...chosen, ...(text === undefined ? [] : [text])].join(', '));
  if (words.length === 1) return words[0] ?? '';
  return words.map((word, index) => `${questions[index]?.text ?? ''}\n  ${word}`).join('\n');
}
