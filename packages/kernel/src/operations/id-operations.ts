import { z } from 'zod';
import { resolveId } from '../forest/resolution.ts';
import { rootId } from './ids.ts';
import { defineOperation } from './operation.ts';

const resolve = defineOperation({
  name: 'id.resolve',
  summary: 'Finds the conversation or node that an id, or the end of one, stands for: node-3, or x2sv/node-3.',
  params: z.strictObject({
    text: z.string().describe('The id, or its end.'),
    root: rootId.exactOptional().describe('The conversation to look into first. Default: none.'),
  }),
  result: z.strictObject({
    root: z.string(),
    node: z.string().describe('The conversation itself where that is meant.'),
  }),
  refusals: ['node-not-found', 'ambiguous-id'],
  effect: 'reads',
  run: ({ forest }, { roots: own }, { text, root }) => {
    const roots = async (): Promise<string[]> => {
      const all = await forest.roots();
      return own === undefined ? all : all.filter((id) => own.includes(id));
    };
    const { damaged } = forest;
    return resolveId({ roots, damaged, findPlace: (...given) => forest.findPlace(...given) }, text, root);
  },
});

export const idOperations = [resolve] as const;
