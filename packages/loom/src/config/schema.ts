import type { TomlTable } from 'smol-toml';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { COMPACTIONS, PROVIDER_KINDS, REASONING_LEVELS, THOUGHT_FORMS } from './settings.ts';

// Files may be older, newer or foreign: every key is optional and unknown keys pass (the reader reports them).

const Text = z.string();
const Amount = z.number().min(0);
// The original wrote fractions here; the reader rounds them down.
const Count = z.number().min(1).transform(Math.floor);
// TOML has its own dates, and people write them without quotes.
const Time = z.union([Text, z.date().transform((date) => date.toISOString())]);
// People also write numbers without quotes, as in PORT = 8080.
const Variable = z.union([Text, z.number().transform(String), z.boolean().transform(String)]);

const Reasoning = z.union([z.enum(REASONING_LEVELS), Count]);
const Command = z.union([Text, z.array(Text).min(1)]);

const Provider = z.looseObject({
  apiKey: Text.optional(),
  key_command: Command.optional(),
  baseURL: Text.optional(),
  kind: z.enum(PROVIDER_KINDS).optional(),
  thoughts: z.enum(THOUGHT_FORMS).optional(),
  models: z.array(Text).optional(),
  headers: z.record(z.string(), Text).optional(),
  projectId: Text.optional(),
  plan: z.boolean().optional(),
  issuer: Text.optional(),
});

const Model = z.looseObject({
  context: Count.optional(),
  output: Count.optional(),
  input_price: Amount.optional(),
  output_price: Amount.optional(),
  cache_read_price: Amount.optional(),
  cache_write_price: Amount.optional(),
  images: z.boolean().optional(),
  files: z.boolean().optional(),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  thoughts: z.enum(THOUGHT_FORMS).optional(),
});

const Defaults = z.looseObject({
  model: Text.optional(),
  titleModel: Text.optional(),
  titles: z.boolean().optional(),
  summaryModel: Text.optional(),
  temperature: Amount.optional(),
  reasoning: Reasoning.optional(),
  maxTokens: Count.optional(),
  maxRounds: Count.optional(),
  n: Count.optional(),
  systemPrompt: Text.optional(),
  compact: z.enum(COMPACTIONS).optional(),
  cacheDiagnostics: z.boolean().optional(),
  liveModels: z.boolean().optional(),
});

const Preset = z.looseObject({
  model: Text.optional(),
  n: Count.optional(),
  temperature: Amount.optional(),
  reasoning: Reasoning.optional(),
  maxTokens: Count.optional(),
});

const Bookmark = z.looseObject({
  title: Text.optional(),
  nodeId: Text,
  rootId: Text.optional(),
  createdAt: Time.optional(),
  updatedAt: Time.optional(),
});

const McpServer = z.looseObject({
  name: Text,
  transport: Text.optional(),
  command: Text.optional(),
  args: z.array(Text).optional(),
  env: z.record(z.string(), Variable).optional(),
  url: Text.optional(),
  headers: z.record(z.string(), Text).optional(),
});

const Tools = z.looseObject({ off: z.array(Text).optional() });

const Agent = z.looseObject({ command: Command.optional(), env: z.array(Text).optional() });

const Limits = z.looseObject({ turn_usd: Amount.optional(), day_usd: Amount.optional() });

/** Read strictly by rule-port.ts, and from the data folder alone. */
const Permission = z.looseObject({
  id: Text.optional(),
  tool: Text.optional(),
  command: Text.optional(),
  path: Text.optional(),
  host: Text.optional(),
  directory: Text.optional(),
  effect: Text.optional(),
  by: Text.optional(),
  at: Time.optional(),
});

/** One configuration file, in today's spelling. */
export const ConfigFile = z.looseObject({
  currentNodeId: Text.optional(),
  activePresetName: Text.optional(),
  store: z.enum(STORE_KINDS).optional(),
  providers: z.record(z.string(), Provider).optional(),
  defaults: Defaults.optional(),
  limits: Limits.optional(),
  agents: z.record(z.string(), Agent).optional(),
  models: z.record(z.string(), Model).optional(),
  presets: z.record(z.string(), Preset).optional(),
  bookmarks: z.array(Bookmark).optional(),
  mcp_servers: z.array(McpServer).optional(),
  tools: Tools.optional(),
  permissions: z.array(Permission).optional(),
});

/** The configuration in effect: all layers merged, built-in defaults included. */
export const Config = ConfigFile.extend({
  providers: z.record(z.string(), Provider),
  defaults: Defaults.extend({ n: Count, compact: z.enum(COMPACTIONS) }),
  limits: Limits,
  models: z.record(z.string(), Model),
  presets: z.record(z.string(), Preset),
  bookmarks: z.array(Bookmark),
  mcp_servers: z.array(McpServer),
});

export type Config = z.infer<typeof Config>;

/** The built-in settings, for values that no file sets. */
export const BUILT_IN: TomlTable = {
  defaults: { n: 1, compact: 'auto' },
  providers: {},
  limits: {},
  models: {},
  presets: {},
  bookmarks: [],
  mcp_servers: [],
};
