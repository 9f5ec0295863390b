import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject, ToolBlock } from '@loom/blocks';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';
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

/** Rows that models are offered in any conversation: to read the rest of long results, and to begin a draft. */
const forAll = ['blob.read', 'draft.create'];

/** Rows that models write drafts with. */
const forDrafts = ['draft.list', 'block.read', 'block.search', 'block.edit', 'block.apply_patch', 'block.undo'];

/** A call is made in the model's name, in its own conversation. In plan mode a model changes drafts alone. */
function rowTool(row: Operation): Tool {
  const { name, summary, effect } = row;
  const { schema, hasRoot } = schemaOf(row);
  return {
    name: nameOf(row),
    description: inToolNames(summary),
    parameters: schema,
    group: forAll.includes(name) ? 'other' : 'forest',
    ...(forDrafts.includes(name) ? { forDrafts: true } : {}),
    effect,
    prepare: async ({ parameters }, context) =>
      context.approvalMode !== 'plan' || effect === 'reads' || (await isOfDraft(name, parameters, context))
        ? { permission: 'run' }
        : { permission: 'deny', preview: [text('The conversation is in plan mode: only drafts may be changed yet.')] },
    run: async ({ parameters }, { call, root }) =>
      outcomeOf(name, await call(name, hasRoot ? { ...parameters, root } : parameters)),
  };
}

/** Returns true if a call begins a draft, or changes the text of one. */
async function isOfDraft(name: string, parameters: PlainObject, { call, root }: ToolContext): Promise<boolean> {
  if (name === 'draft.create') return true;
  if (!forDrafts.includes(name)) return false;
  const outcome = await call('draft.list', { root });
  const { drafts } = (outcome.ok ? listed.safeParse(outcome.value).data : undefined) ?? { drafts: [] };
  return drafts.some(({ block_id: id }) => id !== undefined && id === parameters['block_id']);
}

const listed = z.object({ drafts: z.array(z.object({ block_id: z.string().optional() })) });

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
  return words.replaceAll(/\b(block|kernel|draft)\.([a-z_]+)/gu, '$1_$2');
}

/** The schema of a row's parameters for a model, which need not name the conversation that it is in. */
function schemaOf({ params }: Operation): { schema: PlainObject; hasRoot: boolean } {
  const { $schema: _version, ...made } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  const plain: unknown = JSON.parse(JSON.stringify(made));
  const schema = isPlainObject(plain) ? plain : {};
  const { properties, required } = schema;
  if (!isPlainObject(properties) || !Object.hasOwn(properties, 'root')) return { schema, hasRoot: false };
  const { root: _root, ...others } = properties;
  const needed = Array.isArray(required) ? required.filter((name) => name !== 'root') : [];
  return { schema: { ...schema, properties: others, required: needed }, hasRoot: true };
}
