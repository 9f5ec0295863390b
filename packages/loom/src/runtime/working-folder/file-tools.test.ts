import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from '../../open-loom.ts';
import { scripted } from './testing/scripted-model.ts';
import type { Round } from './testing/scripted-model.ts';

test('[TF11] a model lists, searches, reads and edits five files in a turn, and a second client sees each result', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'src'));
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `src/${name}.txt`);
  for (const name of names) writeFileSync(join(directory, name), `old in ${name}\n`);
  const edits = [{ old_text: 'old', new_text: 'new' }];
  const rounds: Round[] = [
    [
      ['list', {}],
      ['search', { pattern: 'old in' }],
    ],
    names.map((path) => ['read', { path }] as const),
    names.map((path) => ['edit', { path, edits }] as const),
    [['write', { path: 'NOTES.md', content: 'Renamed old.\n' }]],
    [['apply_patch', { patch: '--- a/NOTES.md\n+++ b/NOTES.md\n@@ -1 +1 @@\n-Renamed old.\n+Renamed old to new.\n' }]],
  ];
  const store = createMemoryStore();
  const dataDir = temporaryDirectory(t);
  await using loom = await openLoom({ store, dataDir, providers: [scripted(rounds)] });
  const created = await loom.call('root.create', { config: { directory, approval_mode: 'edit' } });
  assert.ok(created.ok);
  const { root } = created.value;
  const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: 'Rename it.' }] });
  assert.ok(said.ok);
  const feed = await loom.feed(root);
  assert.ok(feed.ok);
  const seen: string[] = [];
  const watching = (async () => {
    for await (const item of feed.value) {
      for (const event of item.type === 'change' ? item.events : []) {
        if (event.type === 'block-added' && event.block.type === 'file-change')
          seen.push(...event.block.changes.map(({ path }) => path));
        if (event.type === 'turn-ended') return;
      }
    }
  })();
  const node = said.value.nodes[0] ?? '';
  const tools = ['list', 'search', 'read', 'edit', 'write', 'apply_patch'];
  const started = await loom.call('turn.start', { node, provider: 'scripted', model: 'm', tools });
  assert.ok(started.ok);
  const turn = started.value.turns[0] ?? '';
  assert.deepEqual(await loom.call('turn.wait', { root, turn }).then((one) => one.ok && one.value), { ended: 'done' });
  await watching;
  for (const name of names) assert.equal(readFileSync(join(directory, name), 'utf8'), `new in ${name}\n`);
  assert.equal(readFileSync(join(directory, 'NOTES.md'), 'utf8'), 'Renamed old to new.\n');
  assert.deepEqual(seen.toSorted(), ['NOTES.md', 'NOTES.md', ...names]);
  const { nodes } = await loom.engine.forest.log(root).state();
  const texts = [...nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
  assert.ok(texts.includes(names.map((name) => `${name}:0:old in ${name}`).join('\n')), 'what search found');
});
