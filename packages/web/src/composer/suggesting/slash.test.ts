import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mentionAt,
  parseCount,
  parsePrompt,
  parseSlash,
  slashCommands,
  suggestOffered,
  suggestSlash,
} from './slash.ts';

const parsed = (text: string): string | undefined => {
  const found = parseSlash(text);
  return found === undefined ? undefined : `${found.command.name}|${found.words}`;
};

test('[WB70] a command stands alone on its line; everything else is words', () => {
  assert.equal(parsed('/new'), 'new|');
  assert.equal(parsed('  /title  Tides in spring '), 'title|Tides in spring');
  assert.equal(parsed('/n 3'), 'n|3');
  for (const text of ['/etc/hosts is empty', '/titles', '/new now', '/title a\nb', 'see /new', '/', '//new', '/NEW'])
    assert.equal(parsed(text), undefined, text);
});

test('[WB70] the beginning of a name offers the commands that it may become', () => {
  assert.equal(suggestSlash('/').length, slashCommands.length);
  assert.deepEqual(
    suggestSlash('/n').map(({ name }) => name),
    ['n', 'new'],
  );
  assert.deepEqual(suggestSlash('/title '), []);
  assert.deepEqual(suggestSlash('a /n'), []);
});

test('[WB71] how many answers is a whole number within bounds', () => {
  assert.deepEqual(
    ['1', '8', '0', '9', '-1', '2.5', '1e1', '', 'three'].map((words) => parseCount(words, 8)),
    [1, 8, ...Array.from({ length: 7 }, () => undefined)],
  );
});

test('[WB72] an @ before the caret searches for the words behind it, not in the middle of a word', () => {
  assert.deepEqual(mentionAt('@', 1), { query: '', start: 0 });
  assert.deepEqual(mentionAt('as in @tide table', 11), { query: 'tide', start: 6 });
  assert.deepEqual(mentionAt('as in @tide table', 17), { query: 'tide table', start: 6 });
  assert.equal(mentionAt('jo@example.org', 14), undefined);
  assert.equal(mentionAt('@one two three four', 19), undefined, 'a sentence goes on');
  assert.equal(mentionAt('@a\nb', 4), undefined);
});

test('[WB296] the commands of the agent that answers are offered behind those of Loom, whose names come first', () => {
  const commands = [{ name: 'review', about: 'Review' }, { name: 'compact' }, { name: 'project:deploy-all' }];
  const names = (text: string): string[] => suggestOffered(text, commands).map(({ name }) => name);
  assert.deepEqual(names('/'), ['review', 'project:deploy-all']);
  assert.deepEqual(names('/project:d'), ['project:deploy-all']);
  assert.deepEqual([names('/review now'), names('see /re'), names('/etc/hosts')], [[], [], []]);
});

test('[WB566] a prompt of the library is named behind a slash; a path is none, and the agent and Loom come first', () => {
  assert.deepEqual(parsePrompt('/review src/a.ts  FILE=b\nmore'), { name: 'review', words: 'src/a.ts  FILE=b\nmore' });
  assert.deepEqual(parsePrompt('/git:commit'), { name: 'git:commit', words: '' });
  for (const text of ['/etc/hosts is empty', 'see /review', '/', '/ review', '//review'])
    assert.equal(parsePrompt(text), undefined, text);
  const offered = suggestOffered('/', [
    { name: 'review', about: 'of the agent' },
    { name: 'review', about: 'of the library', isPrompt: true },
    { name: 'new', isPrompt: true },
    { name: 'summary', isPrompt: true },
  ]);
  assert.deepEqual(offered, [
    { name: 'review', about: 'of the agent' },
    { name: 'summary', isPrompt: true },
  ]);
});
