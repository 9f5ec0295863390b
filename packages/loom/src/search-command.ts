import type { Command } from './command.ts';

/** `loom search`. */
export const searchCommand: Command = {
  name: 'search',
  synonyms: ['grep', 'find'],
  summary: 'Find lines in everything that was said',
  description: `The query is a regular expression in the syntax of RE2, matched line by line;
with -F it is taken as it is. Lines count from 0, and each text is named as
other commands take it. Exits with 1 when nothing matches. Kinds are text,
thinking, code, tool-use, tool_result, file, command, file-change and so on;
several, and several conversations, are separated by commas. So are agents:
person, a model such as anthropic:claude-x, or anthropic for all its models. A
time is a date, 2026-01-31, or has a time, 2026-01-31T09:00Z.`,
  parameters: [{ name: 'query', summary: 'what to look for' }],
  options: [
    { name: 'literal', short: 'F', summary: 'Take the query as it is, not as a pattern' },
    { name: 'ignore-case', short: 'i', summary: 'Ignore upper and lower case' },
    { name: 'kind', value: 'kinds', summary: 'Only these kinds of blocks (default all)' },
    { name: 'path', value: 'prefix', summary: 'Only files whose path begins so' },
    { name: 'root', value: 'roots', summary: 'Only these conversations' },
    { name: 'agent', value: 'agents', summary: 'Only what these agents wrote' },
    { name: 'errors', summary: 'Only what went wrong' },
    { name: 'after', value: 'time', summary: 'Only what was begun then or later' },
    { name: 'before', value: 'time', summary: 'Only what was begun before' },
    { name: 'context', short: 'C', value: 'n', summary: 'Lines to show around each match' },
    { name: 'max', value: 'n', summary: 'Matches to show of one text (default 20)' },
    { name: 'max-blocks', value: 'n', summary: 'Texts to show (default 100)' },
  ],
  examples: [
    { line: 'loom search weaving' },
    { line: `loom search -i 'greet(s|ing)' --context 1` },
    { line: 'loom search -F "$HOME" --kind tool-use,command' },
    { line: 'loom search . --errors --after 2026-01-31' },
  ],
  load: async () => (await import('./commands/texts/search.ts')).searchTexts,
};
