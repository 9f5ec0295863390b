import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptAlive } from '../testing/kept-alive.ts';
import { begin, request, texts } from '../testing/writer.ts';
import { openPostgresStore } from './open.ts';
import { noDatabase, testSchema } from './testing/database.ts';

test(
  '[PG42] behind a pooler where no connection can listen, what others write is found by looking',
  { skip: noDatabase },
  async (t) => {
    const schema = await testSchema(t);
    const url = new URL(schema.url);
    url.searchParams.set('pooled', '1');
    // Nothing listens on this port.
    url.searchParams.set('listen', 'postgres://loom@127.0.0.1:1/none');
    const open = async () => {
      const store = await openPostgresStore({ url: url.href });
      t.after(() => store.close());
      return store;
    };
    const [writer, reader] = [await open(), await open()];
    const epoch = await begin(writer, 'a', ['one']);
    const learned = Promise.withResolvers<void>();
    const stop = reader.listen('a', () => learned.resolve());
    await keptAlive(learned.promise, 'nobody looked');
    stop();
    const woken = Promise.withResolvers<void>();
    const wokenByAny = Promise.withResolvers<void>();
    reader.listen('a', () => woken.resolve());
    reader.listenAll(() => wokenByAny.resolve());
    assert.deepEqual(await writer.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
    await keptAlive(Promise.all([woken.promise, wokenByAny.promise]), 'nobody looked');
    assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
    assert.equal(await writer.lease('turn', 'one', 60_000), true);
    assert.equal(await reader.lease('turn', 'two', 60_000), false);
    const id = await writer.putBlob(Buffer.from('bytes'));
    assert.equal(Buffer.from((await reader.getBlob(id)) ?? []).toString(), 'bytes');
    const rows = await schema.query(
      `SELECT count(*)::integer AS sessions FROM pg_stat_activity WHERE application_name = $1`,
      [`loom signals ${schema.name}`],
    );
    assert.deepEqual(rows, [{ sessions: 0 }], 'none listens');
  },
);
