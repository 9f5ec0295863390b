import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { readSearch, writeSearch } from './saved-search.ts';

test('[LM73] a saved search is written as the page writes it, and read back as the same options', () => {
  const options = new Map<string, string | true>([
    ['kind', 'text, code'],
    ['project', 'my tides'],
    ['path', 'src/'],
    ['errors', true],
    ['literal', true],
  ]);
  const query = writeSearch('a.b', options);
  assert.equal(query, 'kind:text kind:code project:"my tides" path:src/ error:true a.b');
  const read = readSearch({ name: 'x', query });
  assert.equal(read.query, 'a.b');
  assert.deepEqual(Object.fromEntries(read.options), { ...Object.fromEntries(options), kind: 'text,code' });
  assert.equal(writeSearch('a.b', new Map()), '/a.b/i');
  assert.deepEqual(readSearch({ name: 'x', query: '/a.b/i' }), { query: 'a.b', options: new Map() });
  assert.deepEqual(readSearch({ name: 'x', query: 'role:user /A/' }), {
    query: 'A',
    options: new Map<string, string | true>([
      ['role', 'user'],
      ['case-sensitive', true],
    ]),
  });
  assert.throws(() => readSearch({ name: 'x', query: 'has:diff tides' }), /only the page has/u);
  assert.throws(() => writeSearch('x', new Map([['root', 'a']])), /cannot be saved/u);
});

test('[LM73] loom search saves a search under a name, lists the saved ones and does them again', async (t) => {
  const folder = new ForestFolder(t);
  await folder.succeed(['chat', '-p', 'echo weaving']);
  assert.equal(await folder.succeed(['search', '--saved']), '');
  const found = await folder.succeed(['search', 'weaving', '--role', 'user', '--save', 'asked']);
  assert.match(found, /weaving/u);
  assert.equal(await folder.succeed(['search', '--saved']), 'asked  role:user weaving\n');
  assert.equal(await folder.succeed(['search', '--saved', 'asked']), found);
  const wrong = await folder.run(['search', '--saved', 'askd']);
  assert.match(wrong.note, /there is no saved search "askd".*Did you mean asked\?/su);
  assert.match((await folder.run(['search'])).note, /needs a query/u);
});

test('[LM74] loom pin pins conversations, lists them and takes the pins away', async (t) => {
  const folder = new ForestFolder(t);
  await folder.succeed(['chat', '-p', 'echo one']);
  await folder.succeed(['chat', '-p', 'echo two']);
  const ids = async (...words: string[]): Promise<string[]> =>
    [...(await folder.succeed([...words, '--json'])).matchAll(/"id":"([^"]+)"/gu)].map(([, id = '']) => id);
  const [two = '', one = ''] = await ids('ls');
  assert.equal(await folder.succeed(['pin', one]), 'Pinned 1 conversation.\n');
  assert.equal(await folder.succeed(['pin', one]), 'Nothing has changed.\n');
  assert.deepEqual(await ids('pin'), [one]);
  assert.deepEqual(await ids('ls', '--pinned'), [one]);
  assert.equal(await folder.succeed(['pin', one, two, '--remove']), 'Unpinned 1 conversation.\n');
  assert.deepEqual(await ids('ls', '--pinned'), []);
  assert.match((await folder.run(['pin', '--remove'])).note, /needs a conversation/u);
});
