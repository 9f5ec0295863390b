import assert from 'node:assert/strict';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { formatKey } from './key-text.ts';
import { readConfig, type ConfigEntry, type LoadedConfig } from './read.ts';

/** Reads a data directory that holds the given files. */
function load(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<LoadedConfig & { dataDir: string }> {
  const dataDir = temporaryDirectory(context);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dataDir, name), text, { mode: 0o600 });
  return readConfig({ dataDir, env }).then((loaded) => ({ ...loaded, dataDir }));
}

function entry({ entries }: LoadedConfig, key: string): ConfigEntry | undefined {
  return entries.find(({ path }) => formatKey(path) === key);
}

function codes({ warnings }: LoadedConfig): string[] {
  return warnings.map(({ code }) => code);
}

test('[CF1] built-in defaults < config.*.toml sorted by name < config.toml < environment', async (context) => {
  const loaded = await load(
    context,
    {
      'config.10.toml': 'defaults.n = 10\ndefaults.model = "ten"\nproviders.openai.baseURL = "http://ten"\n',
      'config.9.toml': 'defaults.n = 9\ndefaults.model = "nine"\n',
      'config.toml': '[defaults]\nmodel = "main"\n[providers.openai]\napiKey = "from-file"\n',
      'config.toml.bak': 'defaults.n = 99\n',
      '.config.x.toml': 'defaults.n = 98\n',
      'config-draft-1.toml': 'defaults.n = 97\n',
    },
    { OPENAI_API_KEY: 'from-environment' },
  );
  assert.deepEqual(loaded.config.defaults, { n: 9, compact: 'auto', model: 'main' });
  assert.deepEqual(loaded.config.providers, { openai: { baseURL: 'http://ten', apiKey: 'from-environment' } });
  assert.deepEqual(
    loaded.files,
    ['config.10.toml', 'config.9.toml', 'config.toml'].map((name) => join(loaded.dataDir, name)),
  );
});

test('[CF2] every value knows its file and line, its variable, or that it is built in', async (context) => {
  const loaded = await load(
    context,
    {
      'config.toml': `# first
[defaults]
model = "m"
systemPrompt = """
two
lines"""
n = 2

[[mcp_servers]]
name = "a"
env = { X = "1" }
[[mcp_servers]]
name = "b"
[mcp_servers.env]
Y = "2"
`,
    },
    { GOOGLE_API_KEY: 'g' },
  );
  const file = join(loaded.dataDir, 'config.toml');
  const lineOf = (key: string): unknown => {
    const origin = entry(loaded, key)?.origin;
    return origin?.type === 'file' && origin.file === file ? origin.line : origin;
  };
  assert.equal(lineOf('defaults.model'), 3);
  assert.equal(lineOf('defaults.systemPrompt'), 4);
  assert.equal(lineOf('defaults.n'), 7);
  assert.equal(lineOf('mcp_servers.a.env.X'), 11);
  assert.equal(lineOf('mcp_servers.b.env.Y'), 15);
  assert.equal(lineOf('defaults.maxTokens'), undefined);
  assert.deepEqual(lineOf('providers.google.apiKey'), { type: 'environment', variable: 'GOOGLE_API_KEY' });
});

test('[CF2] thousands of bookmarks are read with their lines', async (context) => {
  const bookmarks = Array.from(
    { length: 5000 },
    (_, n) => `[[bookmarks]]\nnodeId = "root-1/node-${n}"\ntitle = "${n}"\n`,
  );
  const loaded = await load(context, { 'config.toml': bookmarks.join('\n') });
  const origin = entry(loaded, 'bookmarks.root-1/node-4999.title')?.origin;
  assert.deepEqual(origin?.type === 'file' && origin.line, 19_999);
});

test('[CF3] tables merge key by key; a named element of a stronger file replaces the weaker one whole, in its place', async (context) => {
  const { config } = await load(context, {
    'config.work.toml': `presets.a = { n = 1, temperature = 0.5 }
later = [1, 2]
[[mcp_servers]]
name = "files"
command = "old"
args = ["--all"]
[[mcp_servers]]
name = "web"
command = "web"
[[bookmarks]]
nodeId = "r/node-1"
title = "one"
`,
    'config.toml': `presets.a.n = 2
bookmarks = [ ]
later = [3, 3]
[[mcp_servers]]
name = "extra"
[[mcp_servers]]
name = "files"
command = "new"
`,
  });
  assert.deepEqual(config.presets, { a: { n: 2, temperature: 0.5 } });
  assert.deepEqual(config['later'], [3, 3]);
  assert.deepEqual(config.mcp_servers, [
    { name: 'files', command: 'new' },
    { name: 'web', command: 'web' },
    { name: 'extra' },
  ]);
  assert.deepEqual(config.bookmarks, [{ nodeId: 'r/node-1', title: 'one' }]);
});

