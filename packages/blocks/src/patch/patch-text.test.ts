import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readPatch } from './patch-text.ts';

const body = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n';
const named = (name: string): string => `--- a/${name}\n+++ b/${name}\n${body}`;

function errorOf(patch: string): string {
  const reading = readPatch(patch);
  assert.ok(!reading.ok, 'the patch was read');
  assert.equal(reading.errors.length, 1);
  return reading.errors.join();
}

function hunkCount(patch: string): number {
  const reading = readPatch(patch);
  assert.ok(reading.ok, reading.ok ? '' : reading.errors.join());
  return reading.patch.hunks.length;
}

test('[PT11] what stands around a patch is skipped', () => {
  const git = `diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 7fd573c..e7ec2a5\n${named('x')}`;
  const mail = `From 6f85 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] words\n\nrename from habit\n---\n x | 2 +-\n 1 file changed\n\n${git}-- \n2.39.5\n\n`;
  for (const patch of [body, named('x'), git, mail, `Index: x\n====\n${named('x')}`, `\`\`\`diff\n${body}\`\`\`\n`]) {
    assert.equal(hunkCount(patch), 1, patch);
  }
  assert.equal(hunkCount(body.slice(0, -1)), 1);
  assert.equal(hunkCount(`${body}\n\n`), 1);
  assert.equal(hunkCount(`${named('old.txt').replace('a/old', 'b/new')}@@ -7,1 +7,1 @@ heading\n-x\n+y\n`), 2);
});

test('[PT13] anything but a unified diff is refused with what to send', () => {
  for (const garbage of ['', '\n', 'hello', '--- a\n+++ b\n', '{"patch": 1}', '+a\n-b\n', ' @@ -1 +1 @@\n-a\n+b\n']) {
    assert.match(errorOf(garbage), /send a unified diff, whose hunks begin with "@@ -start,count \+start,count @@"/);
  }
  assert.match(
    errorOf('*** Begin Patch\n*** Update File: x\n@@ here\n-a\n+b\n*** End Patch\n'),
    /format of another tool/,
  );
  assert.match(errorOf('*** a\n--- b\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n'), /context diff/);
});

test('[PT13] no text makes the reader throw', () => {
  const piece = fc.constantFrom(
    body,
    '@@ -1 +1 @@\n',
    '@@',
    '--- a\n',
    '+++ b\n',
    'diff --git a b\n',
    '-',
    '+',
    ' ',
    '\\',
    '\n',
    'x',
    '\r',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const reading = readPatch(pieces.join(''));
      assert.ok(reading.ok ? reading.patch.hunks.length > 0 : reading.errors.length === 1);
    }),
    { numRuns: 1000 },
  );
});

test('[PT14] a malformed hunk is refused with its place', () => {
  assert.equal(
    errorOf('--- a\n+++ b\n@@ -1,4 +1,3 @@\n a\n-b\n+B\n c\n'),
    'hunk 1 (line 3 of the patch) is malformed: its header announces 4 old and 3 new lines, but the patch ends before; with the lines that follow it is "@@ -1,3 +1,3 @@"; make the patch again with a diff program, or correct the counts: old lines are those with " " or "-", new lines those with " " or "+"',
  );
  assert.match(
    errorOf(`@@ -1,9 +1,9 @@\n a\n-b\n${body}`),
    /9 old and 9 new lines, but line 4 of the patch does not belong to it/,
  );
  const malformed = [
    '@@ -1,2 +1,3 @@\n a\n-b\n+B\n c\n',
    '@@ -1,3 +1,2 @@\n a\n-b\n+B\n c\n',
    '@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n',
    `@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n${body}`,
    '@@ -1,3 +1,3 @@\n a\nb\n+B\n c\n',
    '@@ ... @@\n-a\n+b\n',
    '@@ -1,2 @@\n-a\n+b\n',
    '@@ -1 +1 @@\n-a\n+b\n+c\n',
    '@@ -1 +1 @@\n-a\n+b\n c\n',
    '@@ -1 +1 @@\n-a\n+b\nc\n',
    '@@ -1 +1 @@\n-a\n+b\n\n c\n',
    '@@@ -1 -1 +1 @@@\n--a\n++b\n',
    '@@ -0 +0 @@\n-a\n+b\n',
    '@@ -1,0 +1,0 @@\n',
    '@@ -1 +1 @@\n a\n',
    '@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n',
    '@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n-b\n+c\n+d\n',
    '@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n',
    '@@ -1,2 +1 @@\n-a\n b\n@@ -2 +1 @@\n-b\n+c\n',
    '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -5 +5 @@\n-a\n+b\n',
  ];
  for (const patch of malformed) assert.match(errorOf(patch), /hunk/, patch);
});

