import { soundsSecret } from '../secret-names.ts';

/**
 * The settings that Loom knows, as plain data: help reads it without loading a schema library. The schema in schema.ts
 * checks the same settings; a test keeps the two in step.
 */
export type Setting = {
  /** `*` stands for a name that the user chooses. */
  path: readonly string[];
  kind: SettingKind;
  summary: string;
  /** Written by Loom as you work; help does not list it. */
  isKept?: boolean;
};

export type SettingKind =
  | 'text'
  | 'secret'
  | 'number'
  | 'count'
  | 'truth'
  | 'list'
  | 'command'
  | 'reasoning'
  | 'compaction'
  | 'provider-kind'
  | 'thought-form'
  | 'store';

/** The levels of thinking a model is asked for, in words; a number is a budget in tokens. */
export const REASONING_LEVELS = ['off', 'low', 'medium', 'high', 'max'] as const;

/** The reactions when the context window of a model is nearly full. */
export const COMPACTIONS = ['auto', 'ask', 'off'] as const;

/** The forms in which servers want back the thinking of their models. */
export const THOUGHT_FORMS = ['none', 'reasoning_content', 'reasoning_details'] as const;
/** The protocols of providers' servers. */
export const PROVIDER_KINDS = ['anthropic', 'openai', 'openai-chat', 'google', 'compatible'] as const;

export const KIND_LABELS: Readonly<Record<SettingKind, string>> = {
  text: 'text',
  secret: 'text',
  number: 'a number, 0 or more',
  count: 'a whole number, 1 or more',
  truth: 'true or false',
  list: 'a list of texts',
  command: 'a text or a list of texts',
  reasoning: 'off, low, medium, high, max or a number of tokens',
  compaction: 'auto, ask or off',
  'provider-kind': 'anthropic, openai, openai-chat, google or compatible',
  'thought-form': 'none, reasoning_content or reasoning_details',
  store: '"sqlite" or "files"',
};