test('[CF4] each of the four key variables wins over files; a blank one does not count', async (context) => {
  const files = { 'config.toml': 'providers.openai.apiKey = "file"\nproviders.google.apiKey = "file"\n' };
  const env = { OPENAI_API_KEY: ' o\n', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: '  ', OPENROUTER_API_KEY: 'r' };
  const { config } = await load(context, files, env);
  assert.deepEqual(config.providers, {
    openai: { apiKey: 'o' },
    google: { apiKey: 'file' },
    anthropic: { apiKey: 'a' },
    openrouter: { apiKey: 'r' },
  });
});

test('[CF4] of several variables for one key the first counts, and addresses come from the environment, too', async (context) => {
  const files = { 'config.toml': 'providers.openai.baseURL = "http://file"\n' };
  const keys = { GOOGLE_GENERATIVE_AI_API_KEY: 'third', GEMINI_API_KEY: 'second' };
  const env = { ...keys, OPENAI_BASE_URL: 'http://o', ANTHROPIC_BASE_URL: ' ', OLLAMA_HOST: '127.0.0.1:1' };
  const loaded = await load(context, files, env);
  assert.deepEqual(loaded.config.providers, {
    openai: { baseURL: 'http://o' },
    google: { apiKey: 'second' },
    ollama: { baseURL: '127.0.0.1:1' },
  });
  assert.deepEqual(entry(loaded, 'providers.google.apiKey')?.origin, {
    type: 'environment',
    variable: 'GEMINI_API_KEY',
  });
  assert.deepEqual(entry(loaded, 'providers.openai.baseURL')?.origin, {
    type: 'environment',
    variable: 'OPENAI_BASE_URL',
  });
  const first = await load(context, {}, { ...env, GOOGLE_API_KEY: 'first' });
  assert.equal(first.config.providers['google']?.apiKey, 'first');
});

test("[CF5] a file as the original wrote it opens, with the original's values", async (context) => {
  const loaded = await load(context, {
    'config.toml': `currentNodeId = "root-2/node-2"
activePresetName = "analytical"
mcp_servers = [ ]

[providers.google]
apiKey = "a-real-key"
projectId = "a-project"

[defaults]
model = "openai/gpt-4o"
temperature = 1
maxTokens = 1_024
n = 5
systemPrompt = "You are a helpful assistant."

[presets.analytical]
temperature = 0.3
maxTokens = 512
n = 1

[[bookmarks]]
title = "story fork"
nodeId = "root-1/node-7"
rootId = "root-1"
createdAt = "2025-07-28T12:00:00.000Z"
updatedAt = "2025-07-28T12:00:00.000Z"
`,
  });
  assert.deepEqual(loaded.warnings, []);
  assert.deepEqual(loaded.config, {
    currentNodeId: 'root-2/node-2',
    activePresetName: 'analytical',
    mcp_servers: [],
    limits: {},
    models: {},
    providers: { google: { apiKey: 'a-real-key', projectId: 'a-project' } },
    defaults: {
      model: 'openai/gpt-4o',
      temperature: 1,
      maxTokens: 1024,
      n: 5,
      compact: 'auto',
      systemPrompt: 'You are a helpful assistant.',
    },
    presets: { analytical: { temperature: 0.3, maxTokens: 512, n: 1 } },
    bookmarks: [
      {
        title: 'story fork',
        nodeId: 'root-1/node-7',
        rootId: 'root-1',
        createdAt: '2025-07-28T12:00:00.000Z',
        updatedAt: '2025-07-28T12:00:00.000Z',
      },
    ],
  });
});

test("[CF6] other spellings of a key are read as today's; of two spellings today's counts", async (context) => {
  const loaded = await load(context, {
    'config.toml': `current_node_id = "r/node-1"
[providers.my_host]
api_key = "k"
baseUrl = "http://x"
[defaults]
max_tokens = 7
maxTokens = 8
system-prompt = "s"
[[mcpServers]]
Name = "files"
env = { MAX_TOKENS = "kept" }
`,
  });
  assert.equal(loaded.config.currentNodeId, 'r/node-1');
  assert.deepEqual(loaded.config.providers, { my_host: { apiKey: 'k', baseURL: 'http://x' } });
  assert.equal(loaded.config.defaults.maxTokens, 8);
  assert.equal(loaded.config.defaults.systemPrompt, 's');
  assert.deepEqual(loaded.config.mcp_servers, [{ name: 'files', env: { MAX_TOKENS: 'kept' } }]);
  assert.deepEqual(codes(loaded), ['two-spellings']);
  assert.match(loaded.warnings[0]?.message ?? '', /^defaults\.max_tokens is not used/);
  const origin = entry(loaded, 'providers.my_host.apiKey')?.origin;
  assert.ok(origin?.type === 'file' && origin.line === 3);
});

