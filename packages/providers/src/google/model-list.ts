import { z } from 'zod';
import { isForOtherPurposes } from '../api/other-purposes.ts';
import { statedFacts } from '../api/model-lists.ts';
import type { ModelList } from '../api/model-lists.ts';

const page = z.looseObject({
  models: z.array(
    z.looseObject({
      name: z.string(),
      displayName: z.string().optional().catch(undefined),
      inputTokenLimit: z.unknown().optional(),
      outputTokenLimit: z.unknown().optional(),
      supportedGenerationMethods: z.array(z.string()).optional().catch(undefined),
      thinking: z.unknown().optional(),
    }),
  ),
  nextPageToken: z.string().optional().catch(undefined),
});

/** `GET /v1beta/models` of the Gemini API: https://ai.google.dev/api/models. It states no dates. */
export const googleModels: ModelList = {
  address: 'https://generativelanguage.googleapis.com/v1beta',
  path: (next) => `/models?pageSize=1000${next === undefined ? '' : `&pageToken=${encodeURIComponent(next)}`}`,
  headers: (key): Record<string, string> => (key === undefined ? {} : { 'x-goog-api-key': key }),
  read(answer) {
    const read = page.safeParse(answer).data;
    if (read === undefined) return undefined;
    const models = read.models.flatMap(({ name: path, displayName: about, supportedGenerationMethods, ...facts }) => {
      const name = path.replace(/^models\//, '');
      if (supportedGenerationMethods?.includes('generateContent') === false || isForOtherPurposes(name)) return [];
      return {
        name,
        ...(about === undefined ? {} : { about }),
        ...statedFacts({ context: facts.inputTokenLimit, output: facts.outputTokenLimit, thinking: facts.thinking }),
      };
    });
    return { models, ...(read.nextPageToken === undefined ? {} : { next: read.nextPageToken }) };
  },
};
