import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder, wordsOf } from '../../testing/forest-folder.ts';

test('[PR27] loom prompt keeps, lists, shows, changes and removes prompts, and prints what was there', async (t) => {
  const folder = new ForestFolder(t);
  const dir = temporaryDirectory(t);
  assert.match(
    await folder.succeed([
      'prompt',
      'save',
      '/review',
      'Review',
      '$1.',
      '--hint',
      '[file]',
      '--description',
      'Find faults',
    ]),
    /^Saved \/review\. To use it: loom prompt run review/u,
  );
  assert.match(await folder.succeed(['prompt']), /^\/review \[file\] {2}Find faults {2}yours\n$/u);
  assert.equal(
    await folder.succeed(['prompt', 'save', 'review', '--hint', '[path]']),
    'Changed /review. To use it: loom prompt run review --data-dir ' + folder.dataDir + '\n',
  );
  const { out, note } = await folder.run(['prompt', 'show', 'review']);
  assert.deepEqual([out, note], ['Review $1.\n', '/review [path], yours\n']);
  await folder.succeed(['prompt', 'save', 'ours', '-', '--project', '--dir', dir], { input: 'For all.\n' });
  assert.match(await folder.succeed(['prompt', 'list', '--dir', dir]), /^\/ours +For all\. {2}the project's$/mu);
  assert.doesNotMatch(await folder.succeed(['prompt', 'list']), /\/ours/u);
  assert.equal(await folder.succeed(['prompt', 'remove', 'review']), 'Review $1.\n');
  const gone = await folder.run(['prompt', 'show', 'reviews']);
  assert.deepEqual([gone.code, gone.out], [1, '']);
  assert.match(gone.note, /there is no prompt reviews/u);
});

test('[PR28] loom prompt run shows what it sends, refuses places without an argument, and --print sends nothing', async (t) => {
  const folder = new ForestFolder(t);
  const [home, dir] = [temporaryDirectory(t), temporaryDirectory(t)];
  mkdirSync(join(home, '.claude/commands'), { recursive: true });
  writeFileSync(join(home, '.claude/commands/hello.md'), '---\nallowed-tools: Bash\n---\necho $1 !`ls`');
  const env = { HOME: home };
  const run = (...args: string[]) => folder.run(['prompt', 'run', 'hello', ...args, '--dir', dir], { env });
  const refused = await run();
  assert.equal(refused.code, 1);
  assert.match(refused.note, /nothing was given for \$1/u);
  assert.equal((await run('a b', '--print')).out, 'echo a b !`ls`\n');
  const { code, note, out } = await run('one');
  assert.equal(code, 0, note);
  assert.match(note, /^echo one !`ls`\n\nThe file would run ls\. Loom does not/u);
  assert.match(out, /one/u);
  const nodes = await folder.nodes(['show', 'node-2']);
  assert.equal(wordsOf(nodes)[0], 'user: echo one !`ls`');
  const shown = await folder.run(['prompt', 'show', 'hello'], { env });
  assert.match(shown.note, /asks to allow Bash; Loom does not grant that/u);
});

test('[PR29] loom prompt system shows the system prompt, says what another one costs, and sets or removes it', async (t) => {
  const folder = new ForestFolder(t);
  const { root } = await folder.say('echo one', '--system', 'Be brief.');
  assert.equal(await folder.succeed(['prompt', 'system', root]), 'Be brief.\n');
  const { code, note } = await folder.run(['prompt', 'system', root, 'Be', 'long.'], { keyboard: '', answers: ['n'] });
  assert.equal(code, 1);
  assert.match(note, /^This ends the prompt cache: the next answer reads about \d+ tokens? again/u);
  assert.equal(await folder.succeed(['prompt', 'system', root]), 'Be brief.\n', 'nothing was changed');
  await folder.succeed(['prompt', 'system', root, 'Be', 'long.'], { keyboard: '', answers: ['y'] });
  assert.equal(await folder.succeed(['prompt', 'system', root]), 'Be long.\n');
  await folder.succeed(['prompt', 'system', root, '--none']);
  assert.equal((await folder.run(['prompt', 'system', root])).out, '');
  assert.equal((await folder.run(['prompt', 'system', root, 'x', '--none'])).code, 2);
});

test('[PR30] in a chat /name uses a prompt, /prompt lists them, /system shows and changes the system prompt', async (t) => {
  const folder = new ForestFolder(t);
  await folder.succeed(['prompt', 'save', 'greet', 'echo hello $1']);
  const { out } = await folder.run(['chat', '--system', 'Be brief.'], {
    input: '/prompt\n/greet world\n/system\n/system Be long.\n/greet\n/grete\n',
  });
  assert.match(out, /\/greet {2}echo hello \$1/u);
  assert.match(out, /Be brief\./u);
  assert.match(out, /Changed the system prompt/u);
  assert.match(out, /nothing was given for \$1/u);
  assert.match(out, /there is no \/grete/u);
  assert.equal(wordsOf(await folder.nodes(['show', 'node-2']))[0], 'user: echo hello world');
  assert.equal(await folder.succeed(['prompt', 'system', 'node-2']), 'Be long.\n');
});
