import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ListedRoot } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { Store } from '../stores/store.ts';
import { Board } from './board.ts';
import type { BoardRow } from './board.ts';
import { boardItems, stay } from './board-items.ts';
import type { BoardItem } from './board-items.ts';
import { arrange } from './board-parts.ts';
import { lineOf, speakerOf } from './board-words.ts';
import { Looked } from './looked.ts';

const time = (minute: number): string => new Date(Date.UTC(2026, 10, 18, 10, minute)).toISOString();

function rowOf(id: string, state: BoardRow['state'], more: Partial<BoardRow> = {}): BoardRow {
  const facts = { opening: id, provider: 'demo', model: 'demo', started_at: time(0), changed_at: time(0), last: {} };
  return { root: `root-${id}`, id, turn: id, node: `root-${id}/node-1`, state, ...facts, ...more };
}

function listed(id: string): ListedRoot {
  const nothing = { tags: [], config: {}, leaves: [], bookmarks: [], running: [], needs: [], opening: '' };
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { id, ...nothing, created: time(0), updated: time(0), nodes: 1, branches: 1, usage, deleted: false };
}

const viewOf = (...items: ListedRoot[]): ListView => ({ status: 'live', jobs: [], children: [], items });

const told = (items: readonly BoardItem[]): string[] => items.map(({ row, part }) => `${part} ${row.id} ${row.state}`);

test('[WB290] a turn that changes keeps its place for three seconds, then moves; the oldest comes first', () => {
  const old = rowOf('a', 'waiting', { changed_at: time(1) });
  const young = rowOf('b', 'waiting', { changed_at: time(2) });
  const first = boardItems([], [young, old], 0);
  assert.deepEqual(told(first), ['needs a waiting', 'needs b waiting']);
  const decided = { ...old, state: 'running' as const };
  const second = boardItems(first, [young, decided], 1000);
  assert.deepEqual(told(second), ['needs a running', 'needs b waiting']);
  assert.deepEqual(told(boardItems(second, [young, decided], 1000 + stay - 1)), ['needs a running', 'needs b waiting']);
  const third = boardItems(second, [young, decided], 1000 + stay);
  assert.deepEqual(told(third), ['needs b waiting', 'running a running']);
  const over = boardItems(
    third,
    [young, { ...old, state: 'done' }, rowOf('c', 'failed', { changed_at: time(9) })],
    9000,
  );
  assert.deepEqual(told(over), ['needs b waiting', 'running a done', 'finished c failed']);
  assert.deepEqual(
    told(boardItems(over, [], 9000 + stay)),
    ['needs b waiting', 'finished c failed'],
    'those stay first',
  );
  assert.deepEqual(boardItems(boardItems(over, [], 10_000), [], 10_000 + stay), []);
});

test('[WB290] the board is read once, then for conversations that the list says have changed, and whole after a break', async () => {
  const list = new Store<ListView>({ status: 'joining', jobs: [], items: [], children: [] });
  const asked: (readonly string[] | undefined)[] = [];
  let rows = [rowOf('a', 'running'), rowOf('b', 'running')];
  const timers: (() => void)[] = [];
  const board = new Board({
    list,
    read(roots) {
      asked.push(roots);
      return Promise.resolve(rows.filter(({ root }) => roots?.includes(root) !== false));
    },
    after: (_milliseconds, call) => {
      timers.push(call);
      return () => void timers.splice(timers.indexOf(call), 1);
    },
  });
  const shown = (): string[] =>
    board
      .getSnapshot()
      .rows.map(({ id, state }) => `${id} ${state}`)
      .sort();
  const stop = board.start();
  assert.deepEqual(asked, []);
  const [a, b] = [listed('root-a'), listed('root-b')];
  list.set(viewOf(a, b));
  await setImmediate();
  assert.deepEqual([asked, shown()], [[undefined], ['a running', 'b running']]);
  rows = [rowOf('a', 'done'), rowOf('b', 'running')];
  list.set(viewOf({ ...a }, b));
  list.set(viewOf({ ...a }, b));
  assert.equal(timers.length, 1, 'changes are gathered');
  timers.shift()?.();
  await setImmediate();
  assert.deepEqual([asked[1], shown()], [['root-a'], ['a done', 'b running']]);
  list.set(viewOf(b));
  assert.deepEqual(shown(), ['b running'], 'one that was deleted leaves at once');
  list.set({ ...viewOf(b), status: 'joining' });
  list.set(viewOf(b));
  await setImmediate();
  assert.equal(asked.at(-1), undefined);
  const { length } = asked;
  stop();
  list.set(viewOf({ ...b }));
  assert.deepEqual([asked.length, timers.length], [length, 0]);
});

