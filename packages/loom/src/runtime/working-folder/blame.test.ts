import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { withReader } from '../opened-folder.ts';
import { blame, commitAll, git, importSessions, MadeSession } from './testing/made-session.ts';

const text = 'the first line of all\nthe second line of all\n}\n';

function repository(t: TestContext): string {
  const directory = join(temporaryDirectory(t), 'tides');
  mkdirSync(directory);
  git(directory, ['init', '--quiet', '--initial-branch=main']);
  return directory;
}

test('[BL3] a line leads to the turn that wrote it last, with what was asked and the commit that it came with', async (t) => {
  const directory = repository(t);
  const session = new MadeSession(directory);
  session.ask('Write a file.');
  session.create('a.txt', text);
  session.ask('Change the second line.');
  session.edit('a.txt', 'the second line of all', 'another second line');
  commitAll(directory);
  const folder = await importSessions(t, [session]);
  const found = await blame(folder, { path: join(directory, 'a.txt') });
  const words = found.ranges.map(({ start, end, turn }) => [start, end, found.turns[turn ?? -1]?.words]);
  assert.deepEqual(words, [
    [1, 1, 'Write a file.'],
    [2, 2, 'Change the second line.'],
    [3, 3, 'Write a file.'],
  ]);
  assert.deepEqual(
    [found.path, found.commits.map(({ author, summary }) => [author, summary])],
    ['a.txt', [['Jo', 'Work']]],
  );
  const one = await blame(folder, { path: join(directory, 'a.txt'), line: 2 });
  assert.deepEqual([one.text, one.ranges.length, one.turns[0]?.number], [['another second line'], 1, 2]);
});

test('[BL4] a file is followed through the names that sessions and git gave it, and into worktrees', async (t) => {
  const directory = repository(t);
  writeFileSync(join(directory, 'readme'), 'readme\n');
  commitAll(directory, Date.UTC(2026, 0, 1));
  const tree = join(`${directory}-worktrees`, 'one');
  git(directory, ['worktree', 'add', '--quiet', '-b', 'one', tree]);
  const session = new MadeSession(tree);
  session.ask('Write a file.');
  session.create('old.txt', text);
  commitAll(tree);
  git(directory, ['merge', '--quiet', 'one']);
  git(directory, ['mv', 'old.txt', 'new.txt']);
  commitAll(directory, Date.UTC(2026, 0, 7));
  const folder = await importSessions(t, [session]);
  const lines = text.trimEnd().split('\n');
  assert.deepEqual((await blame(folder, { path: join(directory, 'new.txt') })).known, lines);
  // The worktree is gone, and its sessions are still of this repository.
  git(directory, ['worktree', 'remove', '--force', tree]);
  assert.deepEqual((await blame(folder, { path: join(directory, 'new.txt') })).known, lines);
});

test('[BL5] a file of the same path in another project is not meant, unless its conversation is named', async (t) => {
  const [directory, other] = [repository(t), repository(t)];
  const session = new MadeSession(other);
  session.ask('Write a file.');
  session.create('a.txt', text);
  writeFileSync(join(directory, 'a.txt'), text);
  commitAll(directory);
  const folder = await importSessions(t, [session]);
  const path = join(directory, 'a.txt');
  const found = await blame(folder, { path });
  assert.deepEqual([found.known, found.conversations, found.complete], [[], 0, true]);
  const root = await withReader(folder, async (loom) => {
    const listed = await loom.call('root.list', {});
    return listed.ok ? listed.value.items[0]?.id : undefined;
  });
  assert.equal((await blame(folder, { path, root: root ?? '' })).known.length, 3);
});

test('[BL6] lines that were committed before a turn wrote the same ones are not of that turn', async (t) => {
  const directory = repository(t);
  writeFileSync(join(directory, 'a.txt'), text);
  commitAll(directory, Date.UTC(2025, 0, 1));
  const session = new MadeSession(directory);
  session.ask('Write the file again.');
  session.create('a.txt', text);
  const folder = await importSessions(t, [session]);
  assert.deepEqual((await blame(folder, { path: join(directory, 'a.txt') })).known, []);
});

test('[BL7] what a command did to a file is not known, and the commands that name the file are told', async (t) => {
  const directory = repository(t);
  const session = new MadeSession(directory);
  session.ask('Write a file and change it.');
  session.create('a.txt', text);
  session.run('cat a.txt', text);
  session.run("sed -i 's/first/1st/' a.txt");
  writeFileSync(join(directory, 'a.txt'), text.replace('first', '1st'));
  const folder = await importSessions(t, [session]);
  const found = await blame(folder, { path: join(directory, 'a.txt') });
  assert.deepEqual(found.known, ['the second line of all', '}']);
  assert.deepEqual(
    found.commands.map(({ command, turn }) => [command, turn]),
    [["sed -i 's/first/1st/' a.txt", 0]],
  );
});