test('[PT23] a patch that ends inside a line that it adds is refused; behind any other line the last break may be missing', () => {
  const whole = '@@ -1,3 +1,3 @@\n a\n-b\n c\n+some words\n';
  assert.ok(readPatch(whole).ok);
  const last = whole.indexOf('+some');
  for (let end = last + 1; end < whole.length; end += 1) {
    assert.match(errorOf(whole.slice(0, end)), /ends inside line 5, which is added: it may have been cut off/);
  }
  for (const behind of ['@@ -1,2 +1,2 @@\n-a\n+b\n c', '@@ -1 +1 @@\n+b\n-a', '@@ -1 +1 @@\n-a\n+b\n```']) {
    assert.ok(readPatch(behind).ok, behind);
  }
  assert.ok(readPatch('@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file').ok);
});

test('[PT14] the refusal of a hunk that is counted wrong gives the right header', () => {
  const counted = (patch: string) => /it is "(@@ .* @@)"/u.exec(errorOf(patch))?.[1];
  assert.equal(counted('@@ -4,9 +4,9 @@\n a\n-b\n+B\n c\n\n'), '@@ -4,3 +4,3 @@');
  assert.equal(counted('@@ -1 +1 @@\n-a\n+b\n+c\n'), '@@ -1,1 +1,2 @@');
  assert.equal(counted('@@ -1,2 +1,9 @@\n-a\n-b\n'), '@@ -1,2 +0,0 @@');
  assert.equal(counted('@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n'), '@@ -1,1 +1,1 @@');
  assert.ok(readPatch('@@ -1,2 +0,0 @@\n-a\n-b\n').ok);
});

test('[PT15] renames, copies, binary files and modes are refused with what to do', () => {
  const head = 'diff --git a/x b/y\nsimilarity index 90%\n';
  for (const verb of ['rename', 'copy']) {
    const patch = `${head}${verb} from x\n${verb} to y\n`;
    assert.match(errorOf(`${patch}${named('x')}`), /send the hunks alone, from the first "@@" on/);
    assert.match(errorOf(patch), /renames or copies a file/);
  }
  assert.match(
    errorOf('diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\nIc${MZ\n'),
    /binary .* replace the file/,
  );
  assert.match(errorOf('diff --git a/x b/x\nBinary files a/x and b/x differ\n'), /is binary/);
  assert.match(errorOf('Binary files old/x and new/x differ\n'), /is binary/);
  assert.match(errorOf('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n'), /changes no line of a\/x b\/x/);
});

test('[PT16] several files are refused by name', () => {
  assert.equal(
    errorOf(`${named('x')}${named('y')}`),
    'the patch has parts for 2 files (b/x, b/y); split it and apply each part to the block of its file, one call each',
  );
  const others = [
    `diff --git a/x b/x\n${named('x')}diff --git a/y b/y\n${named('y')}`,
    `diff --git a/x b/x\n${named('x')}diff --git a/y b/y\nold mode 100644\nnew mode 100755\n`,
    `diff -r a/x b/x\n${named('x')}diff -r a/y b/y\n${named('y')}`,
    `${named('x')}Binary files old/y and new/y differ\n`,
    // The same file in two mails.
    `From 1\n\n${named('x')}-- \n2.39\n\nFrom 2\n\n${named('x')}-- \n2.39\n`,
    `${named('x')}-- \n2.39\n${body}`,
  ];
  for (const patch of others) assert.match(errorOf(patch), /parts for 2 files/, patch);
});

test('[PT17] an empty line is a context line that lost its blank', () => {
  const reading = readPatch('@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n');
  assert.ok(reading.ok);
  assert.deepEqual(reading.patch.hunks[0]?.lines, [' a', ' ', '-b', '+B']);
});
