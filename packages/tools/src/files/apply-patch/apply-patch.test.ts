import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ToolStage } from '../testing/tool-stage.ts';

const files = {
  'a.ts': 'class A {\n  one() {\n    return 1;\n  }\n\n  two() {\n    return 1;\n  }\n}\n',
  'b.txt': 'first\nsecond\nthird\n',
  'c.txt': '-- gone\nkept\n',
};

async function read(stage: ToolStage): Promise<ToolStage> {
  for (const path of Object.keys(files)) await stage.call('read', { path });
  return stage;
}

const envelope = (...lines: string[]): { patch: string } => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});

test('[TF12] apply_patch takes the envelope: files are added, updated, renamed and deleted together', async (t) => {
  const stage = await read(new ToolStage(t, files));
  const { text, isError, content } = await stage.call(
    'apply_patch',
    envelope(
      '*** Add File: new/d.txt',
      '+added',
      '*** Update File: a.ts',
      '@@ class A {',
      '@@   two() {',
      '-    return 1;',
      '+    return 2;',
      '*** Update File: b.txt',
      '*** Move to: moved/b.txt',
      '@@',
      ' first',
      '-second',
      '+SECOND',
      '*** Delete File: c.txt',
    ),
  );
  assert.equal(isError, false, text);
  assert.equal(stage.text('a.ts'), files['a.ts'].replace(/two\(\) \{\n {4}return 1/u, 'two() {\n    return 2'));
  assert.equal(stage.text('moved/b.txt'), 'first\nSECOND\nthird\n');
  assert.equal(stage.text('new/d.txt'), 'added\n');
  assert.deepEqual(readdirSync(stage.directory).sort(), ['a.ts', 'moved', 'new']);
  const [block] = content;
  assert.ok(block?.type === 'file-change');
  assert.deepEqual(
    block.changes.map(({ path, kind, from }) => [path, kind, from]),
    [
      ['new/d.txt', 'add', undefined],
      ['a.ts', 'modify', undefined],
      ['moved/b.txt', 'rename', 'b.txt'],
      ['c.txt', 'delete', undefined],
    ],
  );
});

test('[TF12] apply_patch takes what git diff prints for any change of a tree', async (t) => {
  const stage = await read(new ToolStage(t, files));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: stage.directory,
    }).toString();
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  stage.put('a.ts', files['a.ts'].replace('return 1', 'return 3'));
  stage.put('näme "x".txt', 'quoted\n');
  stage.put('run.sh', 'echo\n');
  execFileSync('chmod', ['755', join(stage.directory, 'run.sh')]);
  stage.put('b.txt', '');
  git('rm', '-q', '--cached', 'c.txt');
  execFileSync('mv', ['c.txt', 'renamed file.txt'], { cwd: stage.directory });
  execFileSync('rm', ['b.txt'], { cwd: stage.directory });
  git('add', '-A');
  const patch = git('diff', '--cached', '-M');
  git('reset', '-q', '--hard');
  const { text, isError } = await stage.call('apply_patch', { patch });
  assert.equal(isError, false, text);
  git('add', '-A');
  assert.equal(git('diff', '--cached', '-M'), patch);
  assert.equal(statSync(join(stage.directory, 'run.sh')).mode & 0o777, 0o755);
});

test('[TF13] a patch that does not fit, names what is not there, or was cut off is refused with advice, and nothing of it is done', async (t) => {
  const stage = await read(new ToolStage(t, { ...files, 'unread.txt': 'x\n' }));
  const wrong: [patch: { patch: string }, says: RegExp][] = [
    [
      envelope('*** Update File: a.ts', '@@', '-    return 1;', '+    return 2;'),
      /fits 2 places in a\.ts, at lines 2, 6\. .*"@@" line/,
    ],
    [
      envelope('*** Update File: b.txt', '@@', ' first', '-2nd', '+x'),
      /does not fit b\.txt\. .*nearest passages are:\n0\tfirst\n1\tsecond/s,
    ],
    [
      envelope('*** Update File: a.ts', '@@ three() {', '-x', '+y'),
      /no line of a\.ts from line 0 on is "three\(\) \{"/,
    ],
    [envelope('*** Update File: gone.txt', '@@', '-x', '+y'), /gone\.txt does not exist/],
    [envelope('*** Add File: a.ts', '+x'), /a\.ts exists already/],
    [envelope('*** Add File: x.txt', '+x', 'y'), /Line 5 of the patch, "y", does not belong there/],
    [envelope('*** Update File: unread.txt', '@@', '-x', '+y'), /has not been read/],
    [envelope('*** Add File: ../x', '+x'), /contains "\.\."/],
    [
      envelope('*** Update File: b.txt', '@@', '-second', '+// ... rest of the code unchanged'),
      /stands for code that was left out/,
    ],
    [envelope('*** Delete File: b.txt', '*** Update File: b.txt', '@@', '-first', '+x'), /b\.txt is changed twice/],
    [{ patch: '*** Begin Patch\n*** Add File: x.txt\n+x\n' }, /no "\*\*\* End Patch": it may have been cut off/],
    [{ patch: 'hello' }, /neither a unified diff nor/],
    [
      { patch: '--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n first\n-wrong\n+x\n' },
      /The patch does not fit b\.txt: hunk 1/,
    ],
    [{ patch: 'diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n' }, /binary part/],
  ];
  for (const [patch, says] of wrong) {
    // A first file that would fit is not changed either.
    const whole = patch.patch.replace('*** Begin Patch\n', '*** Begin Patch\n*** Add File: fits.txt\n+fits\n');
    const { text, isError } = await stage.call('apply_patch', { patch: whole });
    assert.match(text, says);
    assert.ok(isError);
  }
  assert.ok(!existsSync(join(stage.directory, 'fits.txt')));
  for (const [path, text] of Object.entries(files)) assert.equal(stage.text(path), text);
});
