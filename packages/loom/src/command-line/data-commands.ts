import type { Command } from './command.ts';

/** The commands that look after the data folder as a whole. */
export const dataCommands: Command[] = [
  {
    name: 'migrate',
    summary: 'Write the files of an older Loom in the current format',
    description: `Folders of older Looms open as they are; nothing needs to be migrated. This
writes their messages in the format that Loom writes today, of which more can be
edited by hand. Everything is copied first, the new files are verified, and only
then put in place. After an interruption, run it again.`,
    options: [
      { name: 'dry-run', summary: 'Only say what would be done' },
      { name: 'backup', value: 'folder', summary: 'Where the copy goes (default: beside the data)' },
    ],
    examples: [{ line: 'loom migrate --dry-run' }, { line: 'loom migrate' }],
    load: async () => (await import('../commands/data/migrate.ts')).migrateData,
  },
  {
    name: 'backup',
    summary: 'Write everything into one file, and check it',
    description: `Works while another loom writes: what is in the file is as it was at one moment
of each conversation. The file appears when it is complete and was read again,
or not at all. A folder gets a file that is named after the time. What cannot
be read is left out and named, and the command ends with code 1. Settings are
left out, since they may hold keys. The format is that of loom export-store. -
writes to standard output.`,
    parameters: [{ name: 'file', summary: 'a new file, a folder, or - for standard output' }],
    examples: [
      { line: 'loom backup ~/loom-backup.jsonl' },
      { line: 'loom backup -', meaning: 'for a pipe, such as to gzip' },
    ],
    load: async () => (await import('../commands/data/backup.ts')).backUp,
  },
  {
    name: 'restore-backup',
    summary: 'Bring back everything that a backup holds',
    description: `Fills a folder that is empty or missing. With --replace the data that is there
is moved aside first, and stays until you delete it; settings are kept. The file
is checked before anything is changed. Increments that loom export-store has
made since can follow, the oldest first. No id that was given out after the
backup is ever used again.`,
    parameters: [
      { name: 'file', summary: 'what loom backup has written' },
      { name: 'increment', summary: 'what was exported since', isRepeated: true },
    ],
    options: [{ name: 'replace', summary: 'Move the data that is there aside' }],
    examples: [
      { line: 'loom restore-backup loom-backup.jsonl' },
      { line: 'loom restore-backup loom-backup.jsonl --replace' },
    ],
    load: async () => (await import('../commands/data/restore-backup.ts')).restoreBackup,
  },
  {
    name: 'export-store',
    summary: 'Write everything, or what is new, as lines of JSON',
    description: `For moving to another machine or store, and for keeping a copy up to date. With
--since only what an earlier export does not have is written, to be imported on
top of it. - writes to standard output. Other processes may write meanwhile.`,
    parameters: [{ name: 'file', summary: 'a new file, or - for standard output' }],
    options: [{ name: 'since', value: 'export', summary: 'Only what this earlier export does not have' }],
    examples: [
      { line: 'loom export-store monday.jsonl' },
      { line: 'loom export-store tuesday.jsonl --since monday.jsonl' },
      { line: 'loom export-store -', meaning: 'for a pipe, to gzip or another machine' },
    ],
    load: async () => (await import('../commands/data/export-store.ts')).exportStore,
  },
  {
    name: 'import-store',
    summary: 'Take in what loom export-store has written',
    description: `Into an empty folder, or on top of what was imported before; doing it again
changes nothing, and after an interruption it goes on. Files are checked before
anything is changed. Data with other changes is refused. - reads standard
input.`,
    parameters: [
      { name: 'file', summary: 'an export, or - for standard input' },
      { name: 'more', summary: 'exports that build on it', isRepeated: true },
    ],
    examples: [
      { line: 'loom import-store monday.jsonl tuesday.jsonl' },
      { line: 'loom import-store monday.jsonl --data-dir copy' },
    ],
    load: async () => (await import('../commands/data/import-store.ts')).importStore,
  },
  {
    name: 'du',
    summary: 'Show what takes how much room',
    description: `Sizes are those of the files, not what a disk gives them; beside each is how
much that is for the text of all conversations as it is now.`,
    examples: [{ line: 'loom du' }],
    load: async () => (await import('../commands/data/du.ts')).showUsage,
  },
  {
    name: 'doctor',
    synonyms: ['check', 'fsck', 'repair'],
    summary: 'Check all data, and mend what can be mended',
    description: `Reads everything: the database or log files, every change, every blob
and every file. What is derived from the log (snapshots, node files) is made
again where it is wrong; edits by hand are taken in; files that cannot be taken
in are kept in quarantine. Ends with code 1 if something is lost.

A change that cannot be read keeps its whole conversation closed. --set-aside
takes such changes out of the log, keeps them in quarantine and says
what they were; everything else of the conversation is there again.`,
    options: [{ name: 'set-aside', summary: 'Set changes aside that cannot be read, so that the rest opens' }],
    examples: [{ line: 'loom doctor' }, { line: 'loom doctor --set-aside' }],
    load: async () => (await import('../commands/data/doctor.ts')).examine,
  },
  {
    name: 'purge',
    synonyms: ['erase', 'forget'],
    summary: 'Remove what a block or a conversation ever said, for good',
    description: `For a key that was pasted by accident. Deleting keeps everything, so that it can
be undone; this does not: what the block said in any version, in any copy and in
any file is replaced by █. Its place, its length and who wrote it stay. Of a
whole conversation nothing stays. Without --yes you are shown what would go, and
where else the same words are, such as in an answer that repeats them.`,
    parameters: [
      { name: 'block', summary: 'a block, a node with one text, or a root' },
      { name: 'more', summary: 'further ones', isRepeated: true },
    ],
    options: [{ name: 'yes', short: 'y', summary: 'Do it; without this you are only shown what would go' }],
    examples: [{ line: 'loom purge node-3 --yes' }, { line: 'loom purge @person/3 --yes' }],
    load: async () => (await import('../commands/data/purge.ts')).purgeBlocks,
  },
];

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
  load: async () => (await import('../commands/texts/search.ts')).searchTexts,
};
