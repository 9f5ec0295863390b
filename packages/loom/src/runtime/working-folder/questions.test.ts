import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Outcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from '../../open-loom.ts';

async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}

function repository(t: TestContext, commits = true): string {
  const top = join(temporaryDirectory(t), 'repository');
  mkdirSync(join(top, 'sub'), { recursive: true });
  const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: top });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(top, 'sub', 'a.txt'), 'a\n');
  git('add', '-A');
  if (commits) git('-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '-qm', 'first');
  return top;
}

const two = [
  { provider: 'demo', model: 'demo' },
  { provider: 'demo', model: 'echo' },
];

test('[WT5] a question that several are asked is a conversation for each, in a worktree of its own, and the board knows them together', async (t) => {
  const loom = await openLoom({ store: createMemoryStore(), dataDir: temporaryDirectory(t) });
  t.after(() => loom.close());
  const directory = join(repository(t), 'sub');
  const config = { approval_mode: 'edit' };
  const params = { content: 'hello', answers: two, directory, config };
  const { question, conversations, turns } = await valueOf(loom.call('question.ask', params));
  for (const turn of turns) await loom.engine.turns.wait(turn);
  assert.deepEqual(
    conversations.map(({ provider, model }) => ({ provider, model })),
    two,
  );
  assert.equal(new Set(conversations.map(({ branch }) => branch)).size, 2);
  for (const { root, directory: place = '' } of conversations) {
    assert.ok(existsSync(join(place, 'a.txt')));
    assert.equal(basename(place), 'sub');
    const { config: own } = await valueOf(loom.open(root));
    assert.deepEqual(own, { approval_mode: 'edit', question, directory: place });
  }
  await valueOf(loom.call('root.create', {}));
  const { items } = await valueOf(loom.call('board.list', { question }));
  assert.deepEqual(new Set(items.map(({ root }) => root)), new Set(conversations.map(({ root }) => root)));
  assert.ok(items.every(({ state, question: own }) => state === 'done' && own === question));
  assert.equal((await valueOf(loom.call('board.list', { question: 'another' }))).items.length, 0);
});

test('[WT5] outside of a repository all of them work in the folder that was named, or in none', async (t) => {
  const loom = await openLoom({ store: createMemoryStore(), dataDir: temporaryDirectory(t) });
  t.after(() => loom.close());
  const directory = temporaryDirectory(t);
  for (const place of [{ directory }, {}]) {
    const { conversations } = await valueOf(loom.call('question.ask', { content: 'hello', answers: two, ...place }));
    assert.deepEqual(
      conversations.map(({ directory: used, branch }) => [used, branch]),
      [0, 1].map(() => [place.directory, undefined]),
    );
  }
});

test('[WT5] an unknown provider, a single one, and a repository without a commit are refused before anything is made', async (t) => {
  const loom = await openLoom({ store: createMemoryStore(), dataDir: temporaryDirectory(t) });
  t.after(() => loom.close());
  const top = repository(t, false);
  const refusalOf = async (params: object): Promise<string> => {
    const outcome = await loom.call('question.ask', { content: 'hello', answers: two, ...params });
    return outcome.ok ? 'none' : JSON.stringify(outcome.refusal);
  };
  assert.match(await refusalOf({ answers: [...two, { provider: 'nobody', model: 'x' }] }), /unknown-provider.*nobody/u);
  assert.match(await refusalOf({ answers: two.slice(1) }), /invalid-params/u);
  assert.match(await refusalOf({ content: [{ type: 'tool-use' }] }), /invalid-params.*content/u);
  assert.match(await refusalOf({ directory: top }), /without a commit/u);
  const guest = { agent: 'guest', type: 'person' as const, role: 'writer' as const, id: 'q', door: 'http' as const };
  assert.ok(!(await loom.engine.call('question.ask', guest, { content: 'hello', answers: two })).ok);
  assert.deepEqual((await valueOf(loom.call('root.list', {}))).items, []);
  assert.deepEqual(readdirSync(join(top, '..')), ['repository']);
});