test('[WB291] a row says what its turn waits for, does, or came to, and who speaks', () => {
  const words = (row: BoardRow): string => Object.values(lineOf(row, [])).join(' | ');
  const call = { tool: 'Bash', parameters: { command: 'npm test' } };
  assert.equal(words(rowOf('a', 'running', { last: call })), 'Run | npm test');
  assert.equal(words(rowOf('a', 'running')), 'Begins');
  assert.equal(words(rowOf('a', 'done', { last: { text: 'All pass.' } })), 'All pass.');
  assert.equal(words(rowOf('a', 'stopped')), 'You stopped it. What was written is kept.');
  const error = { code: 'too-long', message: 'The conversation is longer than the model can read.' };
  assert.equal(words(rowOf('a', 'failed', { error })), error.message);
  const retrying = { attempt: 1, delay_ms: 38_000, reason: 'overloaded' };
  assert.equal(words(rowOf('a', 'running', { retrying })), 'Waits for the provider: 38s, try 2 · overloaded');
  const asks = { ...rowOf('a', 'waiting', { waits: ['n'], last: call }), turn: 'a' };
  const waiting = { root: 'r', opening: '', node: 'n', turn: 'a', provider: 'demo', model: 'demo', since: time(0) };
  const asked = {
    ...waiting,
    tool: 'Bash',
    arguments: '{"command":"rm -r x"}',
    ask: { kind: 'ask' as const, preview: [] },
  };
  assert.deepEqual(lineOf(asks, [asked]), { words: 'Wants to run', code: 'rm -r x' });
  assert.equal(speakerOf(rowOf('a', 'done', { provider: 'claude', model: 'opus' })), 'Claude Code · opus');
  assert.equal(speakerOf(rowOf('a', 'done', { provider: 'codex', model: 'default' })), 'Codex');
  assert.equal(
    speakerOf(rowOf('a', 'done', { provider: 'claude-code', model: 'x', followed: true })),
    'Claude Code · x',
  );
});

test('[WB293] ended turns are new until their conversation was visited since, or all were marked', async () => {
  let now = Date.parse(time(30));
  const conversation = new Store<{ root: string } | undefined>(undefined);
  const entries: unknown[] = [];
  const kept = new Map<string, string>();
  const looked = new Looked({
    ask: (name, params) => {
      if (name === 'home.set') entries.push(params);
      return Promise.resolve({ items: [] });
    },
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, text) => void kept.set(key, text),
      removeItem: (key) => void kept.delete(key),
    },
    conversation,
    now: () => now,
  });
  const row = rowOf('a', 'done', { changed_at: time(20) });
  const names = (): string[] =>
    arrange(boardItems([], [row], now), 'list', ({ root, changed_at: at }) => looked.has(root, Date.parse(at)))
      .filter(({ items }) => items.length > 0)
      .map(({ name }) => name);
  assert.deepEqual(names(), ['Finished since you last looked']);
  conversation.set({ root: 'root-a' });
  assert.deepEqual(names(), []);
  assert.equal(looked.has('root-a', Date.parse(time(31))), false, 'what came later is new');
  now = Date.parse(time(40));
  conversation.set(undefined);
  assert.equal(looked.has('root-a', Date.parse(time(31))), true, 'it was on display');
  assert.equal(looked.has('root-b', Date.parse(time(31))), false);
  await looked.markAll();
  assert.equal(looked.has('root-b', Date.parse(time(31))), true);
  assert.deepEqual(entries, [{ entries: [{ key: 'board/looked', value: { at: now } }] }]);
});
