import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { longestPrompt } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { readPromptText } from './front-matter.ts';
import { promptFiles } from './prompt-files.ts';

function plant(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test('[PR25] the commands of Claude Code and Codex are read with their fields, folders inside give names with colons', async (t) => {
  const [home, folder] = [temporaryDirectory(t), temporaryDirectory(t)];
  plant(home, {
    '.claude/commands/review.md':
      '---\ndescription: "Look at a change"\nargument-hint: [file]\nmodel: opus\nallowed-tools: Bash(git diff:*), Read\n---\nReview $1.\n',
    '.claude/commands/front/deep/part.md': 'Part.',
    '.claude/commands/notes.txt': 'no prompt',
    '.codex/prompts/draft.md': '# Draft\nWrite $FILE.',
    '.codex/prompts/inner/no.md': 'Codex looks into no folders.',
  });
  plant(folder, { '.claude/commands/review.md': 'Ours.' });
  const { prompts, skipped } = await promptFiles(home).files(folder);
  assert.deepEqual(skipped, []);
  assert.deepEqual(
    prompts.map(({ source, name, text }) => [source, name, text]),
    [
      ['folder', 'review', 'Ours.'],
      ['claude', 'front:deep:part', 'Part.'],
      ['claude', 'review', 'Review $1.'],
      ['codex', 'draft', '# Draft\nWrite $FILE.'],
    ],
  );
  assert.deepEqual(prompts[2], {
    source: 'claude',
    name: 'review',
    text: 'Review $1.',
    description: 'Look at a change',
    argument_hint: '[file]',
    model: 'opus',
    allowed_tools: 'Bash(git diff:*), Read',
    path: join(home, '.claude/commands/review.md'),
  });
  assert.deepEqual(await promptFiles(join(home, 'gone')).files(), { prompts: [], skipped: [] });
});

test('[PR26] links, pipes, long files and files without text are left out and named, whatever leads to them', async (t) => {
  const [home, folder, secret] = [temporaryDirectory(t), temporaryDirectory(t), temporaryDirectory(t)];
  plant(secret, { 'commands/key.md': 'secret', 'key.md': 'secret' });
  plant(home, {
    '.claude/commands/long.md': 'x'.repeat(longestPrompt + 1),
    '.claude/commands/huge.md': 'x'.repeat(10 * longestPrompt),
    '.claude/commands/binary.md': new Uint8Array([0xff, 0xfe, 0x00]),
    '.claude/commands/empty.md': '---\ndescription: nothing\n---\n \n',
    '.claude/commands/bad name.md': 'x',
    '.claude/commands/good.md': 'good',
  });
  symlinkSync(join(secret, 'key.md'), join(home, '.claude/commands/key.md'));
  symlinkSync(secret, join(home, '.claude/commands/inner'));
  execFileSync('mkfifo', [join(home, '.claude/commands/pipe.md')]);
  symlinkSync(secret, join(folder, '.claude'));
  const { prompts, skipped } = await promptFiles(home).files(folder);
  assert.deepEqual(
    prompts.map(({ text }) => text),
    ['good'],
  );
  const commands = join(home, '.claude/commands');
  assert.deepEqual(
    skipped.map(({ path, reason }) => [path, reason]),
    [
      [join(folder, '.claude'), 'link'],
      [join(commands, 'inner'), 'link'],
      [join(commands, 'key.md'), 'link'],
      [join(commands, 'bad name.md'), 'bad-name'],
      [join(commands, 'binary.md'), 'not-text'],
      [join(commands, 'empty.md'), 'empty'],
      [join(commands, 'huge.md'), 'too-large'],
      [join(commands, 'long.md'), 'too-large'],
    ],
  );
});

test('[PR25] the fields of a file may be quoted, folded and lists; a file that only begins with a line is text', () => {
  const read = (text: string): unknown => Object.fromEntries(readPromptText(text).fields);
  assert.deepEqual(
    read("---\ndescription: >-\n  Two\n  lines\nallowed-tools:\n  - Read\n  - 'Bash(ls)'\n# note\n---\nx"),
    {
      description: 'Two lines',
      'allowed-tools': 'Read, Bash(ls)',
    },
  );
  assert.deepEqual(read('---\r\nallowed-tools: [Read, "Write"]\r\n---\r\nx'), { 'allowed-tools': 'Read, Write' });
  assert.deepEqual(readPromptText('---\nNot fields, only a line above.'), {
    fields: new Map(),
    text: '---\nNot fields, only a line above.',
  });
});
