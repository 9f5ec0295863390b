import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDiff } from '../blocks/changes/diff-rows.ts';
import { byFolder, goesBack, keptWords, staysBecause, undoOffer } from './change-set.ts';
import type { ChangedFile } from './change-set.ts';
import { commentsMessage, excerptAt, placeOf, rangeOf } from './comments.ts';
import { stepsOf, undoFiles } from './undo-files.ts';
import { contentKey, Viewed } from './viewed.ts';
import { z } from 'zod';

const homeEntries = z.object({ entries: z.array(z.object({ key: z.string(), value: z.unknown().optional() })) });

function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  const plain = {
    kind: 'modify',
    added: 1,
    removed: 1,
    state: 'as-left',
    restorable: true,
    turns: ['turn-2'],
  } as const;
  return { path, ...plain, turns: [...plain.turns], ...more };
}

test('[WB240] changed files stand under their folders, those at the top last', () => {
  const groups = byFolder([file('package.json'), file('src/b.ts'), file('src/a.ts'), file('docs/x.md')]);
  assert.deepEqual(
    groups.map(({ folder, files }) => `${folder} ${files.map(({ path }) => path).join(' ')}`),
    ['docs/ docs/x.md', 'src/ src/a.ts src/b.ts', './ package.json'],
  );
});

test('[WB301] an undo is offered for the files that are not undone yet', () => {
  const undone = file('c', { state: 'undone' });
  const words = (...files: ChangedFile[]): string | undefined => undoOffer(files)?.words;
  assert.equal(words(file('a'), file('b')), 'Undo all 2 files…');
  assert.equal(words(file('a'), file('b'), undone), 'Undo 2 files…');
  assert.equal(words(file('a'), undone), 'Undo…');
  assert.equal(words(undone), undefined);
  assert.deepEqual(undoOffer([undone, file('a')])?.files, [file('a')]);
});

test('[WB241] an undo says what goes back, and why the rest stays', () => {
  assert.equal(goesBack(file('a')), true);
  const merged = file('a', { state: 'changed-since', why: 'Your lines stay.' });
  assert.deepEqual([goesBack(merged), keptWords(merged)], [true, 'Your lines stay.']);
  const changed = file('a', { state: 'changed-since', restorable: false });
  assert.deepEqual(
    [goesBack(changed), staysBecause(changed)],
    [false, 'The same lines were changed again after the turn.'],
  );
  assert.equal(goesBack(file('a', { state: 'undone' })), false);
  const lost = file('a', { restorable: false, why: 'It was larger than 1 MB.' });
  assert.deepEqual([goesBack(lost), staysBecause(lost)], [false, 'It was larger than 1 MB.']);
});

test('[WB241] a branch is undone turn by turn, the newest first, and the notice sums up and redoes in the other order', async () => {
  const files = [file('a', { turns: ['turn-9', 'turn-10'] }), file('b', { turns: ['turn-10'] })];
  assert.deepEqual(stepsOf(files), [
    { turn: 'turn-9', paths: ['a'] },
    { turn: 'turn-10', paths: ['a', 'b'] },
  ]);
  const asked: string[] = [];
  const told: { text: string; redo?: (() => void) | undefined }[] = [];
  const host = {
    ask: async (name: string, params: unknown) => {
      asked.push(`${name} ${String(Reflect.get(Object(params), 'turn'))}`);
      const isFirst = asked.length === 1;
      return { restored: ['a'], left: isFirst ? [{ path: 'src/b', reason: 'changed-since' }] : [] };
    },
    attempt: (work: () => Promise<unknown>) => void work(),
    tell: (text: string, action?: { run: () => void }) => void told.push({ text, redo: action?.run }),
  };
  await undoFiles(host, 'root-1', files);
  assert.deepEqual(asked, ['turn.undo_files turn-10', 'turn.undo_files turn-9']);
  assert.equal(told[0]?.text, 'Undid changes to 1 file. b was left as it is.');
  told[0]?.redo?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked.slice(2), ['turn.redo_files turn-9', 'turn.redo_files turn-10']);
});

const diff = '@@ -1,4 +1,4 @@\n one\n-two\n+second\n three\n four';

test('[WB242] comments become one message, each with its file, its line and the lines around it', () => {
  const { rows } = readDiff(diff);
  const index = rows.findIndex(({ kind }) => kind === 'add');
  const place = placeOf('src/a.ts', rows[index] ?? { kind: 'same', parts: [] });
  assert.deepEqual(place, { path: 'src/a.ts', line: 2, side: 'after' });
  const comment = { path: 'src/a.ts', line: 2, side: 'after' as const, text: 'Why?', excerpt: excerptAt(rows, index) };
  const before = { ...comment, side: 'before' as const, text: 'And this?' };
  assert.equal(
    commentsMessage([comment, before]),
    [
      '2 comments on your changes:',
      'src/a.ts, line 2:\n```diff\n     1   one\n     2 - two\n>    2 + second\n     3   three\n     4   four\n```\nWhy?',
      'src/a.ts, line 2 before the change:\n```diff\n     1   one\n     2 - two\n>    2 + second\n     3   three\n     4   four\n```\nAnd this?',
    ].join('\n\n'),
  );
});

test('[WB266] a comment on several lines names them all and marks each', () => {
  const { rows } = readDiff(diff);
  const place = { path: 'a.ts', line: 4, side: 'after' as const };
  assert.deepEqual(rangeOf(place, { ...place, line: 2 }), { ...place, from: 2 });
  assert.deepEqual(rangeOf({ ...place, line: 1 }, { ...place, line: 2 }), { ...place, line: 2, from: 1 });
  assert.deepEqual(rangeOf(place, { ...place, path: 'b.ts', line: 2 }), place);
  assert.deepEqual(rangeOf(place, undefined), place);
  const index = rows.findIndex(({ after }) => after === 3);
  const excerpt = excerptAt(rows, index, 2);
  assert.equal(excerpt, '     1   one\n     2 - two\n>    2 + second\n>    3   three\n     4   four');
  assert.match(commentsMessage([{ ...place, line: 3, from: 2, text: 'Why?', excerpt }]), /a\.ts, lines 2–3:/u);
});

test('[WB243] a file counts as viewed as long as its change is the same one; a refused tick is taken back', async () => {
  const kept = new Map<string, unknown>();
  let isAway = false;
  const viewed = new Viewed(async (name, params) => {
    if (isAway) throw new Error('away');
    if (name === 'home.list') return { items: [...kept.keys()].map((key) => ({ key })) };
    const [entry] = homeEntries.parse(params).entries;
    if (entry?.value === undefined) kept.delete(entry?.key ?? '');
    else kept.set(entry.key, entry.value);
    return { changed: 1 };
  }, 'root-1');
  const one = file('a.ts', { diff });
  await viewed.set(one, true);
  assert.deepEqual([...kept.keys()], [`viewed/root-1/${contentKey(one)}`]);
  await viewed.load();
  assert.deepEqual([viewed.has(one), viewed.has({ ...one, diff: `${diff}\n` })], [true, false]);
  isAway = true;
  await assert.rejects(viewed.set(one, false));
  assert.equal(viewed.has(one), true);
});
