import { z } from 'zod';
import { statedFacts } from '../api/model-lists.ts';
import type { ModelList } from '../api/model-lists.ts';

const supported = z.looseObject({ supported: z.boolean() }).optional().catch(undefined);

const page = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      display_name: z.string().optional().catch(undefined),
      created_at: z.string().optional().catch(undefined),
      max_input_tokens: z.unknown().optional(),
      max_tokens: z.unknown().optional(),
      capabilities: z
        .looseObject({ image_input: supported, pdf_input: supported, thinking: supported })
        .optional()
        .catch(undefined),
    }),
  ),
  has_more: z.boolean().optional().catch(undefined),
  last_id: z.string().optional().catch(undefined),
});

/** `GET /v1/models` of Anthropic's API: https://docs.anthropic.com/en/api/models-list */
export const anthropicModels: ModelList = {
  address: 'https://api.anthropic.com/v1',
  path: (next) => `/models?limit=1000${next === undefined ? '' : `&after_id=${encodeURIComponent(next)}`}`,
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }),
  read(answer) {
    const read = page.safeParse(answer).data;
    if (read === undefined) return undefined;
    const models = read.data.map(({ id: name, display_name: about, created_at = '', capabilities, ...limits }) => ({
      name,
      ...(about === undefined ? {} : { about }),
      ...statedFacts({
        // An unknown day of release is the beginning of 1970.
        created: Date.parse(created_at),
        context: limits.max_input_tokens,
        output: limits.max_tokens,
        images: capabilities?.image_input?.supported,
        files: capabilities?.pdf_input?.supported,
        thinking: capabilities?.thinking?.supported,
      }),
    }));
    return { models, ...(read.has_more === true && read.last_id !== undefined ? { next: read.last_id } : {}) };
  },
};
