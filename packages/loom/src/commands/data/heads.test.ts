import assert from 'node:assert/strict';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { RootState } from '@loom/kernel';
import { headOfRoot, isWrongHead, readHeads, rootCodec } from '@loom/kernel/logs';
import { openStore } from '@loom/data-folder';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { startSlowAnswer } from '../../testing/slow-answer.ts';

/** Compares each head with its log, read from the first record on. Returns the differences, and the number of logs with a head. */
async function headsIn(directory: string, kind: StoreKind): Promise<{ wrong: string[]; heads: number }> {
  const store = await openStore(directory, kind);
  try {
    const heads = await readHeads(store);
    const wrong: string[] = [];
    for (const [root, head] of heads) {
      const state = new RootState(root);
      const { records = [] } = (await store.read(root, 0)) ?? {};
      for (const change of records.flatMap(({ text }) => rootCodec.decode(text))) state.apply(change);
      if (isWrongHead(head, state)) wrong.push(`${root} says ${head.text}, its log ${headOfRoot(state).text}`);
    }
    return { wrong, heads: heads.size };
  } finally {
    await store.close();
  }
}

for (const kind of STORE_KINDS) {
  test(`[FR127] heads say what their logs say after an import, a purge, a restore and a kill in mid-turn: ${kind}`, async (context) => {
    const folder = new ForestFolder(context, kind);
    const place = (name: string): string => join(dirname(folder.dataDir), name);
    const check = async (when: string, least: number, directory = folder.dataDir): Promise<void> => {
      const { wrong, heads } = await headsIn(directory, kind);
      assert.deepEqual(wrong, [], when);
      assert.ok(heads >= least, `${when}: ${heads} heads`);
    };
    const { node } = await folder.say('echo one');
    await folder.succeed(['edit', node, 'another wording']);
    const gone = await folder.say('echo two');
    await check('said', 2);
    const { child } = await startSlowAnswer(context, folder.dataDir, kind);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await check('killed', 3);
    await folder.succeed(['ls']);
    await folder.succeed(['chat', '--continue', '-p', 'echo three']);
    await check('recovered', 3);
    await folder.succeed(['export-store', place('all.jsonl')]);
    await folder.succeed(['import-store', place('all.jsonl'), '--data-dir', place('copy')]);
    await check('imported', 0, place('copy'));
    await folder.succeed(['purge', `${gone.root}/node-2`, '--yes']);
    await check('purged', 0);
    await folder.succeed(['backup', place('backup.jsonl')]);
    await folder.succeed(['restore-backup', place('backup.jsonl'), '--replace']);
    await check('restored', 0);
    await folder.say('echo four', '--continue');
    await check('went on', 1);
  });
}
