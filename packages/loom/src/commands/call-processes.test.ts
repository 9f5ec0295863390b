import assert from 'node:assert/strict';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeDisk } from '@loom/data-folder/files';
import type { Provider } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { accessOperations } from '../serve/access-operations.ts';
import { openWriter } from '../runtime/opened-folder.ts';
import { openDoor } from '../serve/door.ts';
import { clientOf, valueOf } from '../serve/testing/served.ts';
import { openTokensOnce } from '../serve/token-file.ts';
import { runInside } from '../testing/fake-terminal.ts';

/** A model that runs a command in the background. */
const caller: Provider = {
  id: 'caller',
  async *stream({ messages }) {
    yield { type: 'call-start' };
    const isAnswered = messages.at(-1)?.role !== 'user';
    const parameters = { command: 'echo begun; sleep 1000', background: true };
    const block = isAnswered
      ? { type: 'text' as const, text: 'Done.' }
      : { type: 'tool-use' as const, id: 'c', name: 'shell', parameters };
    yield { type: 'block', message: 'm', role: 'assistant', block };
    yield { type: 'call-end', reason: isAnswered ? 'stop' : 'tool-use' };
  },
};

test('[OP145] another terminal is told of the commands that run in the background of a server', async (t) => {
  const dataDir = temporaryDirectory(t);
  const directory = realpathSync(temporaryDirectory(t));
  writeFileSync(join(dataDir, 'config.toml'), '[[permissions]]\ntool = "shell"\neffect = "allow"\n');
  const openTokens = openTokensOnce(nodeDisk, dataDir);
  const opened = await openWriter({ dataDir, providers: [caller], operations: accessOperations(openTokens) });
  t.after(() => opened.close());
  const door = await openDoor({ opened, tokens: await openTokens(), onFailure: (error) => assert.fail(String(error)) });
  const client = clientOf(door.url, door.place.token);
  const { root } = valueOf(await client.call('root.create', { config: { directory } }));
  const messages = [{ role: 'user' as const, content: 'Go on.' }];
  const { nodes } = valueOf(await client.call('node.append', { parent: root, messages }));
  const order = { node: nodes[0] ?? '', provider: 'caller', model: 'm', tools: ['shell'] };
  const { turns } = valueOf(await client.call('turn.start', order));
  assert.deepEqual(valueOf(await client.call('turn.wait', { root, turn: turns[0] ?? '' })), { ended: 'done' });
  const { out, code } = await runInside(['--data-dir', dataDir, 'call', 'process.list', JSON.stringify({ root })]);
  assert.equal(code, 0);
  assert.match(out, /"command": "echo begun; sleep 1000"/u);
  assert.match(out, /"state": "running"/u);
  await door.close();
});
