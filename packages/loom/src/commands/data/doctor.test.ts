import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import type { AssistantBlock } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import { rootCodec } from '@loom/kernel/logs';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { openFileSystemStore } from '@loom/stores/files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder } from '../../testing/forest-folder.ts';

async function talkedIn(context: TestContext, store?: StoreKind): Promise<ForestFolder & { nodes: string }> {
  const folder = new ForestFolder(context, store);
  await folder.succeed(['chat', '-p', 'echo hello there']);
  const [root] = readdirSync(folder.dataDir).filter((name) => name.startsWith('root-'));
  return Object.assign(folder, { nodes: join(folder.dataDir, root ?? '', 'nodes') });
}

/** Appends a change that older versions took, though they could not read it back. Returns its conversation. */
async function appendUnreadable(directory: string, kind: StoreKind): Promise<string> {
  const store = await (kind === 'files' ? openFileSystemStore({ directory }) : openSqliteStore({ directory }));
  const root = (await store.logs()).find((name) => name.startsWith('root-')) ?? '';
  const contents = await store.read(root, 0);
  const last = contents?.records.at(-1)?.seq ?? 0;
  const started = { type: 'turn-started' as const, turn: 't', node: `${root}/node-1`, provider: 'demo', model: 'demo' };
  const ops = [{ ...started, settings: {}, tools: [], max_rounds: 0, holder: 'h' }];
  const change = { seq: last + 1, time: Date.now(), agent: 'person', request: 'old', ops };
  const records = [{ seq: change.seq, text: rootCodec.encode(change) }];
  const appended = await store.append(root, { epoch: contents?.epoch, expectedSeq: last, records });
  assert.ok(appended.ok);
  await store.close();
  return root;
}

/** Gives the conversation another head, with a change that changes nothing. */
async function plantHead(directory: string, kind: StoreKind, change: (text: string) => string): Promise<void> {
  const store = await (kind === 'files' ? openFileSystemStore({ directory }) : openSqliteStore({ directory }));
  const { log, head } = (await store.heads({ order: 'newest', limit: 1 }))[0] ?? assert.fail();
  const { epoch, records: before } = (await store.read(log, 0)) ?? assert.fail();
  const expectedSeq = before.at(-1)?.seq ?? 0;
  const time = head?.time ?? 0;
  const ops = [{ type: 'counters-raised' as const, node: 0, blocks: {}, others: 0 }];
  const text = rootCodec.encode({ seq: expectedSeq + 1, time, agent: 'person', request: 'planted', ops });
  const records = [{ seq: expectedSeq + 1, text }];
  const planted = { time, text: change(head?.text ?? '') };
  assert.ok((await store.append(log, { epoch, expectedSeq, records, head: planted })).ok);
  await store.close();
}

type Damage = (folder: ForestFolder & { nodes: string }) => void;

/** The kinds of damage to the data of two chats. */
const damages: Record<(typeof STORE_KINDS)[number], Record<string, Damage>> = {
  sqlite: {
    'a changed record': ({ dataDir }) =>
      changeDatabase(
        dataDir,
        "UPDATE records SET text = replace(text, 'hello there', 'hello where') WHERE text NOTNULL",
      ),
    'a record that cannot be unpacked': ({ dataDir }) =>
      changeDatabase(
        dataDir,
        "UPDATE records SET text = NULL, packed = x'00ff00ff00ff' WHERE id = (SELECT min(id) + 1 FROM records WHERE text LIKE '%node-1%')",
      ),
    'a missing record': ({ dataDir }) =>
      changeDatabase(
        dataDir,
        "DELETE FROM records WHERE id = (SELECT min(id) + 1 FROM records WHERE text LIKE '%node-1%')",
      ),
  },
  files: {
    'a changed line': (folder) =>
      changeLines(folder, (lines) => lines.map((line) => line.replace('hello there', 'hello where'))),
    'a line that is no text': (folder) => changeLines(folder, (lines) => lines.with(2, '\u00ff\u00fe')),
    'a missing line': (folder) => changeLines(folder, (lines) => lines.toSpliced(2, 1)),
    'the first line': (folder) => changeLines(folder, (lines) => lines.with(0, '{}')),
    'the acknowledged end': (folder) => changeLines(folder, (lines) => [...lines.slice(0, -2), '']),
  },
};

