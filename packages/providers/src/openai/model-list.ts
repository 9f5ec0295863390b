import { z } from 'zod';
import { isForOtherPurposes } from '../api/other-purposes.ts';
import { statedFacts } from '../api/model-lists.ts';
import type { ModelList } from '../api/model-lists.ts';

const strings = z.array(z.string()).optional().catch(undefined);

const page = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      created: z.unknown().optional(),
      // vLLM
      max_model_len: z.unknown().optional(),
      // OpenRouter
      name: z.string().optional().catch(undefined),
      context_length: z.unknown().optional(),
      top_provider: z.looseObject({ max_completion_tokens: z.unknown().optional() }).optional().catch(undefined),
      architecture: z
        .looseObject({ input_modalities: strings, output_modalities: strings })
        .optional()
        .catch(undefined),
      supported_parameters: strings,
    }),
  ),
});

/** `GET /v1/models` of OpenAI's API and of servers that speak it, some with facts that OpenAI leaves out. */
export const openaiModels: ModelList = {
  address: 'https://api.openai.com/v1',
  path: () => '/models',
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  read(answer) {
    const read = page.safeParse(answer).data;
    if (read === undefined) return undefined;
    const models = read.data.flatMap((model) => {
      const { id, name: about, created, architecture, supported_parameters: parameters } = model;
      if (isForOtherPurposes(id) || architecture?.output_modalities?.includes('text') === false) return [];
      return {
        name: id,
        ...(about === undefined ? {} : { about }),
        ...statedFacts({
          created: typeof created === 'number' ? created * 1_000 : undefined,
          context: model.context_length ?? model.max_model_len,
          output: model.top_provider?.max_completion_tokens,
          images: architecture?.input_modalities?.includes('image'),
          files: architecture?.input_modalities?.includes('file'),
          thinking: parameters?.includes('reasoning'),
          tools: parameters?.includes('tools'),
        }),
      };
    });
    return { models };
  },
};
