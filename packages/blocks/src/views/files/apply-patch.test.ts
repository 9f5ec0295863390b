import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from 'diff';
import * as fc from 'fast-check';
import { viewsOfToolCall, viewsOfToolResult } from '../tool-views.ts';

const changesOf = (input: unknown) => {
  const [block] = viewsOfToolCall({ name: 'apply_patch', parameters: input });
  return block?.type === 'file-change' ? block.changes : undefined;
};

test('[VW36] sections, headings, several chunks and the end-of-file mark', () => {
  const patch = `*** Begin Patch
*** Update File: src/a.py
@@ class A:
@@   def f():
-    return 1
+    return 2
 
@@
 tail

+more
*** End of File
*** Add File: empty.txt
*** Update File: b.txt
*** Move to: c.txt
*** Delete File: d.txt
*** End Patch`;
  assert.deepEqual(changesOf({ input: patch }), [
    {
      path: 'src/a.py',
      kind: 'modify',
      diff: `--- src/a.py
+++ src/a.py
@@ -1,2 +1,2 @@ def f():
-    return 1
+    return 2
 
@@ -3,2 +3,3 @@
 tail
 
+more
`,
    },
    { path: 'empty.txt', kind: 'add' },
    { path: 'c.txt', kind: 'rename', from: 'b.txt' },
    { path: 'd.txt', kind: 'delete' },
  ]);
});

test('[VW36] the envelope may come from a heredoc, with CRLF, or as the bare parameter', () => {
  const patch = '*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\n';
  const expected = [{ path: 'a', kind: 'modify', diff: '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n' }];
  for (const parameters of [
    patch,
    { patch },
    { patchText: patch },
    `<<'EOF'\n${patch}EOF\n`,
    patch.replaceAll('\n', '\r\n'),
  ]) {
    assert.deepEqual(changesOf(parameters), expected);
  }
});

test('[VW36] a malformed envelope gives nothing', () => {
  const malformed = [
    '',
    'no patch',
    '*** Begin Patch\n*** End Patch',
    '*** Begin Patch\n*** Delete File: a',
    '*** Begin Patch\nstray\n*** Delete File: a\n*** End Patch',
    '*** Begin Patch\n*** Update File: a\n*** End Patch',
    '*** Begin Patch\n*** Update File: a\n@@\n?x\n*** End Patch',
    '*** Begin Patch\n*** Update File: a\n-x\n*** Move to: b\n*** End Patch',
    '*** Begin Patch\n*** Add File: a\nx\n*** End Patch',
    '*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch',
    '*** Begin Patch\n*** Delete File: \n*** End Patch',
  ];
  for (const patch of malformed)
    assert.deepEqual(viewsOfToolCall({ name: 'apply_patch', parameters: patch }), [], patch);
});

test('[VW36][VW30] applied to the lines that it names, a section gives the lines that it asks for', () => {
  const line = fc.tuple(fc.constantFrom(' ', '-', '+'), fc.constantFrom('a', 'b', '', '@@', '*** x', '+', '-'));
  fc.assert(
    fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }), (chunks) => {
      const written = chunks.map((chunk) => `@@ here\n${chunk.map(([mark, text]) => `${mark}${text}\n`).join('')}`);
      const side = (without: string) =>
        chunks.flatMap((chunk) => chunk.flatMap(([mark, text]) => (mark === without ? [] : [`${text}\n`]))).join('');
      const changes = changesOf(`*** Begin Patch\n*** Update File: f\n${written.join('')}*** End Patch`);
      assert.equal(applyPatch(side('+'), changes?.[0]?.diff ?? ''), side('-'));
    }),
  );
});

test('[VW37] only a text that says so tells that a patch was applied', () => {
  const call = { name: 'apply_patch', parameters: '*** Begin Patch\n*** Delete File: a\n*** End Patch' };
  const views = (text: string | undefined) => viewsOfToolResult(call, text === undefined ? {} : { text }).length;
  for (const text of [
    undefined,
    '',
    'Success. Updated the following files:\nD a\n',
    'Done!',
    'Exit code: 0\nOutput:\n',
  ]) {
    assert.equal(views(text), 1, String(text));
  }
  for (const text of [
    'Exit code: 1\nWall time: 0 seconds\nOutput:\nSuccess',
    'patch rejected by user',
    'Invalid patch',
  ]) {
    assert.equal(views(text), 0, text);
  }
});
