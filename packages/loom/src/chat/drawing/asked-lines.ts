import type { ToolUseBlock } from '@loom/blocks';
import { dangerOf, reachWords, ruleSentence } from '@loom/blocks/asking';
import type { Ask, FeedEvent, PermissionRule, Question } from '@loom/kernel';
import { renderBlock, renderCallInFull } from './cards.ts';
import type { Line } from './column.ts';

/** A call that waits, with everything that a person has to know: its questions with numbered choices, or all its arguments. */
export function renderAsked(call: ToolUseBlock, { kind, questions, preview }: Ask): Line[] {
  if (kind === 'question' && questions !== undefined) {
    return [{ text: `● ${call.name}`, tone: 'strong' }, ...renderQuestions(questions)];
  }
  const danger = kind === 'ask' ? dangerOf(preview) : undefined;
  const warning: Line[] = danger === undefined ? [] : [{ text: `  ! ${danger}`, tone: 'bad' }];
  const shown = kind === 'ask' ? renderPreview(call, preview) : [];
  return [...(shown.length > 0 ? shown : renderCallInFull(call)), ...warning];
}

/** Draws what a call would do, in the words of its tool: the exact command, the change of a file, the plan. */
function renderPreview(call: ToolUseBlock, preview: Ask['preview']): Line[] {
  // A command or a change says everything that is in the arguments; a sentence alone may not.
  const isWhole = preview.some(({ type }) => type === 'command' || type === 'file-change') || call.name === 'exit_plan';
  if (!isWhole) return [];
  const lines = preview.flatMap((block) => renderBlock(block));
  return [{ text: `● ${call.name}`, tone: 'strong' }, ...lines.map((line) => ({ ...line, text: `  ${line.text}` }))];
}

/** Questions with their choices, by the numbers that answer them. */
function renderQuestions(questions: readonly Question[]): Line[] {
  return questions.flatMap(({ text, choices = [], several }, index) => {
    const number = questions.length === 1 ? '' : `${index + 1}. `;
    const [first = '', ...rest] = text.split('\n');
    const lines = [`  ${number}${first}${several === true ? ' (choose any)' : ''}`, ...rest.map((line) => `  ${line}`)];
    const offered = choices.map(
      ({ label, detail }, at) => `    ${at + 1}  ${label}${detail === undefined ? '' : `: ${detail}`}`,
    );
    return [...lines, ...offered].map((line) => ({ text: line }));
  });
}

/** A rule as a sentence, and as it is stored. */
export function renderRule(rule: PermissionRule): Line[] {
  const words = ruleSentence(rule).map(({ kind, text }) =>
    kind === 'words' ? text : kind === 'exact' ? `\`${text}\`` : ` (${text})`,
  );
  return [{ text: `  ${words.join('')}` }, { text: `  Stored as ${JSON.stringify(rule)}`, tone: 'faint' }];
}

/** Words a decision beyond yes or no: its scope, changed arguments, answers. Returns nothing if there is no more. */
export function decisionWords(decided: Extract<FeedEvent, { type: 'approval' }>): string | undefined {
  const { decision, by, scope = 'once', answers, arguments_changed: changed } = decided;
  if (answers !== undefined) {
    const said = answers.map(({ chosen = [], text }) => [...chosen, ...(text === undefined ? [] : [text])].join(', '));
    return `answered by ${by}: ${said.join(' · ')}`;
  }
  if (decision !== 'approved' || (scope === 'once' && changed === undefined)) return undefined;
  return `allowed by ${by}${reachWords(scope)}${changed === undefined ? '' : `, with ${changed}`}`;
}
