import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForeignBlock, ForeignItem } from '../../foreign/foreign.ts';
import { createImportWorld } from '../testing/imports.ts';

function said(key: string, text: string): ForeignBlock {
  return { key, block: { type: 'text', text } };
}

function message(id: string, ...blocks: ForeignBlock[]): ForeignItem {
  const started_at = '2026-01-02T03:05:00.000Z';
  return { type: 'node', node: { conversation: 'c', id, role: 'user', blocks, source: { type: 'user' }, started_at } };
}

test('[IM58] a message that a program wrote in the name of its user is marked, unless the user says something in it, also later', async () => {
  const world = createImportWorld();
  const importer = await world.importer();
  const opened = '<ide_opened_file>the file a.ts</ide_opened_file>';
  const ended = said('b2', '<task-notification><summary>built</summary></task-notification>');
  const items: ForeignItem[] = [
    { type: 'conversation', conversation: { id: 'c', created_at: '2026-01-02T03:04:05.000Z' } },
    message('a', said('a', '[Request interrupted by user]')),
    message('b', said('b', opened), ended),
    message('d', said('d', opened), said('d2', 'What is this?')),
    message('e', said('e', 'What is that?')),
  ];
  await importer.take(items);
  const marks = async (): Promise<unknown[]> =>
    [...((await world.states())[0]?.nodes.values() ?? [])].map((node) => node.notice?.kind);
  assert.deepEqual(await marks(), ['interrupted', 'ide_opened_file', undefined, undefined]);
  await importer.take([message('b', said('b', opened), ended, said('b3', 'And this?'))]);
  assert.deepEqual(await marks(), ['interrupted', undefined, undefined, undefined]);
  await importer.take(items);
  assert.deepEqual(await marks(), ['interrupted', undefined, undefined, undefined], 'it stays so');
});
