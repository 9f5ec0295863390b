import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BranchTurns } from './branch-turns.ts';
import type { BranchTurn, TurnSource } from './branch-turns.ts';
import { shapeOf } from './branches.ts';

/** A branch whose messages are named `u…` for those of persons, and `a…` for others. */
function source(ids: readonly string[], isRunning = false): TurnSource {
  const outline = ids.map((id, index) => ({
    id,
    parent: ids[index - 1] ?? 'r',
    role: id.startsWith('u') ? ('user' as const) : ('assistant' as const),
    time: 0,
  }));
  return { root: 'r', path: ids, shape: shapeOf(outline), isRunning };
}

/** A server that lists a turn for each message of a person, from one on. */
function serverOf(path: () => readonly string[], asked: (string | undefined)[]) {
  return async ({ from }: { from?: string }): Promise<BranchTurn[]> => {
    asked.push(from);
    const all = path();
    const rest = from === undefined ? all : all.slice(all.indexOf(from));
    return rest
      .filter((id) => id.startsWith('u'))
      .map((id) => ({ node: id, kind: 'person', words: id, time: '', end: all.at(-1) ?? '', tools: 0 }));
  };
}

test('[WB385] turns are asked for from the last known one on, when a person has spoken and when a turn is over', async () => {
  const turns = new BranchTurns();
  const asked: (string | undefined)[] = [];
  let path = ['u1', 'a1', 'u2'];
  const ask = serverOf(() => path, asked);
  const look = async (now: readonly string[], isRunning = false): Promise<void> => {
    path = [...now];
    await turns.look(source(now, isRunning), ask);
  };
  const shown = (): string[] => turns.items.getSnapshot().map(({ node, end }) => `${node} ${end}`);
  await look(path);
  await look(path);
  assert.deepEqual(asked, [undefined], 'nothing has changed');
  await look([...path, 'a2'], true);
  for (const id of ['a3', 'a4', 'a5']) await look([...path, id], true);
  assert.deepEqual(asked, [undefined, 'u2'], 'what a model writes is not asked about');
  await look([...path]);
  assert.deepEqual(asked, [undefined, 'u2', 'u2']);
  assert.deepEqual(shown(), ['u1 u2', 'u2 a5']);
  await look(['u1', 'a1', 'u3', 'a6']);
  assert.deepEqual(asked.at(-1), 'u1', 'another branch shares the first turn');
  assert.deepEqual(shown(), ['u1 a6', 'u3 a6']);
  await look(['u9']);
  assert.deepEqual([asked.at(-1), shown()], [undefined, ['u9 u9']]);
});

test('[WB385] what changes while turns are asked for is asked about afterwards, and a failure is tried again', async () => {
  const turns = new BranchTurns();
  const asked: (string | undefined)[] = [];
  let path = ['u1'];
  const ask = serverOf(() => path, asked);
  const first = turns.look(source(['u1']), ask);
  path = ['u1', 'a1', 'u2'];
  await turns.look(source(path), ask);
  await first;
  assert.deepEqual(
    turns.items.getSnapshot().map(({ node }) => node),
    ['u1', 'u2'],
  );
  path = [...path, 'a2', 'u3'];
  await assert.rejects(turns.look(source(path), async () => Promise.reject(new Error('away'))));
  await turns.look(source(path), ask);
  assert.equal(turns.items.getSnapshot().length, 3);
});
