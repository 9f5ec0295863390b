import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Outcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLoom } from '../../open-loom.ts';

/** A Claude Code that changes two files, says so with whole paths, and ends its turn unless the prompt is `hang`. */
const program = `
case "$1" in auth) echo '{"loggedIn":true}'; exit;; esac
line() { printf '%s\\n' "$1"; }
while read -r said; do case "$said" in
*'"type":"user"'*)
  line '{"type":"system","subtype":"init","session_id":"s","cwd":"'"$PWD"'","model":"fake"}'
  line '{"type":"assistant","session_id":"s","uuid":"00000000-0000-4000-8000-000000000001","message":{"id":"m","model":"fake","content":[{"type":"tool_use","id":"c","name":"Write","input":{"file_path":"'"$PWD"'/old.txt","content":"new\\n"}}]}}'
  echo new > old.txt; echo made > made.txt; touch changed
  line '{"type":"user","session_id":"s","uuid":"00000000-0000-4000-8000-000000000002","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"Written."}]},"tool_use_result":{"type":"create","filePath":"'"$PWD"'/old.txt","content":"new\\n","structuredPatch":[],"originalFile":null}}'
  case "$said" in *hang*) continue;; esac
  line '{"type":"assistant","session_id":"s","uuid":"00000000-0000-4000-8000-000000000003","message":{"id":"n","model":"fake","content":[{"type":"text","text":"Done."}]}}'
  line '{"type":"result","subtype":"success","session_id":"s"}';;
*interrupt*) line '{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s"}';;
esac; done`;

async function stage(t: TestContext, words: string) {
  const [dataDir, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  const path = join(dataDir, 'claude.sh');
  writeFileSync(path, program);
  writeFileSync(join(dataDir, 'config.toml'), `[agents.claude]\ncommand = ["/bin/sh", "${path}"]\n`);
  writeFileSync(join(directory, 'old.txt'), 'old\n');
  const loom = await openLoom({ dataDir });
  t.after(() => loom.close());
  const created = await loom.call('root.create', { config: { directory, approval_mode: 'edit' } });
  assert.ok(created.ok);
  const { root } = created.value;
  const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: words }] });
  assert.ok(said.ok);
  const node = said.value.nodes[0] ?? '';
  const started = await loom.call('turn.start', { node, provider: 'claude', model: 'default' });
  assert.ok(started.ok);
  const turn = started.value.turns[0] ?? '';
  const ask = async (name: string): Promise<unknown> => {
    const outcome = await loom.call(name, { root, turn });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  };
  return { loom, root, turn, directory, ask };
}

/** The files that turn.changes lists, without the mark that tells the test that both were written. */
async function changesOf(ask: (name: string) => Promise<unknown>): Promise<unknown[]> {
  const value: unknown = await ask('turn.changes');
  assert.ok(typeof value === 'object' && value !== null && 'files' in value && Array.isArray(value.files));
  return value.files
    .map((file: Record<string, unknown>) => [file['path'], file['kind'], file['state'], file['restorable']])
    .filter(([path]) => path !== 'changed');
}

const both = [
  ['made.txt', 'add', 'as-left', true],
  ['old.txt', 'modify', 'as-left', true],
];

test('[FU7] the files that an agent has changed are listed once, taken back, and changed again', async (t) => {
  const { loom, root, turn, directory, ask } = await stage(t, 'go');
  assert.ok((await loom.call('turn.wait', { root, turn })).ok);
  assert.deepEqual(await changesOf(ask), both);
  await ask('turn.undo_files');
  assert.equal(readFileSync(join(directory, 'old.txt'), 'utf8'), 'old\n');
  assert.equal(existsSync(join(directory, 'made.txt')), false);
  await ask('turn.redo_files');
  assert.equal(readFileSync(join(directory, 'old.txt'), 'utf8'), 'new\n');
});

test('[FU7] a turn that was stopped can be taken back too', async (t) => {
  const { loom, root, turn, directory, ask } = await stage(t, 'hang');
  while (!existsSync(join(directory, 'changed'))) await new Promise((resolve) => setImmediate(resolve));
  const isRead = async (): Promise<boolean> => {
    const state = await loom.open(root);
    return state.ok && [...state.value.nodes.values()].some(({ tool }) => tool === 'result');
  };
  while (!(await isRead())) await new Promise((resolve) => setImmediate(resolve));
  assert.ok((await loom.call('turn.abort', { root, turn })).ok);
  assert.ok((await loom.call('turn.wait', { root, turn })).ok);
  // A stopped turn is over at once; what it changed is added when its program has ended it, too.
  while ((await changesOf(ask)).length < both.length) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await changesOf(ask), both);
  await ask('turn.undo_files');
  assert.equal(readFileSync(join(directory, 'old.txt'), 'utf8'), 'old\n');
});

test('[CI27] a conversation whose folder is gone says so, and goes on once the folder is back', async (t) => {
  const { loom, root, turn, directory } = await stage(t, 'first');
  await loom.engine.turns.wait(turn);
  rmSync(directory, { recursive: true });
  const again = async (): Promise<string | undefined> => {
    const { items } = await valueOf(loom.call('turn.list', { root }));
    const started = await valueOf(
      loom.call('turn.retry', { node: items[0]?.node ?? '', provider: 'claude', model: 'default' }),
    );
    return loom.engine.turns.wait(started.turns[0] ?? '');
  };
  assert.equal(await again(), 'error');
  const nodes = [...(await valueOf(loom.open(root))).nodes.values()];
  const failures = nodes.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'error' ? [block.message] : [])),
  );
  assert.equal(failures.length, 1);
  assert.match(failures[0] ?? '', /^The folder .* is no longer there\. Put it back, or continue/u);
  mkdirSync(directory);
  assert.equal(await again(), 'done');
});

async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}
