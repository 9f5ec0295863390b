import type { Command } from './command.ts';

/** The commands that list conversations and their projects. */
export const listingCommands: readonly Command[] = [
  {
    name: 'ls',
    synonyms: ['list', 'dir', 'conversations'],
    summary: 'List conversations, most recent first',
    description: `Options narrow the list together; one that is given several times lets any of
its values through. A project is named by its name, its folder or its id, as in
loom projects; "none" stands for conversations without one.`,
    options: [
      { name: 'project', value: 'name', summary: 'Only conversations of this project' },
      { name: 'state', value: 'state', isRepeated: true, summary: 'Only waiting, running, failed or done ones' },
      { name: 'model', value: 'name', isRepeated: true, summary: 'Only those whose newest answer it wrote' },
      { name: 'source', value: 'name', isRepeated: true, summary: 'Only those imported from this program, or loom' },
      { name: 'text', value: 'words', summary: 'Only those with these words in title or first line' },
      { name: 'by-project', summary: 'Group them by project' },
      { name: 'deleted', summary: 'List deleted conversations' },
      { name: 'archived', summary: 'List archived conversations' },
    ],
    examples: [
      { line: 'loom ls' },
      { line: 'loom ls --project none --state waiting', meaning: 'what waits for you outside of projects' },
      { line: 'loom ls --by-project --source codex' },
    ],
    load: async () => (await import('../commands/forest/ls.ts')).listRoots,
  },
  {
    name: 'projects',
    synonyms: ['project', 'folders', 'repositories'],
    summary: 'List the projects that conversations belong to',
    description: `A conversation belongs to the repository that its folder is in, with all
worktrees of it, or to its folder. loom ls --project lists those of one.`,
    examples: [{ line: 'loom projects' }],
    load: async () => (await import('../commands/forest/projects.ts')).showProjects,
  },
];
