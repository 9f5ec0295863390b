import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { Following } from './following.ts';
import type { FollowingOptions } from './following.ts';
import type { ForeignFormat } from './format.ts';
import { keptLinesOf } from './import-note.ts';
import type { KnownSource } from './known-sources.ts';
import { Origins } from './origins.ts';
import { RemarkList } from './reporting/remark-list.ts';
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

function follow(
  context: TestContext,
  world: ImportWorld,
  folder: string,
  {
    format = noteFormat,
    failed = (error) => assert.fail(String(error)),
    ...options
  }: Partial<FollowingOptions> & { format?: ForeignFormat } = {},
): Following {
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const setup = { forest, blobs, newId, origins: new Origins(), formats: [format] };
  const following = new Following({ setup, folders: [{ known, folder }], failed, ...options });
  context.after(() => following.stop());
  return following;
}

/** Resolves once the messages of all conversations together hold these texts. */
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

test('[IM30] what is there is taken in, and what agents write from then on, line by line', async (context) => {
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
});

test('[IM35] what people should know about what is followed is told while it is followed, of each thing once', async (context) => {
  const folder = temporaryDirectory(context);
  const path = join(folder, 'a.jsonl');
  writeFileSync(path, '{"notes":"a"}\n{"id":"1","text":"one"}\n');
  const world = createImportWorld();
  const remarks = new RemarkList();
  const following = follow(context, world, folder, { remarked: (remark) => remarks.add(remark) });
  await following.start();
  await until(world, ['one']);
  const [root = ''] = await world.forest.roots();
  const request = { agent: 'person', id: 'delete' };
  assert.ok((await world.forest.remove(request, root, { node: `${root}/node-1`, children: 'remove' })).ok);
  appendFileSync(path, '{"id":"2","text":"two"}\n');
  await until(world, ['one', 'two']);
  while (remarks.list().length === 0 && !context.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
  appendFileSync(path, '{"id":"3","text":"three"}\n');
  await until(world, ['one', 'two', 'three']);
  await following.stop();
  const text = `${path}: 1 new message is hidden below ${root}/node-1, which was deleted in Loom; restore it to see what is new`;
  assert.deepEqual(remarks.list(), [{ number: 1, text }]);
});

test('[IM31] a file that is followed is kept whole, and is known when following has ended', async (context) => {
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
});

test('[IM31] a file whose last line has no end when following ends is not taken for known', async (context) => {
  const folder = temporaryDirectory(context);
  const world = createImportWorld();
  const following = follow(context, world, folder);
  await following.start();
  writeFileSync(join(folder, 'a.jsonl'), '{"notes":"a"}\n{"id":"1","text":"one"}\n{"id":"2","text":"two"}');
  await until(world, ['one']);
  await following.stop();
  await follow(context, world, folder).start();
  await until(world, ['one', 'two']);
});

test('[IM38] a file that is deleted while it is followed is kept as far as it was read, and nothing is wrong', async (context) => {
  const folder = temporaryDirectory(context);
  const path = join(folder, 'a.jsonl');
  const world = createImportWorld();
  const following = follow(context, world, folder);
  await following.start();
  const text = '{"notes":"a"}\n{"id":"1","text":"one"}\n';
  writeFileSync(path, text);
  await until(world, ['one']);
  rmSync(path);
  const keptBytes = async (): Promise<number> =>
    [...((await world.states())[0]?.nodes.values() ?? [])]
      .flatMap(keptLinesOf)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  while ((await keptBytes()) < text.length) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(path, `${text}{"id":"2","text":"two"}\n`);
  await until(world, ['one', 'two']);
});

test('[IM38] what could not be taken in while a file was followed comes with what is written next', async (context) => {
  const folder = temporaryDirectory(context);
  const path = join(folder, 'a.jsonl');
  const world = createImportWorld();
  const failures: unknown[] = [];
  const following = follow(context, world, folder, {
    format: failingOnce(),
    failed: (error) => failures.push(error),
  });
  await following.start();
  writeFileSync(path, '{"notes":"a"}\n{"id":"1","text":"one"}\n');
  while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  appendFileSync(path, '{"id":"2","text":"two"}\n');
  await until(world, ['one', 'two']);
});

/** The first message that is handed over is lost on the way, as if there were no room on the disk. */
function failingOnce(): ForeignFormat {
  const notes = noteFormat;
  if (notes.form !== 'lines') throw new Error('notes are lines');
  let hasFailed = false;
  return {
    ...notes,
    open: async (file) => {
      const reader = await notes.open(file);
      const take = (): ReturnType<typeof reader.take> => {
        const items = reader.take();
        if (hasFailed || items.length === 0) return items;
        hasFailed = true;
        throw new Error('there is no room');
      };
      return { ...reader, take };
    },
  };
}

test('[IM38] a file of a conversation that was deleted is not read again and again', async (context) => {
  const folder = temporaryDirectory(context);
  writeFileSync(join(folder, 'a.jsonl'), '{"notes":"a"}\n{"id":"1","text":"one"}\n');
  writeFileSync(join(folder, 'b.jsonl'), '{"notes":"b"}\n{"id":"2","text":"two"}\n');
  const world = createImportWorld();
  const first = follow(context, world, folder);
  await first.start();
  await first.stop();
  const [root = ''] = await world.forest.roots();
  const removed = await world.forest.removeRoot({ agent: 'tester', id: 'removal' }, root);
  assert.ok(removed.ok);
  appendFileSync(join(folder, 'a.jsonl'), '{"id":"3","text":"three"}\n');
  let opened = 0;
  const format: ForeignFormat = { ...noteFormat, recognizes: () => (opened += 1) > 0 };
  const looks: string[] = [];
  const counted: KnownSource = { ...known, classify: (path) => (looks.push(path), known.classify(path)) };
  const folders = [{ known: counted, folder }];
  const following = follow(context, world, folder, { format, folders, roundTime: 10 });
  await following.start();
  while (looks.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  await following.stop();
  assert.equal(opened, 1);
});