function changeDatabase(dataDir: string, statement: string): void {
  const database = new DatabaseSync(join(dataDir, 'loom.db'));
  assert.equal(Number(database.prepare(statement).run().changes) > 0, true);
  database.close();
}

function changeLines({ nodes }: { nodes: string }, change: (lines: string[]) => string[]): void {
  const path = join(nodes, '..', 'log.jsonl');
  const lines = readFileSync(path, 'latin1').split('\n');
  writeFileSync(path, change(lines).join('\n'), 'latin1');
}

for (const store of STORE_KINDS) {
  test(`[DR1] ${store}: sound data is found sound`, async (context) => {
    const folder = await talkedIn(context, store);
    assert.match(await folder.succeed(['doctor']), /^1 conversation with 2 messages and 0 blobs: all is well\.$/mu);
    assert.equal((await new ForestFolder(context).run(['doctor'])).code, 1);
  });

  test(`[DR10] [PU7] ${store}: a change that cannot be read is set aside, and the rest opens; a purge forgets it`, async (context) => {
    const folder = await talkedIn(context, store);
    const root = await appendUnreadable(folder.dataDir, store);
    assert.notEqual((await folder.run(['show', `${root}/node-1`])).code, 0);
    const before = await folder.run(['doctor']);
    assert.equal(before.code, 1);
    assert.match(before.out, /^broken log root-.*max_rounds must be(.|\n)*loom doctor --set-aside/mu);
    const { code, out } = await folder.run(['doctor', '--set-aside']);
    assert.equal(code, 0, out);
    assert.match(
      out,
      /^mended log root-.*: 1 change .* was set aside.*change \d+ \(turn-started by person of 20.*max_rounds/mu,
    );
    const kept = /kept in (quarantine\S+\.json);/u.exec(out)?.[1] ?? '';
    assert.match(readFileSync(join(folder.dataDir, kept), 'utf8'), /"max_rounds": 0/u);
    assert.match(out, /^shown quarantine .*1 change of the log of root-.* was set aside$/mu);
    assert.match(await folder.succeed(['show', `${root}/node-1`]), /hello there/u);
    await folder.succeed(['chat', '--continue', '-p', 'echo and again']);
    assert.match(await folder.succeed(['tree']), /and again/u);
    assert.match(await folder.succeed(['doctor']), /all is well/u);
    await folder.succeed(['purge', `${root}/node-1`, '--yes']);
    assert.deepEqual(readdirSync(join(folder.dataDir, 'quarantine')), []);
  });

  test(`[DR2] ${store}: a head that does not say what its log says is made again`, async (context) => {
    const folder = await talkedIn(context, store);
    const before = await folder.succeed(['ls', '--json']);
    await plantHead(folder.dataDir, store, (text) => text.replace('hello there', 'hello where'));
    assert.match(await folder.succeed(['call', 'root.list']), /hello where/u);
    const { code, out } = await folder.run(['doctor']);
    assert.equal(code, 0, out);
    assert.match(out, /^mended head root-\S+: its head, which lists are made of, did not say/mu);
    assert.equal(await folder.succeed(['ls', '--json']), before);
    assert.doesNotMatch(await folder.succeed(['doctor']), /mended/u);
    await folder.succeed(['chat', '--continue', '-p', 'echo and again']);
    assert.doesNotMatch(await folder.succeed(['doctor']), /mended/u);
  });

  test(`[DR2] ${store}: node files are made again, and what cannot be taken in is kept and shown`, async (context) => {
    const folder = await talkedIn(context, store);
    rmSync(join(folder.nodes, 'node-1.json'));
    writeFileSync(join(folder.nodes, 'node-2.json'), 'not json at all');
    writeFileSync(join(folder.nodes, 'node-77.json'), '{}');
    const { code, out } = await folder.run(['doctor']);
    assert.equal(code, 0, out);
    assert.match(out, /^mended file .*node-1\.json was missing/mu);
    assert.match(out, /^shown quarantine .*node-2/mu);
    assert.match(out, /^shown file .*node-77\.json belongs to no message/mu);
    assert.match(readFileSync(join(folder.nodes, 'node-1.json'), 'utf8'), /hello there/u);
    assert.match(readFileSync(join(folder.nodes, 'node-2.json'), 'utf8'), /"role": "assistant"/u);
  });

  test(`[DR2] ${store}: a node file that the disk has changed is no edit, and is made again`, async (context) => {
    const folder = await talkedIn(context, store);
    const file = join(folder.nodes, 'node-1.json');
    const [whole, { atime, mtime }] = [readFileSync(file, 'utf8'), statSync(file)];
    writeFileSync(file, whole.replace('hello', 'jello'));
    utimesSync(file, atime, mtime);
    const { code, out } = await folder.run(['doctor']);
    assert.equal(code, 0, out);
    assert.match(out, /^mended file .*node-1\.json is damaged/mu);
    assert.match(out, /^shown quarantine .*node-1.*: .*damage/mu);
    assert.equal(readFileSync(file, 'utf8'), whole);
    assert.match(await folder.succeed(['show', 'node-1']), /hello there/u);
  });
}

test('[DR1] [DR2] [DR3] logs in files are read to their end, and what is wrong with them told', async (context) => {
  const folder = await talkedIn(context, 'files');
  const log = join(folder.nodes, '../log.jsonl');
  const whole = readFileSync(log, 'utf8');
  writeFileSync(log, `${whole}{"crc":"0000`);
  const torn = await folder.succeed(['doctor']);
  assert.match(torn, /^shown torn-write root-\w+: the last write is not whole \(12 bytes\)/mu);
  writeFileSync(join(folder.nodes, '../projection-state.jsonl'), 'no projection');
  assert.match(await folder.succeed(['doctor']), /^mended snapshot root-\w+: .*projection-state\.jsonl/mu);
  // Intact for the store, but with another message.
  const forged = whole.split('\n').map((line) => (line.includes('"role":"user"') ? forge(line) : line));
  writeFileSync(log, forged.join('\n'));
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1, out);
  assert.match(out, /^broken log root-\w+: record \d+: /mu);
  assert.equal(out.match(/^broken log/gmu)?.length, 1, out);
  writeFileSync(log, whole.replace('hello there', 'hello where'));
  assert.equal((await folder.run(['doctor'])).code, 1);
});

