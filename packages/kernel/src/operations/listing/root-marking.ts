import { z } from 'zod';
import { knownRootId, rootId } from '../../forest/ids.ts';
import { decideMarkRoot } from '../../forest/editing/marks.ts';
import type { MarkRootParams } from '../../forest/editing/marks.ts';
import { decideRemoveRoot } from '../../forest/roots.ts';
import { markRootParams, readParams } from '../../forest/params.ts';
import { rootValue } from '../../forest/values.ts';
import { isAboutOneLog } from '../../store.ts';
import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';

const tags = z.array(z.string());

const marks = {
  title: z.string().nullable().exactOptional().describe('The new title.'),
  tags: tags.nullable().exactOptional().describe('The tags, replacing all earlier ones.'),
  add_tags: tags.exactOptional().describe('Tags to add to the others.'),
  remove_tags: tags.exactOptional().describe('Tags to take away from the others.'),
  archived: z
    .boolean()
    .exactOptional()
    .describe('Whether lists leave it out. It is still found by its id and by searches.'),
  project: z
    .string()
    .min(1)
    .nullable()
    .exactOptional()
    .describe('The id of the project that it belongs to; null for that of its folder.'),
};

const many = z.array(knownRootId).min(1).max(10_000);

/** The answer for one of many conversations. */
const markedItem = z.strictObject({
  root: z.string(),
  before: z
    .strictObject({
      title: z.string().nullable().exactOptional(),
      tags: tags.nullable().exactOptional(),
      archived: z.boolean().exactOptional(),
      project: z.string().nullable().exactOptional(),
      deleted: z.boolean().exactOptional(),
    })
    .exactOptional()
    .describe('The values that were replaced; absent if nothing has changed.'),
  refusal: z.looseObject({ reason: z.string() }).exactOptional().describe('Why this one was left as it was.'),
});
type MarkedItem = z.infer<typeof markedItem>;

/** One conversation, or what became of each of many. */
const marked = z.strictObject({
  root: z.string().exactOptional().describe('The conversation, if one was named by root.'),
  items: z.array(markedItem).exactOptional().describe('The answer for each conversation, if several were named.'),
});

function namesOneWay(params: object): boolean {
  return ['root', 'roots', 'each'].filter((name) => Object.hasOwn(params, name)).length === 1;
}

const markRoot = defineOperation({
  name: 'root.mark',
  summary:
    'Sets the title, tags or project of a conversation, or archives it; or of many in one call, each for itself. Omitted fields stay as they are; null removes a value. To undo marks of many, pass root and before of the changed items as each.',
  params: () =>
    z
      .strictObject({
        root: rootId.exactOptional().describe('The id of a conversation.'),
        roots: many.exactOptional().describe('Many conversations that get the same marks.'),
        each: z
          .array(z.strictObject({ root: knownRootId, ...marks }))
          .min(1)
          .max(10_000)
          .exactOptional()
          .describe('Many conversations, each with marks of its own.'),
        ...marks,
      })
      .refine(namesOneWay, { error: 'needs one of root, roots and each' }),
  result: () => marked,
  effect: 'changes',
  run: async (engine, caller, { root, roots = [], each = [], ...same }) => {
    if (root !== undefined) return engine.forest.markRoot(caller, root, same);
    const wanted = each.length > 0 ? each : roots.map((id) => ({ root: id, ...same }));
    return { ok: true, value: { items: await markEach(engine, caller, wanted) } };
  },
});

async function markEach(
  engine: LoomEngine,
  caller: Caller,
  wanted: readonly ({ root: string } & MarkRootParams)[],
): Promise<MarkedItem[]> {
  return forEach(wanted, ({ root, ...params }) => {
    const read = readParams(markRootParams, params);
    const decide = (state: RootState) => (read.ok ? decideMarkRoot(state, caller.agent, read.value) : read);
    return changeOne(engine, caller, root, decide);
  });
}

const removeRoot = defineOperation({
  name: 'root.remove',
  summary:
    'Deletes a conversation, or many in one call. They can be restored. A conversation with bookmarks is protected.',
  params: () =>
    z
      .strictObject({
        root: rootId.exactOptional().describe('The id of a conversation.'),
        roots: many.exactOptional().describe('Many conversations.'),
      })
      .refine(namesOneWay, { error: 'needs one of root and roots' }),
  result: () => marked,
  refusals: ['bookmarked', 'turn-live'],
  effect: 'changes',
  run: async (engine, caller, { root, roots = [] }) => {
    if (root !== undefined) return engine.forest.removeRoot(caller, root);
    const items = await forEach(roots, (id) => changeOne(engine, caller, id, decideRemoveRoot));
    return { ok: true, value: { items } };
  },
});

const restoreRoot = defineOperation({
  name: 'root.restore',
  summary: 'Restores a deleted conversation, or many in one call.',
  params: () =>
    z
      .strictObject({
        root: rootId.exactOptional().describe('The id of a conversation.'),
        roots: many.exactOptional().describe('Many conversations.'),
      })
      .refine(namesOneWay, { error: 'needs one of root and roots' }),
  result: () => marked,
  effect: 'changes',
  run: async (engine, caller, { root, roots = [] }) => {
    if (root !== undefined) return engine.forest.restoreRoot(caller, root);
    const items = await forEach(roots, async (id): Promise<MarkedItem> => {
      const restored = await answerOf(id, () => engine.forest.restoreRoot(caller, id));
      return restored.ok ? { root: id } : { root: id, refusal: { ...restored.refusal } };
    });
    return { ok: true, value: { items } };
  },
});

/** Does something for each of many conversations, some at once: a store commits appends to several logs together. */
async function forEach<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<MarkedItem>,
): Promise<MarkedItem[]> {
  const answers: MarkedItem[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    answers.push(...(await Promise.all(items.slice(start, start + atOnce).map(change))));
  return answers;
}

const atOnce = 50;

/** Changes one of many conversations, and notes the values that it replaces. */
async function changeOne(
  engine: LoomEngine,
  caller: Caller,
  root: string,
  decide: (state: RootState) => Decision<RootOp, { root: string }>,
): Promise<MarkedItem> {
  let before: MarkedItem['before'];
  const outcome = await answerOf(root, () =>
    engine.forest.change(caller, root, rootValue, (state) => {
      const decision = decide(state);
      before = decision.ok ? replacedBy(state, decision.ops) : undefined;
      return decision;
    }),
  );
  if (!outcome.ok) return { root, refusal: { ...outcome.refusal } };
  return before === undefined ? { root } : { root, before };
}

/** A damaged conversation must not keep the others from being changed. */
async function answerOf<T>(root: string, change: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await change();
  } catch (error) {
    if (isAboutOneLog(error)) return refuse({ reason: 'root-not-found', root });
    throw error;
  }
}

function replacedBy(state: RootState, ops: readonly RootOp[]): MarkedItem['before'] {
  const [op] = ops;
  if (op?.type !== 'root-changed') return undefined;
  const { title, tags: before, archived, project, deleted } = state;
  return {
    ...(op.title === undefined ? {} : { title: title ?? null }),
    ...(op.tags === undefined ? {} : { tags: before.length === 0 ? null : [...before] }),
    ...(op.archived === undefined ? {} : { archived }),
    ...(op.project === undefined ? {} : { project: project ?? null }),
    ...(op.deleted === undefined ? {} : { deleted }),
  };
}

export const markingOperations = [markRoot, removeRoot, restoreRoot] as const;
