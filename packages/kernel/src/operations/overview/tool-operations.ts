import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { rootId } from '../../forest/ids.ts';
import { givenConfig } from '../../root-settings.ts';
import type { Tool } from '../../tool.ts';
import { configScope, offerScopeOf, whyNotOffer, whyNotOffered } from '../../turn/offering/tool-offers.ts';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';

const listTools = defineOperation({
  name: 'tool.list',
  summary:
    'Lists the tools that turns may use, as they are described to models, and says which of them a conversation offers to a model by default: pass those to turn.start.',
  params: () =>
    z.strictObject({
      root: rootId.exactOptional().describe('The conversation. Default: a new one, with the config.'),
      config: givenConfig
        .pick({ directory: true, tools: true, approval_mode: true })
        .exactOptional()
        .describe('The config of a conversation that is yet to be created, as in root.create. Default: empty.'),
      provider: z.string().exactOptional().describe('The id of the provider that is to answer.'),
      model: z.string().exactOptional().describe('The name of the model that is to answer.'),
      offered: z.boolean().exactOptional().describe('List only tools that are offered. Default: all.'),
      ...pageParams,
    }),
  result: () =>
    pageOf(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        parameters: plainObject.describe('A JSON schema of its arguments.'),
        group: z.enum(['files', 'shell', 'web', 'forest', 'other']).describe('What it works with.'),
        effect: z
          .enum(['reads', 'changes', 'runs'])
          .describe('Whether it only looks, changes something, or runs programs and reaches other machines.'),
        offered: z.boolean().describe('Whether it is offered to the model by default.'),
        why_not: z
          .enum(whyNotOffered)
          .exactOptional()
          .describe(
            'The reason that it is not offered: it needs a folder, belongs to another mode, was made for another provider or kind of model, was switched off in the conversation or everywhere (off), is described by its server in another way than an owner has seen (changed), or is offered only on request (in the tools of the config, or for some to write drafts, where there are any).',
          ),
        server: z.string().exactOptional().describe("The MCP server that runs it. Absent for Loom's own."),
        made_for: z
          .string()
          .exactOptional()
          .describe(
            'The provider whose models it was made for. Offer it to other models only if a person asks for that.',
          ),
      }),
    ),
  effect: 'reads',
  run: async (engine, _caller, { root, config = {}, provider, model, offered: isFiltered = false, ...page }) => {
    await engine.registry.toolsReady();
    const tools = engine.registry.allTools;
    const of = root === undefined ? configScope(config) : (await engine.forest.log(root).read(offerScopeOf)).value;
    const scope = { ...of, provider, model };
    const listed = tools.map((tool) => describe(tool, whyNotOffer(tool, tools, scope)));
    const sorted = listed
      .filter(({ offered }) => offered || !isFiltered)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return { ok: true, value: takePage(sorted, ({ name }) => name, page) };
  },
});

function describe(tool: Tool, whyNot: ReturnType<typeof whyNotOffer>) {
  const { name, description, parameters, group = 'other', effect = 'runs', server, madeFor } = tool;
  return {
    name,
    description,
    parameters,
    group,
    effect,
    offered: whyNot === undefined,
    ...(whyNot === undefined ? {} : { why_not: whyNot }),
    ...(server === undefined ? {} : { server }),
    ...(madeFor === undefined ? {} : { made_for: madeFor }),
  };
}

export const toolOperations = [listTools] as const;
