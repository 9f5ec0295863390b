import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';

const listTools = defineOperation({
  name: 'tool.list',
  summary: 'Lists the tools that turns may use, as models are told of them.',
  params: z.strictObject(pageParams),
  result: pageOf(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      parameters: plainObject.describe('A JSON schema of its arguments.'),
    }),
  ),
  effect: 'reads',
  run: async (engine, _caller, page) => {
    const sorted = engine.registry.describeTools().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return { ok: true, value: takePage(sorted, ({ name }) => name, page) };
  },
});

export const toolOperations = [listTools] as const;
