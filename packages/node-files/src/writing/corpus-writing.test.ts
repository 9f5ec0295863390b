import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { Forest } from '@loom/kernel/logs';
import { createMemoryStore } from '@loom/stores/memory';
import { openAdoptingStore } from '../adoption/adopting-store.ts';
import { NodeFiles } from '../node-files.ts';
import { expect } from '../testing/files-world.ts';
import { photograph } from '../testing/legacy-directory.ts';
import { VirtualClock } from '@loom/kernel/testing';

const corpus = findCorpus('loom');
const home = corpus.found ? join(corpus.directory, 'generated') : '';

for (const name of corpus.found ? readdirSync(home) : ['the corpus']) {
  const options = { skip: corpus.found ? false : corpus.reason };
  test(`[NW12] ${name} stays as it is, byte by byte, until something is said in it`, options, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'loom-node-files-'));
    t.after(() => rmSync(directory, { recursive: true }));
    cpSync(join(home, name), directory, { recursive: true });
    const before = photograph(directory);
    const clock = new VirtualClock();
    const { store } = await openAdoptingStore({ directory, store: createMemoryStore(), clock });
    const forest = new Forest({ store, clock, ids: { next: () => 'new' } });
    const files = await NodeFiles.open({ directory, forest, store, clock, watch: { start: () => Promise.resolve() } });
    await files.start();
    const [root = ''] = await forest.roots();
    for (const id of await forest.roots()) await files.checkRoot(id);
    await files.flush();
    assert.deepEqual(photograph(directory), before);

    const [first] = (await forest.log(root).state()).children.get(root) ?? [];
    const message: Message = { role: 'assistant', content: [{ type: 'text', text: 'something new' }] };
    const params = { parent: first ?? root, messages: [message] };
    const { created } = expect(await forest.append({ agent: 'anna', id: 'one' }, root, params));
    await files.flush();
    const nodes = [first ?? '', ...created].map((id) => join(root, 'nodes', `${id.slice(root.length + 1)}.json`));
    const after = photograph(directory);
    // The list of roots has changed if it described them differently.
    const changed = [...after.keys()].filter(
      (path) => path.includes('/') && path.endsWith('.json') && after.get(path) !== before.get(path),
    );
    assert.deepEqual(new Set(changed), new Set([...nodes, join(root, 'root.json')]));
    assert.deepEqual(await files.quarantined(), []);
    await files.close();
    forest.close();
  });
}
