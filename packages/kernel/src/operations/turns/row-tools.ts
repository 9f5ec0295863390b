import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject, ToolBlock } from '@loom/blocks';
import type { Tool, ToolOutcome } from '../../tool.ts';
import type { Outcome } from '../../refusal.ts';
import { modelWords } from '../model-words.ts';
import type { Operation } from '../operation.ts';
import { patchAnswer, patchAnswerSchema } from '../patch-answer.ts';

/** The rows of the table that models may use, as tools. Each is made when a conversation names it first: its schema takes time. */
export class RowTools {
  readonly #made = new Map<string, Tool>();

  /** The tool of a row, by its name with `_` for `.`. */
  find(name: string, operations: readonly Operation[]): Tool | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const row = operations.find((each) => each.doors.includes('model') && nameOf(each) === name);
    const tool = row && rowTool(row);
    if (tool !== undefined) this.#made.set(name, tool);
    return tool;
  }

  /** All of them. */
  all(operations: readonly Operation[]): Tool[] {
    const rows = operations.filter(({ doors }) => doors.includes('model'));
    return rows.flatMap((row) => this.find(nameOf(row), operations) ?? []);
  }
}

function nameOf({ name }: Operation): string {
  return name.replaceAll('.', '_');
}

/** A call is made in the model's name. In plan mode a model looks and changes nothing. */
function rowTool(row: Operation): Tool {
  const { name, summary, effect } = row;
  return {
    name: nameOf(row),
    description: inToolNames(summary),
    parameters: schemaOf(row),
    // The rest of long results is read with it, whatever tool they are of.
    group: name === 'blob.read' ? 'other' : 'forest',
    effect,
    prepare: async (_invocation, { approvalMode }) =>
      approvalMode === 'plan' && effect !== 'reads'
        ? { permission: 'deny', preview: [text('The conversation is in plan mode: nothing may be changed yet.')] }
        : { permission: 'run' },
    run: async ({ parameters }, { call }) => outcomeOf(name, await call(name, parameters)),
  };
}

function outcomeOf(name: string, outcome: Outcome<unknown>): ToolOutcome {
  if (name === 'block.apply_patch') {
    const answered = patchAnswer(outcome.ok ? { ok: true, value: patched.parse(outcome.value) } : outcome);
    return { content: [text(JSON.stringify(answered))], is_error: !answered.success };
  }
  if (!outcome.ok) return { content: [text(inToolNames(modelWords(outcome.refusal)))], is_error: true };
  return { content: [text(JSON.stringify(outcome.value))] };
}

const patched = patchAnswerSchema().pick({ version: true, offsets: true });

function text(words: string): ToolBlock {
  return { type: 'text', text: words };
}

/** Names of rows as models know them. */
function inToolNames(words: string): string {
  return words.replaceAll(/\b(block|kernel)\.([a-z_]+)/gu, '$1_$2');
}

function schemaOf({ params }: Operation): PlainObject {
  const { $schema: _version, ...schema } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  return isPlainObject(plain) ? plain : {};
}