test('[DR9] a damaged list of conversations, and damaged counters, are made again', async (context) => {
  const folder = await talkedIn(context, 'files');
  await folder.say('echo another');
  const whole = await folder.succeed(['ls']);
  const list = join(folder.dataDir, 'forest/log.jsonl');
  const damage = (): void => writeFileSync(list, readFileSync(list, 'utf8').replace('root-listed', 'root-missed'));
  damage();
  for (const name of ['client-ids.json', 'leases.json']) writeFileSync(join(folder.dataDir, name), 'damaged');
  const before = readFileSync(list, 'utf8');
  const looked = await folder.run(['ls']);
  assert.deepEqual([looked.code, looked.out], [0, whole]);
  assert.match(looked.note, /^The list of conversations .* is damaged: /u);
  assert.equal(readFileSync(list, 'utf8'), before);
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 0, out);
  assert.match(out, /^mended log forest: it is damaged/mu);
  for (const name of ['client-ids.json', 'leases.json'])
    assert.match(out, new RegExp(`^mended counter ${name}: `, 'mu'));
  assert.equal(await folder.succeed(['ls']), whole);
  assert.match(await folder.succeed(['doctor']), /^2 conversations with 4 messages and 0 blobs: all is well\.$/mu);
  const [kept = ''] = readdirSync(join(folder.dataDir, 'forest')).filter((name) => name.includes('damaged'));
  assert.equal(readFileSync(join(folder.dataDir, 'forest', kept), 'utf8'), before);
  damage();
  await folder.succeed(['chat', '-p', 'echo a third']);
  assert.match(await folder.succeed(['doctor']), /^3 conversations with 6 messages and 0 blobs: all is well\.$/mu);
});

