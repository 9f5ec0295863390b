import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Outcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLoom } from '../../open-loom.ts';
import { createScratchFolders } from './scratch-folders.ts';

/** A Claude Code that writes a file where it was started, and says where that is. */
const program = `
case "$1" in auth) echo '{"loggedIn":true}'; exit;; esac
line() { printf '%s\\n' "$1"; }
while read -r said; do case "$said" in
*'"type":"user"'*)
  line '{"type":"system","subtype":"init","session_id":"s","cwd":"'"$PWD"'","model":"fake"}'
  echo made > made.txt
  line '{"type":"assistant","session_id":"s","uuid":"00000000-0000-4000-8000-000000000003","message":{"id":"n","model":"fake","content":[{"type":"text","text":"I am in '"$PWD"'."}]}}'
  line '{"type":"result","subtype":"success","session_id":"s"}';;
esac; done`;

async function stage(t: TestContext, environment: (home: string) => Record<string, string>) {
  const [dataDir, home] = [temporaryDirectory(t), temporaryDirectory(t)];
  const path = join(dataDir, 'claude.sh');
  writeFileSync(path, program);
  writeFileSync(join(dataDir, 'config.toml'), `[agents.claude]\ncommand = ["/bin/sh", "${path}"]\n`);
  const before = { ...process.env };
  delete process.env['XDG_DATA_HOME'];
  Object.assign(process.env, environment(home));
  const loom = await openLoom({ dataDir });
  t.after(async () => {
    await loom.close();
    delete process.env['XDG_DATA_HOME'];
    Object.assign(process.env, before);
  });
  const { root } = await valueOf(loom.call('root.create', {}));
  const messages = [{ role: 'user' as const, content: 'go' }];
  const { nodes } = await valueOf(loom.call('node.append', { parent: root, messages }));
  const start = { node: nodes[0] ?? '', provider: 'claude', model: 'default' };
  const { turns } = await valueOf(loom.call('turn.start', start));
  const turn = turns[0] ?? '';
  await loom.engine.turns.wait(turn);
  const state = await valueOf(loom.open(root));
  const said = [...state.nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : block.type === 'error' ? [block.message] : [])),
  );
  return { loom, home, root, turn, state, said };
}

test('[CI29] an agent in a conversation without a folder works in an empty one, and its changes there are listed and taken back', async (t) => {
  const { loom, home, root, turn, state, said } = await stage(t, (place) => ({ HOME: place }));
  const folder = join(home, '.local', 'share', 'loom', 'scratch', root);
  assert.equal(state.config['directory'], folder);
  assert.equal(said.at(-1), `I am in ${folder}.`);
  assert.deepEqual(readdirSync(home), ['.local'], 'nothing is written to the home folder');
  const changes = await valueOf(loom.call('turn.changes', { root, turn }));
  assert.match(JSON.stringify(changes), /"path":"made.txt","kind":"add"/);
  await valueOf(loom.call('turn.undo_files', { root, turn }));
  assert.equal(existsSync(join(folder, 'made.txt')), false);
  const { recent } = await valueOf(loom.call('folder.list', {}));
  assert.deepEqual(recent, [], 'it is not offered to other conversations');
});

test('[CI29] an agent without a folder is not started where no scratch folder can be made', async (t) => {
  const { home, said } = await stage(t, (place) => ({ HOME: place, XDG_DATA_HOME: '/dev/null/none' }));
  assert.match(said.at(-1) ?? '', /^This conversation has no folder, and Loom could not make .* Choose a folder/u);
  assert.deepEqual(readdirSync(home), []);
});

test('[CI29] scratch folders lie in the data home of the person, and are known as such', async (t) => {
  const home = temporaryDirectory(t);
  const data = join(home, 'data');
  const scratch = createScratchFolders({ HOME: home, XDG_DATA_HOME: data });
  const folder = await scratch.make('root-1');
  assert.equal(folder, join(data, 'loom', 'scratch', 'root-1'));
  assert.equal(await scratch.make('root-1'), folder);
  assert.deepEqual([scratch.owns(folder), scratch.owns(join(folder, 'in')), scratch.owns(home)], [true, false, false]);
  await assert.rejects(createScratchFolders({}).make('root-1'), /no home folder/u);
});

async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}
