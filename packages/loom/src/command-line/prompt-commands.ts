import type { Command } from './command.ts';

const dirOption = { name: 'dir', value: 'dir', summary: 'Folder whose commands and project count (default .)' };

/** `loom prompt`. */
export const promptCommand: Command = {
  name: 'prompt',
  synonyms: ['prompts', 'commands', 'snippets'],
  summary: 'Keep prompts to use again, and use them',
  description: `A prompt is a text that you use again and again. In a chat and in the page it
is a slash command: /review src/a.ts. $ARGUMENTS stands for all words behind
it, $1 to $9 for one each, and $FILE for what you give as FILE=…

Your own come first, then those of the project, then the command files of
Claude Code (.claude/commands here and in your home folder) and of Codex
(~/.codex/prompts), which are only read. What they would allow is not granted,
and no command in them is run. A preset is something else: it says who answers.`,
  fallback: 'list',
  subcommands: [
    {
      name: 'list',
      synonyms: ['ls'],
      summary: 'List prompts (the default)',
      options: [dirOption],
      load: async () => (await import('../commands/prompts/prompt.ts')).listPrompts,
    },
    {
      name: 'show',
      synonyms: ['cat', 'get'],
      summary: 'Print a prompt',
      parameters: [{ name: 'name', summary: 'such as review' }],
      options: [dirOption],
      load: async () => (await import('../commands/prompts/prompt.ts')).showPrompt,
    },
    {
      name: 'save',
      synonyms: ['set', 'add', 'new', 'edit'],
      summary: 'Keep a prompt, or change one of that name',
      description: `Without a text your editor opens with the present one; - reads the text from
standard input. What is said about a prompt stays unless you say it anew.`,
      parameters: [
        { name: 'name', summary: 'such as review' },
        { name: 'text', summary: 'what it says', isRepeated: true, isOptional: true },
      ],
      options: [
        { name: 'description', value: 'text', summary: 'A line about it' },
        { name: 'hint', value: 'text', summary: 'The arguments it takes, such as [file]' },
        { name: 'model', short: 'm', value: 'name', summary: 'The model it is meant for' },
        { name: 'project', summary: 'Keep it for all in this project, not for you alone' },
        dirOption,
      ],
      examples: [
        { line: 'loom prompt save review "Review $1. Name faults only." --hint "[file]"' },
        { line: 'loom prompt save notes - < notes.md' },
      ],
      load: async () => (await import('../commands/prompts/save-prompt.ts')).savePrompt,
    },
    {
      name: 'remove',
      synonyms: ['rm', 'delete'],
      summary: 'Remove a prompt; prints it, so that nothing is lost',
      parameters: [{ name: 'name', summary: 'such as review' }],
      options: [{ name: 'project', summary: 'The one of this project' }, dirOption],
      load: async () => (await import('../commands/prompts/save-prompt.ts')).removePrompt,
    },
    {
      name: 'run',
      synonyms: ['use'],
      summary: 'Send a prompt with its arguments and print the answer',
      description: `Shows what is sent before it is sent, and asks at a terminal. With --print it
only shows it. Goes on in the last conversation with --continue.`,
      parameters: [
        { name: 'name', summary: 'such as review' },
        { name: 'arguments', summary: 'what fills its places', isRepeated: true, isOptional: true },
      ],
      options: [
        { name: 'print', summary: 'Print the text and send nothing' },
        { name: 'model', short: 'm', value: 'name', summary: 'Model that answers' },
        { name: 'continue', short: 'c', summary: 'Continue the most recent conversation' },
        { name: 'node', value: 'node', summary: 'Continue from this node' },
        { name: 'yes', short: 'y', summary: 'Skip the question, and approve every tool call' },
        dirOption,
      ],
      examples: [
        { line: 'loom prompt run review src/main.ts' },
        { line: 'loom prompt run review src/main.ts --print' },
      ],
      load: async () => (await import('../commands/prompts/run-prompt.ts')).runPrompt,
    },
    {
      name: 'system',
      summary: 'Show or change the system prompt of a conversation',
      description: `Another system prompt is read from the next answer on, and ends the prompt
cache: what that costs is said before it is changed. - reads it from standard
input; --none removes it.`,
      parameters: [
        { name: 'conversation', summary: 'a root or a node' },
        { name: 'text', summary: 'the new system prompt', isRepeated: true, isOptional: true },
      ],
      options: [
        { name: 'none', summary: 'Remove it' },
        { name: 'yes', short: 'y', summary: 'Skip the question' },
      ],
      examples: [{ line: 'loom prompt system node-4' }, { line: 'loom prompt system node-4 "Answer in one line."' }],
      load: async () => (await import('../commands/prompts/system-prompt.ts')).systemPrompt,
    },
  ],
};
