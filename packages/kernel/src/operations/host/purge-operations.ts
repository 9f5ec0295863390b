import { z } from 'zod';
import { blockId, rootId } from '../../forest/ids.ts';
import { rootOfId } from '../../forest/reading/block-place.ts';
import type { PurgePlan } from '../../purge/purge-plan.ts';
import { refuse, refuseValue } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import { refuseLimited } from '../permission.ts';

const purgeBlocks = defineOperation({
  name: 'block.purge',
  summary:
    'Erases what blocks or whole conversations ever said, in all versions, copies and files. This cannot be undone. Without confirmed nothing is changed: the result shows what would go, and where else the same words are. Refused while a turn runs in one of the conversations.',
  params: () =>
    z.strictObject({
      blocks: z
        .array(blockId)
        .exactOptional()
        .describe('Blocks to erase. Copies of them, and what they were copied from, go too.'),
      roots: z.array(rootId).exactOptional().describe('Conversations to erase as a whole.'),
      confirmed: z.boolean().exactOptional().describe('Whether to do it. Default: false.'),
    }),
  result: () =>
    z.strictObject({
      purged: z.boolean().describe('Whether it was done.'),
      roots: z.array(z.string()),
      blocks: z.array(z.string()),
      messages: z.int().describe('The number of messages that the blocks are in.'),
      blobs: z.array(z.string()).describe('Files and pictures that nothing else cites.'),
      texts: z
        .array(z.strictObject({ block: z.string(), text: z.string() }))
        .describe('What the blocks say, shortened. Empty once it is done.'),
      elsewhere: z
        .array(
          z.strictObject({
            root: z.string(),
            block: z.string().exactOptional().describe('Absent for titles, settings and bookmarks.'),
            earlier: z.boolean().describe('Whether only an earlier version says it.'),
            words: z.string().exactOptional().describe('Only before it is done.'),
          }),
        )
        .describe('What still says the same afterwards.'),
      unread: z
        .array(z.string())
        .exactOptional()
        .describe('Conversations that could not be looked into, because their logs are damaged.'),
    }),
  refusals: ['turn-live', 'changed-since'],
  effect: 'changes',
  role: 'owner',
  isSecret: true,
  run: async (engine, caller, { blocks = [], roots = [], confirmed = false }) => {
    const denied = refuseLimited(caller, 'block.purge') ?? (await refuseMissing(engine, blocks));
    if (denied !== undefined) return denied;
    if (blocks.length + roots.length === 0) return refuseValue([], 'must name a block or a conversation');
    const target = { blocks, roots };
    const outcome = await (confirmed ? engine.purge(target) : engine.planPurge(target));
    return outcome.ok ? { ok: true, value: answer(outcome.value, confirmed) } : outcome;
  },
});

/** Blocks of the conversations are known to the door; whether there are such blocks is not. Those that were taken out count. */
async function refuseMissing({ forest }: LoomEngine, blocks: readonly string[]): Promise<Refused | undefined> {
  for (const block of blocks) {
    const root = rootOfId(block);
    const { value: isThere } = await forest
      .log(root)
      .read((state) => state.block(block) !== undefined || state.retired.has(block));
    if (!isThere) return refuse({ reason: 'block-not-found', block });
  }
  return undefined;
}

function answer(plan: PurgePlan, isDone: boolean) {
  const { roots, blocks, nodes, blobs, texts, echoes, unread } = plan;
  return {
    purged: isDone,
    roots,
    blocks,
    messages: [...nodes.values()].reduce((sum, list) => sum + list.length, 0),
    blobs,
    texts: isDone ? [] : texts.map(({ block, text }) => ({ block, text: text.slice(0, longestText) })),
    elsewhere: echoes.map(({ root, block, isEarlier, words }) => ({
      root,
      ...(block === undefined ? {} : { block }),
      earlier: isEarlier,
      ...(isDone ? {} : { words }),
    })),
    ...(unread.length === 0 ? {} : { unread }),
  };
}

const longestText = 300;

export const purgeOperations = [purgeBlocks] as const;