/** A line with other words, and the checksum of the store, but not that of the change. */
function forge(line: string): string {
  const body = line.slice('{"crc":"00000000",'.length).replace('hello there', 'hello where');
  return `{"crc":"${crc32(body).toString(16).padStart(8, '0')}",${body}`;
}

test('[DR3] a change that is damaged is broken, with code 1', async (context) => {
  const folder = await talkedIn(context);
  const database = new DatabaseSync(join(folder.dataDir, 'loom.db'));
  const { changes } = database
    .prepare("UPDATE records SET text = replace(text, 'hello there', 'hello where') WHERE text LIKE '%hello there%'")
    .run();
  if (changes === 0) database.exec("UPDATE records SET packed = x'00' WHERE packed IS NOT NULL");
  database.close();
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1);
  assert.match(out, /^broken log /mu);
});

for (const table of ['logs', 'projections', 'parts']) {
  for (const type of ['index', 'table']) {
    if (table === 'logs' && type === 'table') continue;
    test(`[DR9] a damaged ${type} of ${table} in the database is made again, and nothing is missing`, async (context) => {
      const folder = await talkedIn(context);
      const shown = await folder.succeed(['show', 'node-2']);
      const path = join(folder.dataDir, 'loom.db');
      const database = new DatabaseSync(path);
      const { rootpage } =
        database.prepare('SELECT rootpage FROM sqlite_schema WHERE type = ? AND tbl_name = ?').get(type, table) ?? {};
      const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
      database.close();
      const damaged = readFileSync(path).fill(0xa5, (Number(rootpage) - 1) * size, Number(rootpage) * size);
      writeFileSync(path, damaged);
      const { code, out } = await folder.run(['doctor']);
      assert.equal(code, 0, out);
      const [, kept = ''] = /^mended database loom\.db: .* is kept as (.*)$/mu.exec(out) ?? [];
      assert.ok(readFileSync(kept).equals(damaged));
      assert.match(await folder.succeed(['doctor']), /^1 conversation with 2 messages and 0 blobs: all is well\.$/mu);
      assert.equal(await folder.succeed(['show', 'node-2']), shown);
    });
  }
}

test('[DR4] a blob that nothing cites goes after a week, not before', async (context) => {
  const folder = await talkedIn(context);
  const blobs = join(folder.dataDir, 'blobs');
  mkdirSync(blobs, { recursive: true });
  const [young, old] = ['1', '2'].map((digit) => join(blobs, digit.repeat(64)));
  for (const path of [young, old]) writeFileSync(path ?? '', 'x');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(old ?? '', longAgo, longAgo);
  assert.match(await folder.succeed(['doctor']), /Removed 1 blob/u);
  assert.deepEqual(readdirSync(blobs), ['1'.repeat(64)]);
});

for (const store of STORE_KINDS) {
  for (const [what, damage] of Object.entries(damages[store])) {
    test(`[DR10] ${store}: ${what} of a log is set aside, and the rest opens`, async (context) => {
      const folder = await talkedIn(context, store);
      await folder.succeed(['chat', '--continue', '-p', 'echo and again']);
      damage(folder);
      const before = await folder.run(['doctor']);
      assert.equal(before.code, 1);
      assert.match(before.out, /^broken log root-(.|\n)*loom doctor --set-aside/mu);
      const { code, out } = await folder.run(['doctor', '--set-aside']);
      assert.equal(code, 0, out);
      assert.match(out, /^mended log root-.*set aside, kept in quarantine/mu);
      assert.match(await folder.succeed(['tree']), /echo and again/u);
      await folder.succeed(['chat', '--continue', '-p', 'echo to go on']);
      assert.match(await folder.succeed(['doctor']), /^shown quarantine (.|\n)*all is well/mu);
    });
  }
}

test('[DR10] files: a log of which nothing can be read stays broken and as it is, and nothing more is promised', async (context) => {
  const folder = await talkedIn(context, 'files');
  const path = join(folder.nodes, '..', 'log.jsonl');
  rmSync(`${path}.acknowledged`);
  writeFileSync(path, 'no log');
  const { code, out } = await folder.run(['doctor', '--set-aside']);
  assert.equal(code, 1);
  assert.match(out, /^broken log root-(.|\n)*Nothing more can be set aside: nothing of the log can be read/mu);
  assert.doesNotMatch(out, /doctor --set-aside/u);
  assert.equal(readFileSync(path, 'utf8'), 'no log');
});

