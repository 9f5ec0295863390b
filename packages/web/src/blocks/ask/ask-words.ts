import { isPlainObject } from '@loom/blocks';
import type { ToolBlock, ToolUseBlock } from '@loom/blocks';
import type { Ask } from '@loom/kernel';
import { count } from '../../words/amounts.ts';
import { toolLine } from '../tools/tool-kinds.ts';

/** The question that a person has to answer, in a sentence. */
export function askTitle(call: ToolUseBlock, { kind, preview, questions = [], modes }: Ask): string {
  if (kind === 'question') {
    const [first] = questions;
    if (questions.length > 1) return count(questions.length, 'question');
    return first?.text ?? questionOf(call, preview);
  }
  if (modes !== undefined) return 'The model proposes a plan';
  if (isLimit(call)) return 'Spend beyond the limit?';
  const files = preview.flatMap((block) => (block.type === 'file-change' ? block.changes : []));
  if (files.length > 0) return `Change ${files.length === 1 ? 'this file' : count(files.length, 'file')}?`;
  const { kind: tool, verb } = toolLine(call.name, call.parameters);
  if (tool === 'command' || preview.some(({ type }) => type === 'command')) return 'Run this command?';
  return `Allow ${verb}?`;
}

/** Returns true if a person is asked about a spending limit, in whose place no tool stands. */
export function isLimit({ name }: ToolUseBlock): boolean {
  return name === 'spending-limit';
}

/** Returns the question of a model. */
function questionOf({ parameters }: ToolUseBlock, preview: readonly ToolBlock[]): string {
  const said = preview.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (said !== '') return said;
  const question: unknown = isPlainObject(parameters) ? parameters['question'] : undefined;
  return typeof question === 'string' && question !== '' ? question : 'The model has a question.';
}

/** The arguments exactly as the model wrote them: a decision is bound to them. */
export function exactArguments({ arguments: written, parameters }: ToolUseBlock): string {
  return written ?? JSON.stringify(parameters);
}
