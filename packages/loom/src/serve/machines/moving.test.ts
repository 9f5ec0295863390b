import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { noDatabase, testSchema } from '@loom/stores/postgres/testing';
import { z } from 'zod';
import { openLoom } from '../../open-loom.ts';
import { runLoom } from '../../testing/loom-process.ts';
import { startServe } from '../testing/serve-process.ts';
import { clientOf, valueOf } from '../testing/served.ts';

const imported = z.object({ imported: z.array(z.looseObject({ changes: z.number(), appended: z.number() })) });

test(
  '[PG25] conversations move from a folder into PostgreSQL and back, with what came later, and repeating it changes nothing',
  { skip: noDatabase },
  async (t) => {
    const home = temporaryDirectory(t);
    const place = (name: string): string => join(home, name);
    const { url } = await testSchema(t);
    const env = { LOOM_STORE: url };
    const loom = await openLoom({ dataDir: place('from') });
    t.after(() => loom.close());
    const roots: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const created = await loom.call('root.create', {});
      assert.ok(created.ok);
      roots.push(created.value.root);
      const messages = [{ role: 'user' as const, content: `Words of ${count} with 🧵` }];
      assert.ok((await loom.call('node.append', { parent: created.value.root, messages })).ok);
    }
    await loom.close();
    const run = async (args: string[], environment: Record<string, string>): Promise<string> => {
      const { code, stdout, stderr } = await runLoom(args, { home, env: environment });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const take = async (file: string, dataDir: string, environment: Record<string, string>) => {
      const [report] = imported.parse(
        JSON.parse(await run(['import-store', place(file), '--json', '--data-dir', place(dataDir)], environment)),
      ).imported;
      return report;
    };
    await run(['export-store', place('1.jsonl'), '--data-dir', place('from')], {});
    const first = await take('1.jsonl', 'settings', env);
    assert.ok(first !== undefined && first.appended === first.changes && first.changes > 6);
    assert.equal((await take('1.jsonl', 'settings', env))?.appended, 0);
    const more = await openLoom({ dataDir: place('from') });
    t.after(() => more.close());
    const later = [{ role: 'user' as const, content: 'Written later' }];
    assert.ok((await more.call('node.append', { parent: roots[1] ?? '', messages: later })).ok);
    await more.close();
    await run(['export-store', place('2.jsonl'), '--since', place('1.jsonl'), '--data-dir', place('from')], {});
    assert.equal((await take('2.jsonl', 'settings', env))?.appended, 1);
    const server = await startServe(t, place('settings'), '--port', '0', '--store', url);
    const client = clientOf(server.url, server.token);
    const messages = [{ role: 'user' as const, content: 'Written on another machine' }];
    valueOf(await client.call('node.append', { parent: roots[0] ?? '', messages }));
    await server.end('SIGTERM');
    await run(['export-store', place('3.jsonl'), '--data-dir', place('settings')], env);
    assert.equal((await take('3.jsonl', 'from', {}))?.appended, 1);
    await take('3.jsonl', 'to', {});
    const statesOf = async (dataDir: string): Promise<unknown[]> => {
      const opened = await openLoom({ dataDir: place(dataDir) });
      t.after(() => opened.close());
      const states: unknown[] = [];
      for (const root of roots) {
        const state = await opened.open(root);
        assert.ok(state.ok);
        states.push([root, state.value.seq, [...state.value.nodes.values()].map(({ id, blocks }) => [id, blocks])]);
      }
      await opened.close();
      return states;
    };
    const there = await statesOf('from');
    assert.deepEqual(await statesOf('to'), there);
    assert.match(JSON.stringify(there), /Written on another machine/u);
  },
);
