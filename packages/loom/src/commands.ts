import type { Command, HelpTable } from './command.ts';

/** The command table. A new command is one entry here and one module in commands/. */
export const ROOT: Command = {
  name: 'loom',
  summary: 'Your conversations with models and agents, as one forest of blocks',
  description: `Loom keeps every conversation that you have with models and coding agents as one
forest of content blocks: branching, searchable, in plain files that you own.

Data lives in ~/.loom. To use another folder, set LOOM_DATA_DIR or give
--data-dir. Settings are in config.toml there: see loom help config.`,
  options: [
    { name: 'data-dir', value: 'dir', summary: 'Folder with your data (default ~/.loom)' },
    { name: 'json', summary: 'Print one JSON document, also on failure' },
    { name: 'help', short: 'h', summary: 'Explain a command' },
    { name: 'version', short: 'V', summary: 'Print the version' },
  ],
  examples: [
    { line: 'loom config', meaning: 'every setting, and where it comes from' },
    { line: 'loom config set defaults.model openai/gpt-4o' },
    { line: 'loom help config set', meaning: 'more about one command' },
  ],
  subcommands: [
    {
      name: 'config',
      summary: 'Show and change settings',
      description: `Settings are read from config.toml in the data folder. Files named
config.<name>.toml beside it are weaker and apply in the order of their names;
provider keys in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY,
GOOGLE_API_KEY, OPENROUTER_API_KEY) are stronger. Changes go to config.toml and
leave its comments and its layout alone.`,
      fallback: 'list',
      details: settingsTable,
      examples: [
        { line: 'loom config', meaning: 'what holds now, and why' },
        { line: 'loom config set defaults.temperature 0.7' },
        { line: 'loom config set providers.openai.apiKey -', meaning: 'asks for the key' },
        { line: `loom config get 'presets."gpt-4.1".n'`, meaning: 'quotes for names with dots' },
      ],
      subcommands: [
        {
          name: 'list',
          summary: 'Show every setting with its origin (also without a command)',
          description: 'Keys and other secrets are shown masked.',
          load: async () => (await import('./commands/config-list.ts')).listSettings,
        },
        {
          name: 'get',
          summary: 'Print one setting',
          description: `Prints the value alone, for use in scripts. A table prints all that is in it.
Exits with 1 when the setting has no value.`,
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          options: [{ name: 'reveal', summary: 'Print secrets in clear' }],
          examples: [
            { line: 'loom config get defaults.model' },
            { line: 'loom config get providers.openai.apiKey --reveal' },
          ],
          load: async () => (await import('./commands/config-get.ts')).getSetting,
        },
        {
          name: 'set',
          summary: 'Change one setting in config.toml',
          description: `Text needs no quotes of TOML's own. With - as the value it is read from standard
input: keys given that way do not end up in your shell's history. A value that
starts with a dash goes behind --.`,
          parameters: [
            { name: 'key', summary: 'such as defaults.model' },
            { name: 'value', summary: 'or - to read it from standard input' },
          ],
          examples: [
            { line: 'loom config set defaults.model anthropic/claude-sonnet-4-5' },
            { line: 'loom config set providers.openai.apiKey - < key.txt' },
            { line: 'loom config set defaults.systemPrompt -- "- Be brief."' },
            { line: `loom config set mcp_servers.files.args '["-y", "server"]'` },
          ],
          load: async () => (await import('./commands/config-set.ts')).setSetting,
        },
        {
          name: 'unset',
          summary: 'Remove one setting, or a whole table, from config.toml',
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          examples: [
            { line: 'loom config unset defaults.systemPrompt' },
            { line: 'loom config unset presets.brief', meaning: 'the preset with all its values' },
          ],
          load: async () => (await import('./commands/config-unset.ts')).unsetSetting,
        },
        {
          name: 'edit',
          summary: 'Open config.toml in your editor, and check it afterwards',
          description: `Opens a copy in $VISUAL or $EDITOR. It takes the place of config.toml only when
it is valid; otherwise you can go on editing, and nothing is lost.`,
          load: async () => (await import('./commands/config-edit.ts')).editSettings,
        },
        {
          name: 'path',
          summary: 'Print where config.toml is',
          load: async () => (await import('./commands/config-path.ts')).printPath,
        },
      ],
    },
    {
      name: 'help',
      summary: 'Explain a command',
      parameters: [{ name: 'command', summary: 'the command to explain', isRepeated: true }],
      load: async () => (await import('./commands/help.ts')).explain,
    },
    {
      name: 'version',
      summary: 'Print the version',
      load: async () => {
        const { printVersion } = await import('./commands/version.ts');
        return ({ terminal, isJson }) => printVersion(terminal, isJson);
      },
    },
  ],
};

async function settingsTable(): Promise<HelpTable[]> {
  const { SETTINGS } = await import('./config/settings.ts');
  const rows = SETTINGS.filter(({ isKept }) => isKept !== true).map(
    ({ path, summary }) => [path.join('.').replaceAll('*', '<name>'), summary] as const,
  );
  return [{ title: 'Settings', rows }];
}
