import type { MessageBlock } from '@loom/blocks';
import { z } from 'zod';
import { rootOfId } from '../../forest/reading/block-place.ts';
import { openingOf } from '../../forest/root-head.ts';
import { presentNode } from '../../state/tree/tree.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { readRootSettings } from '../../root-settings.ts';
import { callOf } from '../../turn/turn-decisions.ts';
import { blockId } from '../../forest/ids.ts';
import { defineOperation } from '../operation.ts';
import { aboutRoot, rootWords } from './root-words.ts';
import { once } from '../../once.ts';

/** The most places that one call may ask for. */
const mostBlocks = 100;

const blockPlace = once(() =>
  z.strictObject({
    block_id: z.string(),
    ...rootWords,
    node: z.string().describe('The message it belongs to.'),
    role: z.enum(['user', 'assistant', 'tool']),
    type: z.string().describe('The type of the block, such as text or tool-use.'),
    tool: z.string().exactOptional().describe('The tool that the call or result belongs to.'),
    model: z.string().exactOptional().describe('The model that wrote it, as <provider>:<model>.'),
    time: z.string().describe('When the message was added, as ISO 8601 in UTC.'),
    directory: z.string().exactOptional().describe('The working folder of the conversation.'),
    source: z.string().exactOptional().describe('The program that the conversation was imported from.'),
  }),
);

const locateBlocks = defineOperation({
  name: 'block.locate',
  summary:
    'Locates blocks, such as search results: the conversation and message each one is in, who wrote it, and when.',
  params: () =>
    z.strictObject({
      blocks: z.array(blockId).max(mostBlocks).describe(`Ids of blocks, at most ${mostBlocks}.`),
    }),
  result: () =>
    z.strictObject({
      places: z.array(blockPlace()).describe('In the requested order; blocks that no longer exist are left out.'),
    }),
  effect: 'reads',
  run: async ({ forest }, _caller, { blocks }) => {
    const states = new Map<string, RootState | undefined>();
    for (const root of new Set(blocks.map(rootOfId))) states.set(root, await forest.stateUnlessDamaged(root));
    const places = blocks.flatMap((block) => {
      const state = states.get(rootOfId(block));
      return state === undefined || state.deleted ? [] : placesOf(state, block);
    });
    return { ok: true, value: { places } };
  },
});

function placesOf(state: RootState, id: string): z.infer<ReturnType<typeof blockPlace>>[] {
  const node = presentNode(state, state.nodeOfBlock.get(id) ?? '');
  const block = state.block(id);
  if (node === undefined || block === undefined) return [];
  const { role, source, time } = node;
  const tool = toolOf(state, node, block);
  const place = { node: node.id, role, type: block.type, time: new Date(time).toISOString() };
  return [
    {
      block_id: id,
      ...aboutRoot({ ...titleOf(state), id: state.id, opening: openingOf(state) }),
      ...place,
      ...workOf(state),
      ...(tool === undefined ? {} : { tool }),
      ...(source.type === 'model' && source.provider !== ''
        ? { model: `${source.provider}:${source.model_name}` }
        : {}),
    },
  ];
}

function workOf({ config }: RootState): { directory?: string; source?: string } {
  const { directory = '', origin } = readRootSettings(config);
  return {
    ...(directory === '' ? {} : { directory }),
    ...(origin === undefined ? {} : { source: origin.source }),
  };
}

function titleOf({ title }: RootState): { title?: string } {
  return title === undefined ? {} : { title };
}

function toolOf(state: RootState, node: NodeState, block: MessageBlock): string | undefined {
  if (block.type === 'tool-use') return block.name;
  return node.role === 'tool' ? callOf(state, node)?.name : undefined;
}

export const placeOperations = [locateBlocks] as const;
