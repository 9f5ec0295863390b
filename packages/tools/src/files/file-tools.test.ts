import assert from 'node:assert/strict';
import { readdirSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testToolContract } from '@loom/providers/testing';
import { z } from 'zod';
import { patchFilesCode } from './apply-patch/patch-files.ts';
import { editFileCode } from './edit/edit-file.ts';
import { listFolderCode } from './list/list-folder.ts';
import { findPlaceholder } from './placeholders.ts';
import { readFileCode } from './read/read-file.ts';
import { searchFilesCode } from './search/search-files.ts';
import { testedTools, ToolStage } from './testing/tool-stage.ts';
import { writeFileCode } from './write/write-file.ts';

for (const tool of testedTools()) {
  testToolContract(tool.name, () => tool, { samples: [{ path: 'x' }], isHarmless: true });
}

const codes = new Map<string, { params: z.ZodType }>([
  ['read', readFileCode],
  ['write', writeFileCode],
  ['edit', editFileCode],
  ['apply_patch', patchFilesCode],
  ['list', listFolderCode],
  ['search', searchFilesCode],
]);

test('[TF1] the parameters that models are shown are those that a call is read with', () => {
  for (const { name, parameters } of testedTools()) {
    const code = codes.get(name);
    assert.ok(code !== undefined, name);
    assert.deepEqual(outline(parameters), outline(z.toJSONSchema(code.params)), name);
  }
});

/** The parts of a schema that decide: names, types, and which are required. */
function outline(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one: unknown) => outline(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key]) => !['description', '$schema', 'maximum', 'maxItems', 'minLength'].includes(key),
  );
  return Object.fromEntries(kept.map(([key, value]: [string, unknown]) => [key, outline(value)]));
}

test('[TF2] read numbers lines from 0 as block.read does, gives ranges, and says how to read on', async (t) => {
  const stage = new ToolStage(t, { 'a.txt': 'one\ntwo\r\nthree', 'long.txt': 'line\n'.repeat(5000), empty: '' });
  assert.equal((await stage.call('read', { path: 'a.txt' })).text, '0\tone\n1\ttwo\r\n2\tthree');
  assert.equal(
    (await stage.call('read', { path: 'a.txt', start_line: 1, end_line: 2 })).text,
    '1\ttwo\r\n[Lines 1 to 1 of 3. Read on with start_line 2.]',
  );
  const long = await stage.call('read', { path: 'long.txt' });
  assert.match(
    long.text,
    /^0\tline\n1\tline\n[^]*\n1999\tline\n\[Lines 0 to 1999 of 5000\. Read on with start_line 2000\.\]$/,
  );
  assert.match(
    (await stage.call('read', { path: 'long.txt', start_line: 4999 })).text,
    /^4999\tline\n\[.* the last of 5000\.\]$/,
  );
  assert.match(
    (await stage.call('read', { path: 'long.txt', start_line: 5000 })).text,
    /numbered 0 to 4999; there is no line 5000/,
  );
  assert.match((await stage.call('read', { path: 'empty' })).text, /is empty/);
  stage.put('wide.txt', `${'x'.repeat(10_000)}\nend\n`);
  assert.match(
    (await stage.call('read', { path: 'wide.txt' })).text,
    /^0\tx{2000}… \[8000 more characters in this line\]\n1\tend\n$/,
  );
});

test('[TF3] read shows pictures as pictures, and says what to do with other bytes and with huge files', async (t) => {
  const stage = new ToolStage(t);
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  );
  stage.put('dot.png', png);
  stage.put('data.bin', Buffer.from([1, 0, 2]));
  stage.put('latin.txt', Buffer.from([0x66, 0xfc, 0x72]));
  stage.put('huge.txt', '');
  truncateSync(join(stage.directory, 'huge.txt'), 51 * 1024 * 1024);
  const { content } = await stage.call('read', { path: 'dot.png' });
  const image = content.find(({ type }) => type === 'image');
  assert.ok(image?.type === 'image' && image.media_type === 'image/png' && image.filename === 'dot.png');
  assert.deepEqual(await stage.context.blobs.get(image.blob ?? ''), png);
  for (const [path, says] of [
    ['data.bin', /is binary .* shell command/],
    ['latin.txt', /is binary/],
    ['huge.txt', /has 51 MB; at most 50 MB .* search/],
    ['gone.txt', /does not exist/],
    ['../x', /contains "\.\."/],
  ] as const) {
    const { text, isError } = await stage.call('read', { path });
    assert.match(text, says);
    assert.ok(isError);
  }
});

