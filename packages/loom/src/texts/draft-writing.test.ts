import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LoomClient } from '@loom/client';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { clientOf, valueOf } from '../serve/testing/served.ts';
import { startServe } from '../serve/testing/serve-process.ts';
import type { ServeProcess } from '../serve/testing/serve-process.ts';

/** The edits of each: 200 in all. */
const editsOf = { person: 80, anthropic: 60, openai: 60 };
/** The server is killed when the draft has so many versions. */
const killsAt = [60, 130];

const models = emulatedProviders.filter(({ name }) => name === 'anthropic' || name === 'openai');

/** The names of the lines of a text: `openai 17`. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

test('[BT82] a person and two models write a draft by 200 edits while the server is killed twice: nothing is lost, and each edit is of its author and undone alone', async (t) => {
  const dataDir = temporaryDirectory(t);
  let block = '';
  const said = { anthropic: 0, openai: 0 };
  const emulators = await Promise.all(
    models.map(async ({ name, wire }) => {
      const emulator = await startEmulator(wire, () => {
        const count = (said[name === 'openai' ? 'openai' : 'anthropic'] += 1);
        const operations = [{ op: 'insert', line: 0, content: `${name} ${count}` }];
        // A turn of some calls, and then another one: as people ask again and again.
        if (count % 12 === 0) return { said: [{ say: 'That is it for now.' }] };
        return {
          said: [
            {
              call: 'block_edit',
              arguments: JSON.stringify({ block_id: block, operations }),
              id: `call_${name}_${count}`,
            },
          ],
        };
      });
      t.after(() => emulator.close());
      return emulator;
    }),
  );
  const settings = models.map(
    ({ name, path }, index) =>
      `[providers.${name}]\napiKey = "key"\nbaseURL = "${emulators[index]?.url ?? ''}${path}"\n`,
  );
  writeFileSync(join(dataDir, 'config.toml'), settings.join('\n'), { mode: 0o600 });

  let served: ServeProcess = await startServe(t, dataDir);
  let client: LoomClient = clientOf(served.url, served.token);
  let lives = 1;
  const { root } = valueOf(await client.call('root.create', {}));
  ({ block_id: block } = valueOf(await client.call('draft.create', { root, title: 'Plan', text: '' })));
  const history = async (): ReturnType<typeof readHistory> => readHistory(client, block);

  let revived = Promise.withResolvers<void>();
  /** Does something until it is done, also while the server is killed and begun again meanwhile. */
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      const [{ child }, { promise }] = [served, revived];
      try {
        return await work();
      } catch (error) {
        if (!child.killed) throw error;
        await promise;
      }
    }
  };
  const acknowledged: string[] = [];
  const person = async (): Promise<void> => {
    for (let count = 1; count <= editsOf.person; count += 1) {
      // A request that is asked again under its id is made once.
      const id = `person-edit-${count}`;
      const operations = [{ op: 'insert' as const, line: 0, content: `person ${count}` }];
      valueOf(await insist(() => client.call('block.edit', { block_id: block, operations }, { key: id })));
      acknowledged.push(`person ${count}`);
    }
  };
  const model = async ({ name, model: id }: (typeof models)[number]): Promise<void> => {
    const wanted = editsOf[name === 'openai' ? 'openai' : 'anthropic'];
    const [provider] = name.split(' ');
    while ((await insist(history)).filter(({ agent }) => agent.startsWith(`${name}:`)).length < wanted) {
      await insist(async () => {
        const messages = [{ role: 'user' as const, content: 'Go on with the plan.' }];
        const { nodes } = valueOf(await client.call('node.append', { parent: root, messages }));
        const asked = { root, provider: provider ?? '', model: id };
        const { items } = valueOf(await client.call('tool.list', { ...asked, offered: true, limit: 100 }));
        const start = {
          node: nodes[0] ?? '',
          provider: provider ?? '',
          model: id,
          tools: items.map((tool) => tool.name),
        };
        const { turns } = valueOf(await client.call('turn.start', start));
        await client.call('turn.wait', { root, turn: turns[0] ?? '' });
      });
    }
  };
  const killer = async (): Promise<void> => {
    for (const versions of killsAt) {
      while ((await history()).length < versions) await new Promise((resolve) => setTimeout(resolve, 5));
      await served.end('SIGKILL');
      served = await startServe(t, dataDir);
      client = clientOf(served.url, served.token);
      lives += 1;
      revived.resolve();
      revived = Promise.withResolvers();
    }
  };
  await Promise.all([person(), ...models.map(model), killer()]);

  const { drafts } = valueOf(await client.call('draft.list', { root }));
  assert.equal(drafts.length, 1);
  const edits = (await history()).filter(({ edit }) => edit === 'done');
  assert.ok(edits.length >= 200, `${edits.length} edits`);
  const read = async (version?: number): Promise<string> => {
    const asked = version === undefined ? {} : { version };
    return valueOf(await client.call('block.read', { block_id: block, line_numbers: false, ...asked })).content;
  };
  const lines = linesOf(await read());
  assert.equal(new Set(lines).size, lines.length, 'each line is there once');
  assert.equal(lines.length, edits.length);
  assert.deepEqual(
    acknowledged.filter((line) => !lines.includes(line)),
    [],
    'every edit that was acknowledged is there',
  );
  // Every edit that a model was told of is there as well.
  const { items } = valueOf(await client.call('tree.subtree', { top: root, limit: 5000 }));
  const results = items.filter(({ message }) => message.role === 'tool').map(({ message }) => JSON.stringify(message));
  const told = results.flatMap((result) =>
    [...result.matchAll(/"version\\*":(\d+)\}/gu)].map(([, version]) => Number(version)),
  );
  const made = new Set(edits.map(({ version }) => version));
  assert.ok(told.length >= 60, `${told.length} results of tools`);
  assert.deepEqual(
    told.filter((version) => !made.has(version)),
    [],
  );

  // Each version added one line, which is of its author.
  const byVersion = new Map<number, string>();
  for (const { version, agent } of edits) {
    const [line = ''] = linesOf(await read(version));
    assert.ok(agent.startsWith(line.split(' ')[0] ?? '?'), `${agent} wrote “${line}”`);
    byVersion.set(version, line);
  }
  // In any order, each edit is taken back alone.
  const random = new Random(7);
  const left = new Set(lines);
  const versions = [...byVersion.keys()];
  for (let count = 0; versions.length > 0; count += 1) {
    const [version = 0] = versions.splice(random.below(versions.length), 1);
    valueOf(await client.call('block.undo', { block_id: block, version }));
    left.delete(byVersion.get(version) ?? '');
    if (count % 20 === 0) {
      assert.deepEqual(
        linesOf(await read()),
        lines.filter((line) => left.has(line)),
      );
    }
  }
  assert.equal(await read(), '');
  t.diagnostic(`${edits.length} edits, ${lives - 1} kills, ${told.length} results of tools`);
});

async function readHistory(client: LoomClient, block: string) {
  const params = { block_id: block, edits: true, limit: 5000 };
  return valueOf(await client.call('block.history', params));
}
