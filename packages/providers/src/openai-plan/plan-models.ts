import { z } from 'zod';
import type { ModelList } from '../api/model-lists.ts';
import { openaiModels } from '../openai/model-list.ts';

const list = z.looseObject({
  models: z.array(
    z.looseObject({
      slug: z.string(),
      visibility: z.string().optional(),
      display_name: z.string().optional().catch(undefined),
    }),
  ),
});

/** The models of an account: https://developers.openai.com/siwc/token-sharing-open-source/models-and-inference */
export const planModels: ModelList = {
  ...openaiModels,
  read(answer) {
    const read = list.safeParse(answer).data;
    if (read === undefined) return openaiModels.read(answer);
    const shown = read.models.filter(({ visibility }) => visibility === 'list');
    return {
      models: shown.map(({ slug: name, display_name: about }) => ({ name, ...(about === undefined ? {} : { about }) })),
    };
  },
};