test('[TF4] a file is changed only after it was read, and only as it was read', async (t) => {
  const stage = new ToolStage(t, { 'a.txt': 'one\n' });
  const edit = { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] };
  for (const [name, parameters] of [
    ['edit', edit],
    ['write', { path: 'a.txt', content: 'x' }],
  ] as const) {
    const { text, isError, permission } = await stage.call(name, parameters);
    assert.deepEqual([isError, permission], [true, 'run']);
    assert.match(text, /a\.txt has not been read in this conversation\. Read it first/);
  }
  await stage.call('read', { path: 'a.txt' });
  stage.put('a.txt', 'one, says a person\n');
  assert.match((await stage.call('edit', edit)).text, /changed since it was read: a person or another program/);
  assert.equal(stage.text('a.txt'), 'one, says a person\n');
  await stage.call('read', { path: 'a.txt' });
  assert.equal((await stage.call('edit', edit)).isError, false);
  // The model knows what it wrote itself.
  assert.equal((await stage.call('write', { path: 'a.txt', content: 'three\n' })).isError, false);
  assert.equal(stage.text('a.txt'), 'three\n');
  // Another conversation has read nothing.
  const other = await stage.tools[2]?.prepare(
    { id: 'c', name: 'edit', parameters: edit, arguments: '' },
    { ...stage.context, root: 'root-2', node: 'root-2/node-1' },
  );
  assert.equal(other?.permission, 'run');
});

test('[TF5] a change is a file-change block with its diff, the contents before and after, and the mode', async (t) => {
  const stage = new ToolStage(t, { 'src/a.txt': 'one\ntwo\n' });
  const added = await stage.call('write', { path: 'src/new/b.txt', content: 'b\n' });
  assert.equal(added.text, 'Created src/new/b.txt (+1 -0 lines).');
  await stage.call('read', { path: 'src/a.txt' });
  const changed = await stage.call('edit', { path: 'src/a.txt', edits: [{ old_text: 'two', new_text: '2' }] });
  const [block] = changed.content;
  assert.ok(block?.type === 'file-change');
  const [change] = block.changes;
  assert.deepEqual(
    { ...change, before: undefined, after: undefined },
    {
      path: 'src/a.txt',
      kind: 'modify',
      diff: '--- src/a.txt\n+++ src/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      mode: { before: 0o644, after: 0o644 },
      before: undefined,
      after: undefined,
    },
  );
  const bytes = async (id = ''): Promise<string> => Buffer.from((await stage.context.blobs.get(id)) ?? []).toString();
  assert.deepEqual([await bytes(change?.before), await bytes(change?.after)], ['one\ntwo\n', 'one\n2\n']);
  const [shown] = changed.preview;
  assert.ok(shown?.type === 'file-change' && shown.changes[0]?.diff === change?.diff);
});

