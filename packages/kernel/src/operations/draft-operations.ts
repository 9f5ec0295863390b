import { z } from 'zod';
import { editableText } from '@loom/blocks';
import { nodeId, rootId } from '../forest/ids.ts';
import { rootOfId } from '../forest/reading/block-place.ts';
import { draftValue, nodeValue } from '../forest/values.ts';
import { isoTime } from '../iso-time.ts';
import { once } from '../once.ts';
import type { NodeState } from '../state/node-state.ts';
import { liveDrafts } from '../state/tree/tree.ts';
import { blockToolDoors } from './doors.ts';
import { defineOperation } from './operation.ts';

/** Texts that a conversation holds beside its messages. They are read and edited with the block operations. */

const draft = once(() =>
  z.strictObject({
    node: z.string(),
    block_id: z.string().exactOptional().describe('The block with its text.'),
    title: z.string().exactOptional(),
    opening: z.string().describe('The first 200 characters of its text.'),
    length: z.int().nonnegative().describe('The length of its text, in UTF-16 units.'),
    version: z.int().nonnegative().describe('Higher than before if anyone has changed its text.'),
    agent: z.string().exactOptional().describe('The agent that started it.'),
    created: z.string().describe('A time, as ISO 8601 in UTC.'),
  }),
);

const createDraft = defineOperation({
  name: 'draft.create',
  summary:
    'Begins a draft: a text beside the messages of a conversation, such as a plan or an article, that people and models write together. Use it for a text that will be worked on, instead of repeating it in messages. Models see it only when they read it. Edit it with block.edit, as soon as that is offered.',
  params: () =>
    z.strictObject({
      root: rootId,
      title: z.string().exactOptional().describe('A name for it.'),
      text: z.string().describe('The text to begin with; it may be empty.'),
    }),
  result: () => draftValue,
  effect: 'changes',
  role: 'appender',
  doors: blockToolDoors,
  run: (engine, caller, { root, ...params }) => engine.forest.createDraft(caller, root, params),
});

const listDrafts = defineOperation({
  name: 'draft.list',
  summary:
    'Lists the drafts of a conversation, the oldest first. Read one with block.read, and again whenever its version has changed, since people edit it between your turns; change it with block.edit.',
  params: () => z.strictObject({ root: rootId }),
  result: () => z.strictObject({ drafts: z.array(draft()) }),
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, _caller, { root }) => {
    const { cursor, value } = await engine.forest.log(root).read((state) => ({
      drafts: state.deleted ? [] : liveDrafts(state).map(describeDraft),
    }));
    return { ok: true, value, cursor };
  },
});

const removeDraft = defineOperation({
  name: 'draft.remove',
  summary: 'Removes a draft. tree.undo brings it back.',
  params: () => z.strictObject({ node: nodeId.describe('The draft, from draft.list.') }),
  result: () => nodeValue,
  refusals: ['node-not-found'],
  effect: 'changes',
  run: (engine, caller, { node }) => engine.forest.removeDraft(caller, rootOfId(node), node),
});

function describeDraft({ id, title, blocks, time }: NodeState): z.infer<ReturnType<typeof draft>> {
  const [block] = blocks;
  const text = (block && editableText(block)) ?? '';
  return {
    node: id,
    ...(block?.block_id === undefined ? {} : { block_id: block.block_id }),
    ...(title === undefined ? {} : { title }),
    opening: text.slice(0, longestOpening).toWellFormed(),
    length: text.length,
    version: block?.version ?? 1,
    ...(block?.agent === undefined ? {} : { agent: block.agent }),
    created: isoTime(time),
  };
}

const longestOpening = 200;

export const draftOperations = [createDraft, listDrafts, removeDraft] as const;
