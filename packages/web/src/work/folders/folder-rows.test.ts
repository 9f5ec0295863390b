import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderRows, wantedFolder } from './folder-rows.ts';

const home = '/home/user';
const recent = [{ path: '/home/user/code/tides' }, { path: '/srv/loom' }];
const listing = {
  path: '/home/user/code',
  parent: '/home/user',
  folders: [
    { name: 'tides', path: '/home/user/code/tides', is_repository: true },
    { name: 'loom', path: '/home/user/code/loom' },
  ],
  recent: [],
};
const rows = (query: string, at?: string) =>
  folderRows({ query, at, recent, listing, home }).map(({ kind, name, path }) => `${kind} ${name} ${path}`.trim());

test('[WB232] recent folders are filtered by name, with the ways to another one and to none below them', () => {
  assert.deepEqual(rows('tid'), [
    'recent tides /home/user/code/tides',
    'browse Choose another folder…',
    'none No folder',
  ]);
  assert.equal(rows('').length, 4);
  assert.equal(wantedFolder({ query: 'tid', at: undefined, home }), undefined);
});

test('[WB680] the row for no folder says what the agent that answers next gets', () => {
  const detail = (agent?: string) =>
    folderRows({ query: '', at: undefined, recent: [], listing, home, agent }).at(-1)?.detail;
  assert.deepEqual([detail(), detail('Codex')], ['chat only, no file tools', 'Codex gets an empty folder']);
});

test('[WB232] a typed path is used as it is, or completed by the folders below it', () => {
  assert.equal(wantedFolder({ query: '~/code/t', at: undefined, home }), '/home/user/code/');
  assert.equal(wantedFolder({ query: '/srv', at: '/elsewhere', home }), '/');
  assert.deepEqual(rows('~/code/t'), ['use Use ~/code/t /home/user/code/t', 'open tides /home/user/code/tides']);
  assert.deepEqual(rows('~/code/')[0], 'use Use ~/code /home/user/code');
});

test('[WB232] looking through folders goes up and down, and filters', () => {
  assert.deepEqual(rows('', '/home/user/code'), [
    'use Use code /home/user/code',
    'up .. /home/user',
    'open tides /home/user/code/tides',
    'open loom /home/user/code/loom',
  ]);
  assert.deepEqual(rows('loo', '/home/user/code').at(-1), 'open loom /home/user/code/loom');
});