test('[TF6] edits are exact, made together or not at all, and a passage that is not unique or not there is refused with what is near', async (t) => {
  const text = 'function a() {\n  return 1;\n}\n\nfunction b() {\n  return 1;\n}\n';
  const stage = new ToolStage(t, { 'a.ts': text, 'crlf.txt': 'one\r\ntwo\r\nthree\r\n' });
  await stage.call('read', { path: 'a.ts' });
  await stage.call('read', { path: 'crlf.txt' });
  const edit = async (...edits: { old_text: string; new_text: string; replace_all?: boolean }[]) =>
    (await stage.call('edit', { path: 'a.ts', edits })).text;
  assert.match(
    await edit({ old_text: '  return 1;', new_text: '' }),
    /occurs 2 times in a\.ts, at lines 1, 5\. .*replace_all/,
  );
  assert.match(
    await edit({ old_text: 'function b() {\n    return 1;', new_text: '' }),
    /differs only in white space from this passage:\n4\tfunction b\(\) \{\n5\t {2}return 1;/,
  );
  assert.match(
    await edit({ old_text: 'function bb() {', new_text: '' }),
    /nearest passages are:\n[^]*4\tfunction b\(\) \{/,
  );
  assert.match(await edit({ old_text: 'zzzzzzz', new_text: '' }), /No passage is like it/);
  assert.match(
    await edit({ old_text: 'function a', new_text: 'x' }, { old_text: 'gone', new_text: '' }),
    /old_text of edit 1 does not occur/,
  );
  assert.match(
    await edit({ old_text: 'function a() {\n  ret', new_text: 'x' }, { old_text: 'return 1;\n}\n\n', new_text: '' }),
    /overlap at line 1/,
  );
  assert.match(await edit({ old_text: '', new_text: 'x' }), /is empty/);
  assert.match(await edit({ old_text: 'a', new_text: 'a' }), /are equal/);
  assert.equal(stage.text('a.ts'), text);
  assert.match(
    await edit(
      { old_text: 'return 1', new_text: 'return 2', replace_all: true },
      { old_text: 'function b', new_text: 'function c' },
    ),
    /^Changed a\.ts \(\+3 -3 lines\)\.$/,
  );
  assert.equal(stage.text('a.ts'), text.replaceAll('return 1', 'return 2').replace('function b', 'function c'));
  await stage.call('edit', { path: 'crlf.txt', edits: [{ old_text: 'one\ntwo', new_text: '1\n2' }] });
  assert.equal(stage.text('crlf.txt'), '1\r\n2\r\nthree\r\n');
});

test('[TF7] lines that stand for code which was left out are refused, but for lines that the file has already', async (t) => {
  for (const line of [
    '// ... rest of the code unchanged',
    '  # ... existing code ...',
    '// rest of the file remains the same',
    '/* ... remaining methods unchanged ... */',
    '<!-- rest of the content here -->',
    '// … other functions stay the same …',
    '... rest of code unchanged ...',
    '-- existing code goes here',
    '# everything else stays the same',
    '    // (rest of the implementation)',
  ])
    assert.equal(findPlaceholder(`let x;\n${line}\n`), line);
  for (const line of [
    '// Returns the rest.',
    'const rest = [...existing, ...other];',
    '# The remaining lines are read by the caller',
    'function f(...args) {',
    '// Same as above, but for files',
    'The rest of the code is explained below.',
    '// existing code paths use it',
    '...',
  ])
    assert.equal(findPlaceholder(line), undefined, line);
  const stage = new ToolStage(t, { 'a.md': '// ... existing code ...\nold\n' });
  await stage.call('read', { path: 'a.md' });
  const refused = await stage.call('write', { path: 'b.ts', content: 'let x;\n// ... rest of the code unchanged\n' });
  assert.match(refused.text, /stands for code that was left out/);
  assert.deepEqual(readdirSync(stage.directory), ['a.md']);
  const kept = await stage.call('write', { path: 'a.md', content: '// ... existing code ...\nnew\n' });
  assert.equal(kept.isError, false);
});

test('[TF8] reading secrets and changing files asks, plan mode denies changes, edit mode lets them run, and .git always asks', async (t) => {
  const files = { '.env': 'KEY=1', '.env.example': 'KEY=', 'deploy/id_ed25519': 'k', 'a.txt': 'a', '.git/config': '' };
  const permissionOf = async (mode: 'plan' | 'ask' | 'edit', name: string, path: string): Promise<string> => {
    const stage = new ToolStage(t, files, { approvalMode: mode });
    const { prepared } = await stage.prepare(name, name === 'read' ? { path } : { path, content: 'x' });
    return prepared.permission;
  };
  for (const mode of ['plan', 'ask', 'edit'] as const) {
    assert.equal(await permissionOf(mode, 'read', '.env'), 'ask');
    assert.equal(await permissionOf(mode, 'read', './.env'), 'ask');
    assert.equal(await permissionOf(mode, 'read', 'deploy/id_ed25519'), 'ask');
    assert.equal(await permissionOf(mode, 'read', 'a.txt'), 'run');
    assert.equal(await permissionOf(mode, 'read', '.env.example'), 'run');
  }
  assert.equal(await permissionOf('plan', 'write', 'new.txt'), 'deny');
  assert.equal(await permissionOf('ask', 'write', 'new.txt'), 'ask');
  assert.equal(await permissionOf('edit', 'write', 'new.txt'), 'run');
  assert.equal(await permissionOf('edit', 'write', '.git/hooks/post-commit'), 'ask');
  assert.equal(await permissionOf('edit', 'write', '.GIT/hooks/post-commit'), 'ask');
});

test('[TF9] a call runs on the files that its permission was about: one that was swapped or changed meanwhile is refused', async (t) => {
  const stage = new ToolStage(t, { 'a.txt': 'one', '.env': 'KEY=1' }, { approvalMode: 'ask' });
  const reading = await stage.prepare('read', { path: 'a.txt' });
  assert.equal(reading.prepared.permission, 'run');
  unlinkSync(join(stage.directory, 'a.txt'));
  symlinkSync('.env', join(stage.directory, 'a.txt'));
  const swapped = await reading.run();
  assert.ok(swapped.isError && !swapped.text.includes('KEY'), swapped.text);
  unlinkSync(join(stage.directory, 'a.txt'));
  stage.put('a.txt', 'one');
  await stage.call('read', { path: 'a.txt' });
  const editing = await stage.prepare('edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] });
  assert.equal(editing.prepared.permission, 'ask');
  stage.put('a.txt', 'one, and more');
  await stage.call('read', { path: 'a.txt' });
  const late = await editing.run();
  assert.match(late.text, /changed after this change of it was shown to the person/);
  assert.equal(stage.text('a.txt'), 'one, and more');
  // A call that was wrong when it was prepared does nothing, although it would be right by now.
  const early = await stage.prepare('edit', { path: 'b.txt', edits: [{ old_text: 'b', new_text: 'c' }] });
  assert.equal(early.prepared.permission, 'run');
  stage.put('b.txt', 'b');
  await stage.call('read', { path: 'b.txt' });
  assert.match((await early.run()).text, /b\.txt does not exist/);
  assert.equal(stage.text('b.txt'), 'b');
});

test('[TF10] list shows what .gitignore does not name, to a depth, and says where it stops', async (t) => {
  const stage = new ToolStage(t, {
    '.gitignore': 'node_modules/\n*.log\n!keep.log\n/build\n',
    'src/a.ts': '',
    'src/deep/er/b.ts': '',
    'src/.gitignore': 'generated.*\n',
    'src/generated.ts': '',
    'node_modules/x/index.js': '',
    'error.log': '',
    'keep.log': '',
    'build/out.js': '',
    'src/build/in.ts': '',
    '.git/config': '',
  });
  symlinkSync('src', join(stage.directory, 'link'));
  assert.equal(
    (await stage.call('list', {})).text,
    [
      '.gitignore',
      'keep.log',
      'link (link)',
      'src/',
      'src/.gitignore',
      'src/a.ts',
      'src/build/',
      'src/build/in.ts',
      'src/deep/',
      'src/deep/er/',
      '[Folders at depth 3 are not opened. List one of them, or use a larger depth.]',
    ].join('\n'),
  );
  assert.equal((await stage.call('list', { path: 'src/deep', depth: 5 })).text, 'src/deep/er/\nsrc/deep/er/b.ts');
  assert.match((await stage.call('list', { path: 'gone' })).text, /gone does not exist/);
  for (let number = 0; number < 1001; number += 1) stage.put(`many/${number}`, '');
  assert.match((await stage.call('list', { path: 'many' })).text, /\[Cut after 1000 entries\./);
  const none = new ToolStage(t, {}, { directory: join(stage.directory, 'missing') });
  assert.match((await none.call('list', {})).text, /missing does not exist/);
});
