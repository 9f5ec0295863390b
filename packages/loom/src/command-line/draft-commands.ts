import type { Command } from './command.ts';

const draft = { name: 'draft', summary: 'such as @person/3' };

/** `loom draft`. */
export const draftCommand: Command = {
  name: 'draft',
  synonyms: ['drafts'],
  summary: 'Write texts together with models, beside a conversation',
  description: `A draft is a text that people and models work on: a plan, an article, a file. It
stands beside the messages; models read and edit it with tools, the page shows
it, and each edit has its author and can be undone alone.
loom read, history, diff, patch and undo take a draft like any text.`,
  fallback: 'list',
  subcommands: [
    {
      name: 'list',
      synonyms: ['ls'],
      summary: 'List the drafts of a conversation (the default)',
      parameters: [{ name: 'conversation', summary: 'the end of its id is enough' }],
      load: async () => (await import('../commands/texts/draft.ts')).listDrafts,
    },
    {
      name: 'new',
      synonyms: ['add', 'create'],
      summary: 'Begin a draft',
      description: `Without a text it is empty; - reads the text from standard input.`,
      parameters: [
        { name: 'conversation', summary: 'the end of its id is enough' },
        { name: 'text', summary: 'the text to begin with', isRepeated: true, isOptional: true },
      ],
      options: [{ name: 'title', value: 'title', summary: 'A name for it' }],
      load: async () => (await import('../commands/texts/draft.ts')).beginDraft,
    },
    {
      name: 'edit',
      synonyms: ['write', 'open'],
      summary: 'Open a draft in your editor',
      description: `Opens $VISUAL or $EDITOR. Whenever you save, what you changed is merged into the
draft as it is by then: what others wrote meanwhile stays.`,
      parameters: [draft],
      load: async () => (await import('../commands/texts/draft.ts')).editDraft,
    },
    {
      name: 'rm',
      synonyms: ['remove', 'delete'],
      summary: 'Remove a draft',
      parameters: [draft],
      load: async () => (await import('../commands/texts/draft.ts')).removeDraft,
    },
  ],
};
