/** The commands that can be typed by name into the field. */
export const slashCommands = [
  { name: 'model', takes: 'name', about: 'Choose who answers' },
  { name: 'preset', takes: 'name', about: 'Answer with a preset of the settings' },
  { name: 'n', takes: 'number', about: 'How many answers side by side' },
  { name: 'retry', about: 'Answer the last message once more, on a new branch' },
  { name: 'answers', about: 'Show the answers to the last message side by side' },
  { name: 'fork', about: 'Write your last message again, on a new branch' },
  { name: 'compact', about: 'Sum up what was said, so that models read less' },
  { name: 'title', takes: 'words', about: 'Name this conversation; without words a model finds a name' },
  { name: 'new', about: 'Begin another conversation' },
  { name: 'stop', about: 'Stop the model' },
  { name: 'help', about: 'Show these commands' },
] as const satisfies readonly { name: string; takes?: string; about: string }[];

export type SlashCommand = (typeof slashCommands)[number];
export type SlashName = SlashCommand['name'];

export interface ParsedSlash {
  readonly command: SlashCommand;
  readonly words: string;
}

/** A text as a command, if it is one alone on its line: `/title Tides` is, `/etc/hosts is empty` and `/titles` are words. */
export function parseSlash(text: string): ParsedSlash | undefined {
  const found = /^\/([a-z]+)(?:[ \t]+([^\n]*))?$/u.exec(text.trim());
  const command = slashCommands.find(({ name }) => name === found?.[1]);
  if (command === undefined) return undefined;
  const words = found?.[2]?.trim() ?? '';
  // Text behind a command that takes none makes it an ordinary message.
  return words !== '' && !('takes' in command) ? undefined : { command, words };
}

/** The commands that a text may become, while only a beginning of their name is there. */
export function suggestSlash(text: string): readonly SlashCommand[] {
  const start = /^\/([a-z]*)$/u.exec(text)?.[1];
  return start === undefined ? [] : slashCommands.filter(({ name }) => name.startsWith(start));
}

/** A command of the agent that answers, to which a message that begins with its name means something; or a prompt of the library. */
export interface OfferedCommand {
  readonly name: string;
  readonly about?: string | undefined;
  readonly takes?: string;
  readonly isPrompt?: true;
}

/** The commands of agents and the prompts that a text may become. Of one name the first is offered, and one that Loom has is Loom's. */
export function suggestOffered(text: string, commands: readonly OfferedCommand[]): readonly OfferedCommand[] {
  const start = isNameBegun(text) ? text.slice(1) : undefined;
  if (start === undefined) return [];
  const taken = new Set<string>(slashCommands.map(({ name }) => name));
  const offered = commands.filter(({ name }) => {
    if (!name.startsWith(start) || taken.has(name)) return false;
    taken.add(name);
    return true;
  });
  return offered.slice(0, mostOffered);
}

const mostOffered = 30;

/** Returns true while only the beginning of a name stands behind the slash. */
export function isNameBegun(text: string): boolean {
  return /^\/[^\s/]*$/u.test(text);
}

/** The name of a prompt, and the words behind it. */
export interface NamedPrompt {
  readonly name: string;
  readonly words: string;
}

/** Reads a message that may name a prompt. Only the library knows whether there is one. */
export function parsePrompt(text: string): NamedPrompt | undefined {
  const [, name, words = ''] = /^\/([\p{L}\p{N}][\p{L}\p{N}._:-]*)(?:\s+(.*))?$/su.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, words };
}

/** Returns the number of answers asked for, or `undefined` if that is not a number in range. */
export function parseCount(words: string, most: number): number | undefined {
  const value = Number(words);
  return /^\d+$/u.test(words) && value >= 1 && value <= most ? value : undefined;
}

/** Returns the query behind an `@` before the caret, and its start. */
export function mentionAt(text: string, caret: number): { query: string; start: number } | undefined {
  const before = text.slice(0, caret);
  const found = /(?:^|\s)@([^\s@][^@\n]{0,60})?$/u.exec(before);
  if (found === null) return undefined;
  const query = found[1] ?? '';
  // Two words are enough to search for; more is an ordinary sentence.
  return query.split(/\s+/u).length > 3 ? undefined : { query: query.trim(), start: caret - query.length - 1 };
}