test('[BL8] line endings and places that were not told do not matter; a short line counts only beside its neighbors', async (t) => {
  const directory = repository(t);
  writeFileSync(join(directory, 'a.txt'), 'one of three\r\ntwo of three\r\nthree of three\r\n');
  const session = new MadeSession(directory);
  session.ask('Change it.');
  session.editBarely('a.txt', 'two of three', 'a line without a place\n}');
  const folder = await importSessions(t, [session]);
  const path = join(directory, 'a.txt');
  assert.deepEqual((await blame(folder, { path })).known, ['a line without a place', '}']);
  // Another person takes both away, and writes one short line at another place.
  writeFileSync(path, 'one of three\r\nthree of three\r\n}\r\n');
  assert.deepEqual((await blame(folder, { path })).known, []);
});

test('[BL9] what cannot be looked at is refused with the reason, and only owners of everything may look', async (t) => {
  const directory = repository(t);
  const session = new MadeSession(directory);
  session.ask('Write a file.');
  session.create('a.txt', text);
  writeFileSync(join(directory, 'bytes'), Buffer.from([0, 255, 0]));
  const folder = await importSessions(t, [session]);
  const path = (name: string): string => join(directory, name);
  await assert.rejects(blame(folder, { path: path('none') }), /does not exist/u);
  await assert.rejects(blame(folder, { path: directory }), /is not a file/u);
  await assert.rejects(blame(folder, { path: path('bytes') }), /not a text in UTF-8/u);
  await assert.rejects(blame(folder, { path: 'a.txt' }), /must be an absolute path/u);
  await assert.rejects(blame(folder, { path: path('a.txt'), line: 9 }), /behind the end: the file has 3 lines/u);
  await withReader(folder, async ({ engine }) => {
    const caller = { agent: 'token', type: 'person', role: 'writer', id: '1', door: 'http' } as const;
    const limited = { ...caller, role: 'owner', roots: ['root-1'] } as const;
    for (const one of [caller, limited]) {
      const outcome = await engine.call('file.blame', one, { path: path('a.txt') });
      assert.equal(outcome.ok ? '' : outcome.refusal.reason, 'not-permitted');
    }
  });
});

test('[BL10] a commit leads to the turns that wrote its lines, to the one that made it, and says what is not known', async (t) => {
  const directory = repository(t);
  const session = new MadeSession(directory, { time: Date.UTC(2026, 0, 5) });
  session.ask('Write a file.');
  session.create('a.txt', text);
  writeFileSync(join(directory, 'b.txt'), 'a line by a person\n');
  commitAll(directory);
  const sha = git(directory, ['rev-parse', 'HEAD']).trim();
  session.ask('Commit it.');
  session.run('git commit -am Work', `[main ${sha.slice(0, 7)}] Work\n 2 files changed`);
  const folder = await importSessions(t, [session]);
  const found = await withReader(folder, async (loom) => loom.call('commit.turns', { directory, commit: 'HEAD' }));
  assert.ok(found.ok);
  const { added, known, turns, files, commit, complete } = found.value;
  assert.deepEqual([commit.sha, added, known, complete], [sha, 4, 3, true]);
  assert.deepEqual(
    files.map((file) => [file.path, file.known]),
    [
      ['a.txt', 3],
      ['b.txt', 0],
    ],
  );
  assert.deepEqual(
    turns.map(({ words, lines, committed = false }) => [words, lines, committed]),
    [
      ['Write a file.', 3, false],
      ['Commit it.', 0, true],
    ],
  );
  const missing = await withReader(folder, async (loom) => loom.call('commit.turns', { directory, commit: '--all' }));
  assert.match(JSON.stringify(missing), /names no commit/u);
});

test('[BL11] loom blame prints each turn above its lines, and "not known" above the others; loom log prints the turns of a commit', async (t) => {
  const directory = repository(t);
  const session = new MadeSession(directory);
  session.ask('Write a file.');
  session.create('a.txt', text);
  const place = join(directory, 'a.txt');
  writeFileSync(place, `${readFileSync(place, 'utf8')}by a person\n`);
  const folder = await importSessions(t, [session]);
  const printed = await folder.succeed(['blame', `${place}:2-4`]);
  assert.match(
    printed,
    /^Write a file\..*turn 1.*not committed\n.*show .*\n2 {2}the second line of all\n3 {2}\}\nnot known {2}not committed\n4 {2}by a person\n$/u,
  );
  const { code, note } = await folder.run(['blame', `${place}:0`]);
  assert.deepEqual([code, /counted from 1/u.test(note)], [2, true]);
  const { note: unknown } = await folder.run(['log', '--commit', 'nothing']);
  assert.match(unknown, /commit names no commit|is not in a git repository/u);
});
