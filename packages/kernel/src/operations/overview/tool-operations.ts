import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';

const listTools = defineOperation({
  name: 'tool.list',
  summary: 'Lists the tools that turns may use, as they are described to models.',
  params: () => z.strictObject(pageParams),
  result: () =>
    pageOf(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        parameters: plainObject.describe('A JSON schema of its arguments.'),
        made_for: z
          .string()
          .exactOptional()
          .describe(
            'The provider whose models it was made for. Offer it to other models only if a person asks for that.',
          ),
      }),
    ),
  effect: 'reads',
  run: async (engine, _caller, page) => {
    const sorted = engine.registry.describeTools().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const listed = sorted.map((described) => {
      const madeFor = engine.registry.tool(described.name)?.madeFor;
      return madeFor === undefined ? described : { ...described, made_for: madeFor };
    });
    return { ok: true, value: takePage(listed, ({ name }) => name, page) };
  },
});

export const toolOperations = [listTools] as const;
