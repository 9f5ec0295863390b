import type { Command } from './command.ts';

/** The commands that tell which turns wrote lines and commits. */
export const blameCommands: readonly Command[] = [
  {
    name: 'blame',
    synonyms: ['who', 'annotate', 'praise'],
    summary: 'Show which turns wrote the lines of a file',
    description: `Shows for each line the turn that wrote it, as far as a conversation recorded
the change, and the commit it came with. Renamed files and worktrees are
followed. Where it says "not known", a person, a command or another program may
have written the line; commands that name the file are listed. A line counts
only where it stands among the lines around it, so a copy elsewhere is not taken
for it.`,
    parameters: [{ name: 'file', summary: 'such as src/main.ts, src/main.ts:12 or src/main.ts:12-20' }],
    options: [{ name: 'root', value: 'root', summary: 'Only changes of this conversation, wherever it worked' }],
    examples: [{ line: 'loom blame src/main.ts:12' }, { line: 'loom blame src/main.ts', meaning: 'the whole file' }],
    load: async () => (await import('../commands/blame/blame.ts')).blameLines,
  },
  {
    name: 'log',
    summary: 'Show which turns are behind a commit',
    description: `Shows the turns that wrote the lines a commit added, as far as conversations
recorded it, the turn whose command made the commit, and imported sessions that
began at it. For the messages of a conversation: loom tree.`,
    options: [{ name: 'commit', value: 'commit', summary: 'Any name that git knows (default HEAD)' }],
    examples: [{ line: 'loom log' }, { line: 'loom log --commit HEAD~2' }],
    load: async () => (await import('../commands/blame/log.ts')).showCommit,
  },
];
