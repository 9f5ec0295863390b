import type { TomlTable } from 'smol-toml';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';

// Files may be older, newer or foreign: every key is optional and unknown keys pass (the reader reports them).

const Text = z.string();
const Temperature = z.number().min(0);
// The original wrote fractions here; the reader rounds them down.
const Count = z.number().min(1).transform(Math.floor);
// TOML has dates of its own, and people write them without quotes.
const Time = z.union([Text, z.date().transform((date) => date.toISOString())]);
// So do people who set PORT = 8080.
const Variable = z.union([Text, z.number().transform(String), z.boolean().transform(String)]);

const Provider = z.looseObject({
  apiKey: Text.optional(),
  baseURL: Text.optional(),
  projectId: Text.optional(),
});

const Defaults = z.looseObject({
  model: Text.optional(),
  temperature: Temperature.optional(),
  maxTokens: Count.optional(),
  n: Count.optional(),
  systemPrompt: Text.optional(),
});

const Preset = z.looseObject({
  n: Count.optional(),
  temperature: Temperature.optional(),
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
});

/** One configuration file, in today's spelling. */
export const ConfigFile = z.looseObject({
  currentNodeId: Text.optional(),
  activePresetName: Text.optional(),
  store: z.enum(STORE_KINDS).optional(),
  providers: z.record(z.string(), Provider).optional(),
  defaults: Defaults.optional(),
  presets: z.record(z.string(), Preset).optional(),
  bookmarks: z.array(Bookmark).optional(),
  mcp_servers: z.array(McpServer).optional(),
});

/** The configuration in effect: all layers merged, built-in defaults included. */
export const Config = ConfigFile.extend({
  providers: z.record(z.string(), Provider),
  defaults: Defaults.extend({ temperature: Temperature, maxTokens: Count, n: Count }),
  presets: z.record(z.string(), Preset),
  bookmarks: z.array(Bookmark),
  mcp_servers: z.array(McpServer),
});

export type Config = z.infer<typeof Config>;

/** What holds where no file says otherwise. */
export const BUILT_IN: TomlTable = {
  defaults: { temperature: 1, maxTokens: 8192, n: 1 },
  providers: {},
  presets: {},
  bookmarks: [],
  mcp_servers: [],
};
