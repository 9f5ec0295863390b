import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { Following } from './following.ts';
import type { KnownSource } from './known-sources.ts';
import { Origins } from './origins.ts';
import { filesIn } from './root-facts.ts';
import { createImportWorld } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';
import { noteFormat } from './testing/note-format.ts';

const known: KnownSource = {
  source: 'notes',
  name: 'Notes',
  folders: () => [],
  classify: (path) => (path.endsWith('.jsonl') ? 'session' : 'other'),
};

function follow(context: TestContext, world: ImportWorld, folder: string): Following {
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const setup = { forest, blobs, newId, origins: new Origins(), formats: [noteFormat] };
  const following = new Following({
    setup,
    folders: [{ known, folder }],
    failed: (error) => assert.fail(String(error)),
  });
  context.after(() => following.stop());
  return following;
}

/** Answers when the messages of all conversations together say this. */
async function until(world: ImportWorld, words: readonly string[]): Promise<void> {
  for (;;) {
    const said = (await world.states()).flatMap((state) =>
      [...state.nodes.values()].flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
      ),
    );
    if (said.join() === words.join()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test(
  '[IM30] what is there is taken in, and what agents write from then on, line by line',
  { timeout: 20_000 },
  async (context) => {
    const folder = temporaryDirectory(context);
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{"notes":"a"}\n{"id":"1","text":"one"}\n');
    const world = createImportWorld();
    const following = follow(context, world, folder);
    await following.start();
    await until(world, ['one']);
    // A line that is written in two parts comes when it is complete.
    appendFileSync(path, '{"id":"2","te');
    appendFileSync(path, 'xt":"two"}\n{"id":"3","text":"three"}\n');
    await until(world, ['one', 'two', 'three']);
    mkdirSync(join(folder, 'new'));
    writeFileSync(join(folder, 'new', 'b.jsonl'), '{"notes":"b"}\n{"id":"4","text":"four"}\n');
    await until(world, ['one', 'two', 'three', 'four']);
    assert.equal((await world.forest.roots()).length, 2);
  },
);

test(
  '[IM31] a file that is followed is kept whole, and is known when following has ended',
  { timeout: 20_000 },
  async (context) => {
    const folder = temporaryDirectory(context);
    const path = join(folder, 'a.jsonl');
    const world = createImportWorld();
    const following = follow(context, world, folder);
    await following.start();
    writeFileSync(path, '{"notes":"a"}\n{"id":"1","text":"one"}\n');
    await until(world, ['one']);
    appendFileSync(path, '{"id":"2","text":"two"}\n');
    await until(world, ['one', 'two']);
    await following.stop();
    const [state] = await world.states();
    assert.deepEqual([...filesIn(state?.config ?? {}).keys()], [path]);
    const again = follow(context, world, folder);
    await again.start();
    assert.equal((await world.states())[0]?.seq, state?.seq);
  },
);