export const SETTINGS: readonly Setting[] = [
  { path: ['defaults', 'model'], kind: 'text', summary: 'Model for new turns, as <provider>/<model>' },
  { path: ['defaults', 'titleModel'], kind: 'text', summary: 'Cheap model that writes titles' },
  { path: ['defaults', 'titles'], kind: 'truth', summary: 'New ones get titles; true if unset' },
  { path: ['defaults', 'summaryModel'], kind: 'text', summary: 'Model that writes summaries' },
  { path: ['defaults', 'temperature'], kind: 'number', summary: 'Sampling temperature; sent only if set' },
  { path: ['defaults', 'reasoning'], kind: 'reasoning', summary: 'How hard to think: off, low … max' },
  { path: ['defaults', 'maxTokens'], kind: 'count', summary: 'Longest reply, in tokens' },
  { path: ['defaults', 'maxRounds'], kind: 'count', summary: 'Model calls in one turn; 200 if unset' },
  { path: ['defaults', 'n'], kind: 'count', summary: 'Answers to each chat message' },
  { path: ['defaults', 'systemPrompt'], kind: 'text', summary: 'System prompt of new conversations' },
  { path: ['defaults', 'compact'], kind: 'compaction', summary: 'When context runs full: auto, ask, off' },
  { path: ['defaults', 'cacheDiagnostics'], kind: 'truth', summary: 'Ask why a prompt cache missed' },
  { path: ['defaults', 'liveModels'], kind: 'truth', summary: 'Model lists ask providers; true if unset' },
  { path: ['limits', 'turn_usd'], kind: 'number', summary: 'Dollars a turn may cost before it asks you' },
  { path: ['limits', 'day_usd'], kind: 'number', summary: 'The same for all turns of a day (UTC)' },
  { path: ['activePresetName'], kind: 'text', summary: 'Preset that overrides the defaults' },
  { path: ['presets', '*', 'model'], kind: 'text', summary: 'Model with this preset' },
  { path: ['presets', '*', 'reasoning'], kind: 'reasoning', summary: 'How hard to think with this preset' },
  { path: ['presets', '*', 'n'], kind: 'count', summary: 'Answers with this preset' },
  { path: ['presets', '*', 'temperature'], kind: 'number', summary: 'Temperature with this preset' },
  { path: ['presets', '*', 'maxTokens'], kind: 'count', summary: 'Longest reply with this preset' },
  { path: ['store'], kind: 'store', summary: 'Where a new folder keeps its logs' },
  { path: ['providers', '*', 'apiKey'], kind: 'secret', summary: 'Key; the environment overrides it' },
  { path: ['providers', '*', 'key_command'], kind: 'command', summary: 'Program that prints the key' },
  { path: ['providers', '*', 'baseURL'], kind: 'text', summary: 'Address, if not the usual one' },
  { path: ['providers', '*', 'kind'], kind: 'provider-kind', summary: 'API that its server speaks' },
  { path: ['providers', '*', 'thoughts'], kind: 'thought-form', summary: 'How to send thinking back' },
  { path: ['providers', '*', 'models'], kind: 'list', summary: 'Its models, as ["a", "b"]' },
  { path: ['providers', '*', 'headers', '*'], kind: 'secret', summary: 'Header of its requests' },
  { path: ['providers', '*', 'projectId'], kind: 'text', summary: "Provider's project" },
  { path: ['providers', '*', 'plan'], kind: 'truth', summary: 'Use a plan by login; chatgpt only, untried' },
  { path: ['providers', '*', 'issuer'], kind: 'text', summary: 'Address of that login, if not the usual one' },
  { path: ['agents', '*', 'command'], kind: 'command', summary: "An agent's program, if not found by name" },
  { path: ['agents', '*', 'env'], kind: 'list', summary: 'Variables that it gets, as ["NAME"]' },
  { path: ['models', '*', 'context'], kind: 'count', summary: 'Context window in tokens' },
  { path: ['models', '*', 'output'], kind: 'count', summary: 'Longest answer in tokens' },
  { path: ['models', '*', 'input_price'], kind: 'number', summary: 'Dollars per million tokens' },
  { path: ['models', '*', 'output_price'], kind: 'number', summary: 'The same for output' },
  { path: ['models', '*', 'cache_read_price'], kind: 'number', summary: 'The same for cached input' },
  { path: ['models', '*', 'cache_write_price'], kind: 'number', summary: 'The same for caching input' },
  { path: ['models', '*', 'images'], kind: 'truth', summary: 'Whether it accepts images' },
  { path: ['models', '*', 'files'], kind: 'truth', summary: 'Whether it accepts PDF files' },
  { path: ['models', '*', 'thinking'], kind: 'truth', summary: 'Whether it thinks' },
  { path: ['models', '*', 'thoughts'], kind: 'thought-form', summary: 'How to send thinking back' },
  { path: ['models', '*', 'tools'], kind: 'truth', summary: 'Whether it can call tools' },
  { path: ['mcp_servers', '*', 'name'], kind: 'text', summary: 'Name of an MCP server', isKept: true },
  { path: ['mcp_servers', '*', 'transport'], kind: 'text', summary: 'How to reach it (stdio)' },
  { path: ['mcp_servers', '*', 'command'], kind: 'text', summary: 'Program to start' },
  { path: ['mcp_servers', '*', 'args'], kind: 'list', summary: 'Its arguments, as ["a", "b"]' },
  { path: ['mcp_servers', '*', 'env', '*'], kind: 'secret', summary: 'Environment variable for it' },
  { path: ['mcp_servers', '*', 'url'], kind: 'text', summary: 'Its address, if it is not started here' },
  { path: ['mcp_servers', '*', 'headers', '*'], kind: 'secret', summary: 'Header of requests to it' },
  { path: ['tools', 'off'], kind: 'list', summary: 'Tools that no model gets, as ["shell"]' },
  { path: ['permissions', '*', 'id'], kind: 'text', summary: 'Name of a permission', isKept: true },
  { path: ['permissions', '*', 'tool'], kind: 'text', summary: 'Tool that it is about', isKept: true },
  { path: ['permissions', '*', 'command'], kind: 'text', summary: 'Command that it covers', isKept: true },
  { path: ['permissions', '*', 'path'], kind: 'text', summary: 'Files that it covers', isKept: true },
  { path: ['permissions', '*', 'host'], kind: 'text', summary: 'Machine that it covers', isKept: true },
  { path: ['permissions', '*', 'directory'], kind: 'text', summary: 'Folder in which it counts', isKept: true },
  { path: ['permissions', '*', 'effect'], kind: 'text', summary: 'allow, ask or deny', isKept: true },
  { path: ['permissions', '*', 'by'], kind: 'text', summary: 'Who stored it', isKept: true },
  { path: ['permissions', '*', 'at'], kind: 'text', summary: 'When it was stored', isKept: true },
  { path: ['currentNodeId'], kind: 'text', summary: 'Node where you left off', isKept: true },
  { path: ['bookmarks', '*', 'title'], kind: 'text', summary: 'Title of a bookmark', isKept: true },
  { path: ['bookmarks', '*', 'nodeId'], kind: 'text', summary: 'Bookmarked node', isKept: true },
  { path: ['bookmarks', '*', 'rootId'], kind: 'text', summary: 'Root of that node', isKept: true },
  { path: ['bookmarks', '*', 'createdAt'], kind: 'text', summary: 'When it was created', isKept: true },
  { path: ['bookmarks', '*', 'updatedAt'], kind: 'text', summary: 'When it was changed', isKept: true },
];

/** Arrays of tables whose elements have names: the field that holds the name. */
export const ELEMENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['mcp_servers', 'name'],
  ['bookmarks', 'nodeId'],
  ['permissions', 'id'],
]);

/** The setting at a path in today's spelling. */
export function findSetting(path: readonly string[]): Setting | undefined {
  return SETTINGS.find(
    (setting) =>
      setting.path.length === path.length && setting.path.every((part, index) => part === '*' || part === path[index]),
  );
}

/** Returns true if a value must be masked. Foreign keys that sound like a secret are taken for one. */
export function isSecret(path: readonly string[]): boolean {
  const setting = findSetting(path);
  if (setting !== undefined) return setting.kind === 'secret';
  // A name that the user chose says nothing about the value behind it.
  return path.some((part, index) => soundsSecret(part) && !namesUnder(path.slice(0, index)).includes('*'));
}

/** The names that may stand under a path: known names, or `*` where the user chooses. */
export function namesUnder(path: readonly string[]): string[] {
  const names = SETTINGS.filter(
    (setting) =>
      setting.path.length > path.length && path.every((part, index) => ['*', part].includes(setting.path[index] ?? '')),
  ).map((setting) => setting.path[path.length] ?? '');
  return [...new Set(names)];
}

/**
 * Today's spelling of a name under a path. Older files wrote `max_tokens`, `baseUrl` or `mcpServers`; case, `_` and `-`
 * do not count. Names that users choose, and unknown names, stay as they are.
 */
export function todaysSpelling(under: readonly string[], name: string): string {
  const known = namesUnder(under);
  if (known.includes(name) || known.includes('*')) return name;
  return known.find((candidate) => plain(candidate) === plain(name)) ?? name;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
