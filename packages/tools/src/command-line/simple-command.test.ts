import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import { judgeLines } from '../testing/bash-judge.ts';
import { trickyLine } from '../testing/tricky-lines.ts';
import { coversWords, exactPattern, readCommandPattern } from './command-pattern.ts';
import { readSimpleCommand } from './simple-command.ts';

const seed = Number(process.env['LOOM_SEED'] ?? 20_261_118);
const tries = Number(process.env['LOOM_COMMAND_LINES'] ?? 300);

test('[CA1] a plain command is read as the words that its program gets', () => {
  for (const [line, words] of [
    ['npm test', ['npm', 'test']],
    ['  git   log --format=%h -n 3 ', ['git', 'log', '--format=%h', '-n', '3']],
    [
      `git commit -m 'it is "done"; rm x' --author="A B <a@b>"`,
      ['git', 'commit', '-m', 'it is "done"; rm x', '--author=A B <a@b>'],
    ],
    [`prog '' a''b "ü"`, ['prog', '', 'ab', 'ü']],
    ['git diff HEAD~1 c#d', ['git', 'diff', 'HEAD~1', 'c#d']],
  ] as const) {
    assert.deepEqual(readSimpleCommand(line), { ok: true, words }, line);
  }
});

test('[CA2] whatever a shell could read otherwise is not a simple command, with the reason', () => {
  const lines = [
    'a; b',
    'a && b',
    'a | b',
    'a & ',
    'a > b',
    'a < b',
    'a $(b)',
    'a `b`',
    'a $B',
    'a "$B"',
    'a *',
    'a ?',
    'a [b]',
    'a {b,c}',
    'a ~',
    'a x=~',
    'A=1 b',
    'a+=b c',
    'a !b',
    'a ^b',
    'a #b',
    String.raw`a \b`,
    String.raw`a "\b"`,
    "a 'b",
    'a "b',
    'a\nb',
    'a\tb',
    'if a',
    'time a',
    '%1prog run',
    '%% a',
    '! a',
    '(a)',
    "'a' b",
    '',
    ' ',
    "''",
    'a\u202Eb',
    'a\u00A0b',
    'a\u200Bb',
    'a é',
    "a $'b'",
    '{ a',
    '[[ a',
    'a "!b"',
  ];
  for (const line of lines) {
    const read = readSimpleCommand(line);
    assert.ok(!read.ok && read.reason !== '', `${line}: ${JSON.stringify(read)}`);
  }
});

test('[CA3] bash runs exactly one program with exactly these words, whatever tricks a line holds', (t) => {
  const directory = temporaryDirectory(t);
  for (const name of ['a.txt', 'b.txt', 'log', 'x y']) writeFileSync(join(directory, name), '');
  const random = new Random(seed);
  const lines = Array.from({ length: tries }, () => trickyLine(random));
  const read = lines.flatMap((line) => {
    const { ok, words } = { words: [], ...readSimpleCommand(line) };
    // Bash does not look for a program whose name is a path, so the judge does not hear about it.
    return ok && words[0]?.includes('/') !== true ? [{ line, words }] : [];
  });
  assert.ok(read.length > tries / 10 && read.length < tries * 0.9, `${read.length} of ${tries} lines were simple`);
  const judged = judgeLines(
    read.map(({ line }) => line),
    directory,
  );
  assert.equal(judged.length, read.length);
  for (const [index, { line, words }] of read.entries()) assert.deepEqual(judged[index], [words], JSON.stringify(line));
  tellTried(t, tries, `command lines, of which ${read.length} are simple (seed ${seed})`);
});

test('[CA4] a pattern covers commands that begin with its words, and others only if a star follows', () => {
  const covers = (pattern: string, line: string): boolean => {
    const [read, command] = [readCommandPattern(pattern), readSimpleCommand(line)];
    assert.ok(read !== undefined && command.ok);
    return coversWords(read, command.words);
  };
  assert.ok(covers('npm test', 'npm   "test"'));
  assert.ok(!covers('npm test', 'npm test --watch'));
  assert.ok(covers('npm test *', 'npm test') && covers('npm test *', 'npm test --watch'));
  assert.ok(!covers('npm test *', 'npm testing') && !covers('npm test *', 'npm') && !covers('npm test', 'NPM test'));
  assert.ok(covers(`git commit -m 'a b'`, 'git commit -m "a b"'));
  assert.equal(readCommandPattern('npm * test'), undefined);
  assert.equal(readCommandPattern('npm test; *'), undefined);
});

test('[CA4] the pattern of a command covers that command alone', () => {
  const random = new Random(seed + 1);
  for (let left = tries; left > 0; left -= 1) {
    const read = readSimpleCommand(trickyLine(random));
    if (!read.ok) continue;
    const pattern = readCommandPattern(exactPattern(read.words));
    assert.deepEqual(pattern, { words: read.words, isOpen: false }, exactPattern(read.words));
  }
});
