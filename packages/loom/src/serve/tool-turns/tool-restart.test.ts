import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { Provider } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { createTools } from '@loom/tools';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from '../testing/served.ts';

/** A conversation in a folder whose server can be begun again, with a model that makes the given calls, one in each turn. */
async function createStage(t: TestContext, files: Record<string, string>) {
  const store = createMemoryStore({ now: Date.now });
  const directory = realpathSync(temporaryDirectory(t));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const calls: { name: string; parameters: PlainObject }[] = [];
  const provider: Provider = {
    id: 'caller',
    async *stream({ messages }) {
      yield { type: 'call-start' };
      const next = messages.at(-1)?.role === 'user' ? calls.shift() : undefined;
      const block =
        next === undefined
          ? { type: 'text' as const, text: 'Done.' }
          : { type: 'tool-use' as const, id: `c${messages.length}`, ...next };
      yield { type: 'block', message: 'm', role: 'assistant', block };
      yield { type: 'call-end', reason: next === undefined ? 'stop' : 'tool-use' };
    },
  };
  const open = async () => {
    const served = await serve(t, {
      store,
      providers: [provider],
      tools: (dataDir, processes) =>
        createTools({ clock: systemClock, processes, environment: process.env, platform: process.platform, dataDir }),
    });
    return { ...served, client: clientOf(served.url, served.token) };
  };
  let served = await open();
  const config = { directory, approval_mode: 'edit' as const };
  const { root } = valueOf(await served.client.call('root.create', { config }));
  let parent = root;
  const start = async (name: string, parameters: PlainObject): Promise<string> => {
    calls.push({ name, parameters });
    const messages = [{ role: 'user' as const, content: 'Go on.' }];
    const { nodes } = valueOf(await served.client.call('node.append', { parent, messages }));
    const tools = ['read', 'edit', 'write', 'shell'];
    const order = { node: nodes[0] ?? '', provider: 'caller', model: 'm', tools };
    return valueOf(await served.client.call('turn.start', order)).turns[0] ?? '';
  };
  const ended = async (turn: string): Promise<string> => {
    assert.deepEqual(valueOf(await served.client.call('turn.wait', { root, turn })), { ended: 'done' });
    const nodes = [...(await served.engine.forest.log(root).state()).nodes.values()];
    parent = nodes.at(-1)?.id ?? root;
    const blocks = nodes.findLast(({ role }) => role === 'tool')?.blocks ?? [];
    return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  };
  return {
    directory,
    root,
    start,
    ended,
    call: async (name: string, parameters: PlainObject) => ended(await start(name, parameters)),
    client: () => served.client,
    restart: async () => {
      await served.stop();
      served = await open();
    },
  };
}

const edit = (path: string, from: string, to: string) => ({ path, edits: [{ old_text: from, new_text: to }] });

test('[TF17] after a restart a file that the conversation shows is changed without another read', async (t) => {
  const files = {
    'read.txt': 'one\ntwo\n',
    'part.txt': 'one\ntwo\n',
    'other.txt': 'one\n',
    'made.txt': 'one\n',
    'left.txt': 'one\n',
  };
  const { directory, call, restart } = await createStage(t, files);
  for (const path of ['read.txt', 'other.txt', 'made.txt', 'left.txt']) await call('read', { path });
  await call('read', { path: 'part.txt', start_line: 1 });
  assert.match(await call('edit', edit('made.txt', 'one', 'two')), /^Changed/u);
  assert.match(await call('edit', edit('left.txt', 'one', 'two')), /^Changed/u);
  assert.match(await call('write', { path: 'new.txt', content: 'new\n' }), /^Created/u);
  await restart();
  // A person changes one file, and puts another back to what an older read shows.
  writeFileSync(join(directory, 'other.txt'), 'a person\n');
  writeFileSync(join(directory, 'left.txt'), 'one\n');
  for (const [path, from] of [
    ['read.txt', 'one'],
    ['made.txt', 'two'],
    ['new.txt', 'new'],
  ] as const) {
    assert.match(await call('edit', edit(path, from, 'three')), /^Changed/u, path);
  }
  for (const path of ['part.txt', 'other.txt', 'left.txt'])
    assert.match(await call('edit', edit(path, 'one', 'three')), /has not been read in this conversation/u, path);
  assert.equal(readFileSync(join(directory, 'read.txt'), 'utf8'), 'three\ntwo\n');
});

test('[TF17] a change that waits for a person is made when it is approved after a restart', async (t) => {
  const { directory, root, call, client, start, ended, restart } = await createStage(t, { 'a.txt': 'one\n' });
  await call('read', { path: 'a.txt' });
  valueOf(await client().call('root.configure', { root, config: { approval_mode: 'ask' } }));
  const turn = await start('edit', edit('a.txt', 'one', 'two'));
  const waiting = async () => valueOf(await client().call('turn.waiting', {})).items[0];
  while ((await waiting()) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  await restart();
  const { node = '', arguments: exact = '' } = (await waiting()) ?? {};
  valueOf(await client().call('turn.decide', { node, decision: 'approved', arguments: exact }));
  assert.match(await ended(turn), /^Changed/u);
  assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'two\n');
});
