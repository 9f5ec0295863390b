import type { ToolUseBlock } from '@loom/blocks';
import type { Answer, Ask, Question } from '@loom/kernel';
import { questionOptions } from './question-options.ts';

/** The questions of a call. If its tool does not list them, they are read out of the call, and the answer is words alone. */
export interface AskedQuestions {
  readonly questions: readonly Question[];
  readonly isTold: boolean;
}

export function questionsOf(call: ToolUseBlock, { questions }: Ask, title: string): AskedQuestions {
  if (questions !== undefined) return { questions, isTold: true };
  const choices = questionOptions(call).map(({ label, description: detail }) =>
    detail === undefined ? { label } : { label, detail },
  );
  return { questions: [{ text: title, ...(choices.length === 0 ? {} : { choices }) }], isTold: false };
}

/** An answer as it is being made. */
export interface AnswerDraft {
  readonly chosen: readonly string[];
  readonly text: string;
}

export const noAnswer: AnswerDraft = { chosen: [], text: '' };

export function isAnswered({ chosen, text }: AnswerDraft): boolean {
  return chosen.length > 0 || text.trim() !== '';
}

/** Chooses a label or gives it up. If only one choice is allowed, it replaces everything said before. */
export function choose({ chosen, text }: AnswerDraft, label: string, { several }: Question): AnswerDraft {
  if (several !== true) return { chosen: [label], text: '' };
  const others = chosen.filter((one) => one !== label);
  return { chosen: others.length < chosen.length ? others : [...chosen, label], text };
}

/** Own words stand beside several choices, and instead of one. */
export function say({ chosen }: AnswerDraft, text: string, { several }: Question): AnswerDraft {
  return { chosen: several === true || text.trim() === '' ? chosen : [], text };
}

/** The answers as they are given. */
export function answersOf(drafts: readonly AnswerDraft[], questions: readonly Question[]): Answer[] {
  return drafts.map(({ chosen, text }, index) => {
    // In the order in which they were offered, not in that of the clicks.
    const labels = (questions[index]?.choices ?? [])
      .map(({ label }) => label)
      .filter((label) => chosen.includes(label));
    return {
      ...(labels.length === 0 ? {} : { chosen: labels }),
      ...(text.trim() === '' ? {} : { text: text.trim() }),
    };
  });
}

/** `Warp, Weft, but not the blue ones` */
export function answerWords({ chosen = [], text }: Answer): string {
  return [...chosen, ...(text === undefined ? [] : [text])].join(', ');
}
