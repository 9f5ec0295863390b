import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { temporaryDirectory } from '@loom/kernel/testing';
import { withReader, withWriter } from './opened-folder.ts';
import type { OpenedFolder } from './opened-folder.ts';

for (const store of STORE_KINDS) {
  test(`[LK5] a writer whose folder is removed acknowledges nothing any more, and does not make it again: ${store}`, async (context) => {
    const dataDir = join(temporaryDirectory(context), 'data');
    await assert.rejects(
      withWriter({ dataDir, store }, async (loom) => {
        const root = await begin(loom);
        rmSync(dataDir, { recursive: true });
        await say(loom, root, 'two');
      }),
      (error) => error instanceof StoreError && /data was removed or replaced, .*\n?/u.test(error.message),
    );
    assert.equal(existsSync(dataDir), false);
  });

  test(`[LK5] a writer whose loom.lock is removed leaves the folder to the next one: ${store}`, async (context) => {
    const dataDir = join(temporaryDirectory(context), 'data');
    const note = (text: string): void => assert.fail(text);
    await withWriter({ dataDir, store, note }, async (first) => {
      const root = await begin(first);
      rmSync(join(dataDir, 'loom.lock'));
      await withWriter({ dataDir, note }, (second) => say(second, root, 'two'));
      await assert.rejects(say(first, root, 'three'), StoreError);
    });
    const said = await withReader({ dataDir }, async ({ engine }) => {
      const [root = ''] = await engine.forest.roots();
      const { nodes } = await engine.forest.log(root).state();
      return Array.from(nodes.values(), ({ blocks: [block] }) => (block?.type === 'text' ? block.text : ''));
    });
    assert.deepEqual(said, ['one', 'two']);
  });
}

async function begin(loom: OpenedFolder): Promise<string> {
  const created = await loom.call('root.create', {});
  assert.ok(created.ok);
  await say(loom, created.value.root, 'one');
  return created.value.root;
}

async function say({ call }: OpenedFolder, root: string, text: string): Promise<void> {
  assert.ok((await call('node.append', { parent: root, messages: [{ role: 'user', content: text }] })).ok);
}
