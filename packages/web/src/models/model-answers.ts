import { z } from 'zod';

/** The server's answers about models, presets and settings. Only the fields that the page uses are read, so that newer servers fit, too. */

const price = z.object({ input: z.number(), output: z.number(), cache_read: z.number().optional() });

const model = z.object({
  /** The name as people write it: `anthropic/claude-sonnet-5`, `demo`. */
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  usable: z.boolean(),
  /** A newer one of its vendor has taken its place. */
  older: z.boolean().optional(),
  about: z.string().optional(),
  context: z.number().optional(),
  images: z.boolean().optional(),
  files: z.boolean().optional(),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  price: price.optional(),
});
export type ModelInfo = z.infer<typeof model>;

export const modelPage = z.object({
  items: z.array(model),
  next: z.string().optional(),
  default: z.string().optional(),
});

const choice = z.object({ name: z.string(), about: z.string().optional() });

const provider = z.object({
  name: z.string(),
  kind: z.string(),
  usable: z.boolean(),
  hindrance: z.object({ code: z.string(), message: z.string() }).optional(),
  /** The reason that its current list of models could not be read. */
  problem: z.object({ code: z.string(), message: z.string() }).optional(),
  local: z.boolean(),
  address: z.string().optional(),
  key: z.enum(['none', 'file', 'environment', 'program', 'login']),
  models: z.number(),
  /** The default model of the server. */
  usual_model: z.string().optional(),
  /** Of an agent: its version, a sentence about that, its modes, and the messages with `/` that mean something to it. */
  version: z.string().optional(),
  remark: z.string().optional(),
  modes: z.array(choice).optional(),
  commands: z.array(choice).optional(),
});
export type ProviderInfo = z.infer<typeof provider>;
export const providerList = z.object({ items: z.array(provider) });

const settings = z.record(z.string(), z.unknown());
const preset = z.object({
  name: z.string(),
  active: z.boolean(),
  model: z.string().optional(),
  n: z.number(),
  settings,
});
export type PresetInfo = z.infer<typeof preset>;
export const presetList = z.object({
  items: z.array(preset),
  defaults: z.object({
    model: z.string().optional(),
    n: z.number(),
    settings,
    system_prompt: z.string().optional(),
  }),
});

export const keyCheck = z.object({ state: z.enum(['works', 'wrong', 'unknown']), message: z.string() });
export type KeyCheck = z.infer<typeof keyCheck>;
export const savedKey = z.object({ saved: z.boolean(), check: keyCheck });

const tool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.unknown(),
  group: z.enum(['files', 'shell', 'web', 'forest', 'other']).catch('other'),
  effect: z.enum(['reads', 'changes', 'runs']).catch('runs'),
  why_not: z.string().optional(),
  /** The MCP server that runs it. */
  server: z.string().optional(),
  /** The provider whose models it was made for. */
  made_for: z.string().optional(),
  offered: z.boolean().default(true),
});
export type ToolInfo = z.infer<typeof tool>;
export const toolList = z.object({ items: z.array(tool) });
