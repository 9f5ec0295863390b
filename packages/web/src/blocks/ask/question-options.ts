import { isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';

/** An answer that a model offers. */
export interface QuestionOption {
  readonly label: string;
  readonly description?: string;
}

const labelKeys = ['label', 'title', 'name', 'value'];

/** Returns the answers that a call offers to its question, whatever its agent calls them; none if it asks several questions at once. */
export function questionOptions({ parameters }: ToolUseBlock): QuestionOption[] {
  const questions = listOf(parameters['questions']);
  const question: unknown = questions.length === 1 ? questions[0] : parameters;
  if (questions.length > 1 || !isPlainObject(question)) return [];
  const offered = listOf(question['options'] ?? question['choices']);
  const options = offered.flatMap((option) => readOption(option) ?? []);
  return options.filter(({ label }, index) => options.findIndex((other) => other.label === label) === index);
}

function readOption(option: unknown): QuestionOption | undefined {
  if (typeof option === 'string') return option.trim() === '' ? undefined : { label: option };
  if (!isPlainObject(option)) return undefined;
  const label = labelKeys.map((key) => option[key]).find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof label !== 'string') return undefined;
  const description = option['description'];
  return typeof description === 'string' && description !== '' ? { label, description } : { label };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
