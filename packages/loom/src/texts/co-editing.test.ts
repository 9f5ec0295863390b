import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock, RootState } from '@loom/kernel';
import { orFail } from '../words/refusal-error.ts';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import { withWriter } from '../runtime/opened-folder.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

const model = 'demo:demo';
const typed = ['A ', 'note ', 'by ', 'a ', 'person', '.\n'];

/** The only text of a model, and its id. */
function answerIn(state: RootState): { id: string; text: string; status: string } {
  const blocks = [...state.nodes.values()].filter(({ role }) => role === 'assistant').flatMap((node) => node.blocks);
  const block = blocks.findLast(({ type }) => type === 'text');
  return block?.type === 'text'
    ? { id: block.block_id ?? '', text: block.text, status: block.status ?? '' }
    : { id: '', text: '', status: '' };
}

test('[TX24] a person types at the top while the demo model streams; both texts are whole, and each is undone alone', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  const said = 'Tell me a long story, please.';
  const alone = await withWriter({ dataDir: join(dataDir, 'alone'), pace }, async (loom) => {
    const root = await ask(loom, said);
    return answerIn(await loom.engine.forest.log(root).state()).text;
  });

  const { root, id } = await withWriter({ dataDir, pace }, async (loom) => {
    let at = 0;
    const begun = await ask(loom, said, async (rootId) => {
      const { id: block_id, text, status } = answerIn(await loom.engine.forest.log(rootId).state());
      const insert = text === '' || status !== 'running' ? undefined : pending.shift();
      if (insert === undefined) return;
      const offset = at;
      at += insert.length;
      assert.ok((await loom.call('block.splice', { block_id, offset, delete_count: 0, insert })).ok);
    });
    const state = await loom.engine.forest.log(begun).state();
    assert.deepEqual(pending, [], 'the model was faster than the person');
    assert.equal(answerIn(state).text, typed.join('') + alone);
    return { root: begun, id: answerIn(state).id };
  });

  // Another process, which has only the files.
  await withWriter({ dataDir }, async (loom) => {
    const text = async (): Promise<string> => answerIn(await loom.engine.forest.log(root).state()).text;
    for (const _part of typed) assert.ok((await loom.call('block.undo', { block_id: id })).ok);
    assert.equal(await text(), alone);
    assert.ok((await loom.call('block.undo', { block_id: id }, model)).ok);
    assert.equal(await text(), '');
    for (const _part of typed) assert.ok((await loom.call('block.redo', { block_id: id })).ok);
    assert.equal(await text(), typed.join(''));
  });
});

const pending = [...typed];

/** The model speaks fifty times as fast as it does for people. */
const pace: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds / 50);
    return () => clearTimeout(timer);
  },
};

/** Asks the demo model something, and does something else after each of its changes. */
async function ask(loom: OpenedFolder, text: string, meanwhile?: (root: string) => Promise<void>): Promise<string> {
  const { engine, call } = loom;
  const created = await call('root.create', {});
  assert.ok(created.ok);
  const { root } = created.value;
  const appended = await call('node.append', { parent: root, messages: [{ role: 'user', content: text }] });
  assert.ok(appended.ok);
  const work: Promise<void>[] = [];
  const stop = engine.forest.log(root).subscribe((item) => {
    const isTurns = item.type === 'change' && item.events.some(({ type }) => type === 'text-appended');
    if (isTurns && meanwhile !== undefined) work.push(meanwhile(root));
  });
  const node = appended.value.nodes.at(-1) ?? root;
  const started = await call('turn.start', { node, provider: 'demo', model: 'demo' });
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  assert.deepEqual(orFail(await call('turn.wait', { root, turn })), { ended: 'done' });
  await Promise.all(work);
  stop();
  return root;
}