test('[DR4] blobs that large outputs and texts were put into stay as long as those do', async (context) => {
  const folder = await talkedIn(context);
  const long = 'a line of output\n'.repeat(100_000);
  await answerWith(folder.dataDir, [
    { type: 'text', text: long },
    { type: 'command', command: 'make', stdout: long.slice(0, 100_000), stderr: long.slice(0, 90_000) },
    { type: 'raw', source: 'make', value: { long: long.slice(0, 80_000) } },
  ]);
  const blobs = join(folder.dataDir, 'blobs');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  const names = readdirSync(blobs);
  for (const name of names) utimesSync(join(blobs, name), longAgo, longAgo);
  assert.match(await folder.succeed(['doctor']), /and 4 blobs: all is well/u);
  assert.deepEqual(readdirSync(blobs), names);
});

test('[DR4] no blob goes while a log cannot be read: it may be the one that cites it', async (context) => {
  const folder = await talkedIn(context);
  const blobs = join(folder.dataDir, 'blobs');
  mkdirSync(blobs, { recursive: true });
  const blob = join(blobs, '1'.repeat(64));
  writeFileSync(blob, 'x');
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(blob, longAgo, longAgo);
  const database = new DatabaseSync(join(folder.dataDir, 'loom.db'));
  database.exec(
    "UPDATE records SET text = replace(text, 'hello there', 'hello where'), packed = NULL WHERE text NOTNULL",
  );
  database.exec("UPDATE records SET packed = x'00' WHERE packed NOTNULL");
  database.close();
  const { code, out } = await folder.run(['doctor']);
  assert.equal(code, 1, out);
  assert.match(out, /^broken log /mu);
  assert.deepEqual(readdirSync(blobs), ['1'.repeat(64)]);
});

test('[DR3] [DR8] a database of another program or of a newer Loom is told as that; an emptied one is lost', async (context) => {
  const folder = await talkedIn(context);
  const path = join(folder.dataDir, 'loom.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const newer = await folder.run(['doctor']);
  assert.equal(newer.code, 1);
  assert.match(newer.note, /has format 99[\s\S]*newer version of Loom/u);
  writeFileSync(path, 'this is no database at all, but something that somebody has put here'.repeat(20));
  const foreign = await folder.run(['doctor']);
  assert.equal(foreign.code, 1);
  assert.match(foreign.note, /is not a database of Loom/u);
  writeFileSync(path, '');
  const emptied = await folder.run(['doctor']);
  assert.equal(emptied.code, 1);
  assert.match(
    emptied.out,
    /^broken lost-log root-.* is gone, and change \d+ .* It has 2 messages now[^]*^1 conversation with 2 messages/mu,
  );
});

/** Lets a model say these blocks in the newest conversation of a folder. */
async function answerWith(directory: string, blocks: readonly AssistantBlock[]): Promise<void> {
  const store = await openSqliteStore({ directory });
  const events = (): ProviderEvent[] => [
    ...blocks.map((block): ProviderEvent => ({ type: 'block', message: 'm', role: 'assistant', block })),
    { type: 'call-end', reason: 'stop' },
  ];
  const provider: Provider = {
    id: 'loud',
    async *stream() {
      yield* events();
    },
  };
  const engine = new LoomEngine({
    store,
    clock: { now: Date.now, after: () => () => {} },
    ids: { next: () => randomUUID() },
    hash: { hex: (text) => String(text.length) },
    providers: [provider],
    tools: [],
    holder: 'test',
    exclusive: true,
  });
  const root = (await engine.forest.roots()).at(-1) ?? '';
  const nodes = [...(await engine.forest.log(root).state()).nodes.values()];
  const started = await engine.turns.generate({ agent: 'person', id: randomUUID() }, root, {
    node: nodes.findLast(({ role }) => role === 'user')?.id ?? '',
    provider: 'loud',
    model: 'm',
  });
  assert.ok(started.ok);
  assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'done');
  await engine.close();
  await store.close();
}