test('[CF7] an unknown key is kept, reported with file, line and the likely meaning, and no error', async (context) => {
  const loaded = await load(context, {
    'config.toml':
      'telemetry = false\n[defaults]\ntemprature = 2\n[foreign.a]\nb = 1\n[[mcp_servers]]\nname = "x"\nport = "u"\n',
  });
  assert.deepEqual(
    loaded.warnings.map(({ code, key, line }) => ({ code, key, line })),
    [
      { code: 'unknown-key', key: 'telemetry', line: 1 },
      { code: 'unknown-key', key: 'defaults.temprature', line: 3 },
      { code: 'unknown-key', key: 'foreign', line: 4 },
      { code: 'unknown-key', key: 'mcp_servers.x.port', line: 8 },
    ],
  );
  assert.match(loaded.warnings[1]?.message ?? '', /did you mean temperature\?/);
  assert.equal(loaded.config['telemetry'], false);
  // Names of JavaScript's own are names like any other.
  const odd = await load(context, {
    'config.toml': 'toString = [1]\nvalueOf.x = [{ a = 1 }]\npresets.hasOwnProperty.n = 2\n',
  });
  assert.deepEqual(entry(odd, 'toString')?.value, [1]);
  assert.equal(entry(odd, 'presets.hasOwnProperty.n')?.value, 2);
  assert.equal(entry(loaded, 'foreign.a.b')?.value, 1);
});

test("[CF8] the original's example texts count as not set and are reported; blank ones are silently not set", async (context) => {
  const loaded = await load(context, {
    'config.work.toml': 'providers.openai.apiKey = "real"\n',
    'config.toml':
      '[providers.openai]\napiKey = "your API key"\n[providers.google]\napiKey = ""\nprojectId = "your project id"\n',
  });
  assert.deepEqual(loaded.config.providers, { openai: { apiKey: 'real' }, google: {} });
  assert.deepEqual(
    loaded.warnings.map(({ code, key, line }) => ({ code, key, line })),
    [
      { code: 'placeholder', key: 'providers.openai.apiKey', line: 2 },
      { code: 'placeholder', key: 'providers.google.projectId', line: 5 },
    ],
  );
});

test('[CF9] fractional counts are rounded down, dates and numbers are taken where texts are meant', async (context) => {
  const loaded = await load(context, {
    'config.toml': `defaults.maxTokens = 512.7
[[bookmarks]]
nodeId = "n"
createdAt = 2025-04-18T12:00:00Z
[[mcp_servers]]
name = "x"
env = { PORT = 8080, DEBUG = true }
`,
  });
  assert.equal(loaded.config.defaults.maxTokens, 512);
  assert.deepEqual(loaded.config.bookmarks, [{ nodeId: 'n', createdAt: '2025-04-18T12:00:00.000Z' }]);
  assert.deepEqual(loaded.config.mcp_servers[0]?.env, { PORT: '8080', DEBUG: 'true' });
  assert.deepEqual(codes(loaded), ['fraction']);
});

test('[CF14] without a folder or a file the built-in defaults hold, and reading makes nothing', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'none');
  const loaded = await readConfig({ dataDir, env: {} });
  assert.deepEqual(loaded.config.defaults, { n: 1, compact: 'auto' });
  assert.deepEqual(loaded.files, []);
  assert.equal(existsSync(dataDir), false);
  const empty = await load(context, { 'config.toml': '' });
  assert.deepEqual(empty.config, loaded.config);
});

test('[CF15] repeated names, a preset that does not exist and a file with keys that others can read are reported', async (context) => {
  const loaded = await load(context, {
    'config.toml': `activePresetName = "gone"
[[mcp_servers]]
name = "x"
command = "first"
[[mcp_servers]]
name = "x"
command = "second"
`,
  });
  assert.deepEqual(codes(loaded), ['same-name', 'missing-preset']);
  assert.deepEqual(loaded.config.mcp_servers, [{ name: 'x', command: 'second' }]);
  const path = join(loaded.dataDir, 'config.toml');
  writeFileSync(path, 'providers.openai.apiKey = "k"\n');
  chmodSync(path, 0o640);
  assert.deepEqual(codes(await readConfig({ dataDir: loaded.dataDir, env: {} })), ['open-file']);
  writeFileSync(path, 'defaults.n = 2\n');
  assert.deepEqual(codes(await readConfig({ dataDir: loaded.dataDir, env: {} })), []);
});
