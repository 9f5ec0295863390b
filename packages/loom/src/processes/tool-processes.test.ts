import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openBlock } from '@loom/kernel';
import type { Provider, ProviderEvent, Tool } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from '../open-loom.ts';
import { markedProcesses } from './found-processes.ts';

const mark = randomUUID();

/** A tool that runs a command line and shows its output. */
const shell: Tool = {
  name: 'shell',
  description: 'Runs a command line.',
  parameters: { type: 'object' },
  prepare: async () => ({ permission: 'run' }),
  async run({ parameters: { command } }, { processes, directory = '/' }, out) {
    const environment = { PATH: process.env['PATH'] ?? '', TEST_MARK: mark };
    const spawned = await processes?.spawn({ command: ['/bin/sh', '-c', String(command)], directory, environment });
    assert.ok(spawned?.ok);
    const shown = openBlock(out, { type: 'command', command: String(command), stdout: '' });
    for await (const { bytes } of spawned.process.output) await shown.append('stdout', Buffer.from(bytes).toString());
    const { code } = await spawned.process.ended;
    await shown.end(code === undefined ? {} : { exit_code: code });
    return { content: [] };
  },
};

/** A model that calls the tool with the person's message, then says that it is done. */
const caller: Provider = {
  id: 'caller',
  async *stream({ messages }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const last = messages.at(-1)?.content[0];
    const command = last?.type === 'text' ? last.text : '';
    const call = { type: 'tool-use' as const, id: 'c', name: 'shell', parameters: { command } };
    const isAnswered = messages.at(-1)?.role !== 'user';
    const block = isAnswered ? { type: 'text' as const, text: 'Done.' } : call;
    yield { type: 'block', message: 'm', role: 'assistant', block };
    yield { type: 'call-end', reason: isAnswered ? 'stop' : 'tool-use' };
  },
};

async function createStage(t: { after: (work: () => Promise<void>) => void }, dataDir: string) {
  const loom = await openLoom({
    store: createMemoryStore({ now: Date.now }),
    dataDir,
    providers: [caller],
    tools: [shell],
  });
  t.after(() => loom.close());
  const created = await loom.call('root.create', {});
  assert.ok(created.ok);
  const { root } = created.value;
  return {
    loom,
    root,
    start: async (text: string): Promise<string> => {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] satisfies [unknown] }];
      const said = await loom.call('node.append', { parent: root, messages });
      assert.ok(said.ok);
      const node = said.value.nodes[0] ?? '';
      const started = await loom.call('turn.start', { node, provider: 'caller', model: 'm', tools: ['shell'] });
      assert.ok(started.ok);
      return started.value.turns[0] ?? '';
    },
    printed: async (): Promise<string> => {
      const { nodes } = await loom.engine.forest.log(root).state();
      const command = [...nodes.values()].flatMap(({ blocks }) => blocks).find(({ type }) => type === 'command');
      return command?.type === 'command' && typeof command.stdout === 'string' ? command.stdout : '';
    },
  };
}

test('[PS7] a tool runs a program, whose output grows in the conversation', async (t) => {
  const { loom, root, start, printed } = await createStage(t, temporaryDirectory(t));
  const turn = await start('printf one; printf two; exit 4');
  assert.deepEqual(await loom.call('turn.wait', { root, turn }).then((said) => said.ok && said.value), {
    ended: 'done',
  });
  assert.equal(await printed(), 'onetwo');
  const { nodes } = await loom.engine.forest.log(root).state();
  const codes = [...nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap((b) => (b.type === 'command' ? [b.exit_code] : [])),
  );
  assert.deepEqual(codes, [4]);
  assert.deepEqual(markedProcesses(mark), []);
});

test('[PS7] a turn that a person stops ends its programs, and closing Loom those of all turns', async (t) => {
  const { loom, root, start, printed } = await createStage(t, temporaryDirectory(t));
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const turn = await start('setsid sh -c "echo begun; exec sleep 1000" & wait');
  while ((await printed()) === '') await new Promise(setImmediate);
  assert.ok(markedProcesses(mark).length >= 2);
  assert.ok((await loom.call('turn.abort', { root, turn })).ok);
  await until(() => markedProcesses(mark).length === 0);
  assert.equal(await printed(), 'begun\n');
  await start('setsid sleep 1000 & wait');
  await until(() => markedProcesses(mark).length >= 2);
  await loom.close();
  assert.deepEqual(markedProcesses(mark), []);
});
