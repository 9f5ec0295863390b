import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { nodeDisk } from '@loom/data-folder/files';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { forestCodec } from '@loom/kernel/logs';
import { temporaryDirectory } from '@loom/kernel/testing';
import { accessOperations } from '../../../serve/access-operations.ts';
import { z } from 'zod';
import { openWriter, withWriter } from '../../../runtime/opened-folder.ts';
import { openDoor } from '../../../serve/door.ts';
import { openTokensOnce } from '../../../serve/token-file.ts';
import { runInside } from '../../../testing/fake-terminal.ts';
import { clientOf, valueOf } from '../../../serve/testing/served.ts';

interface Damaged {
  dataDir: string;
  /** The conversation whose log has lost something. */
  root: string;
}

/** A folder with a conversation that stands in the database alone, or in files; `spoil` damages a copy that a killed process has left. */
async function leave(
  t: TestContext,
  store: StoreKind,
  spoil: (folder: string, root: string) => void,
): Promise<Damaged> {
  const folder = join(temporaryDirectory(t), 'data');
  const copy = `${folder}-left`;
  await runInside(['--data-dir', folder, '--store', store, 'chat', '-p', 'echo an older one']);
  const root = await withWriter({ dataDir: folder, files: store === 'files' }, async (loom) => {
    const created = await loom.call('root.create', {});
    assert.ok(created.ok);
    const messages = [{ role: 'user' as const, content: 'only in the log' }];
    assert.ok((await loom.call('node.append', { parent: created.value.root, messages })).ok);
    // Waits until the files are written.
    await loom.quarantined();
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.includes('loom.lock') });
    return created.value.root;
  });
  spoil(copy, root);
  return { dataDir: copy, root };
}

const damages: Record<string, (t: TestContext) => Promise<Damaged>> = {
  'a write-ahead log that is gone': (t) =>
    leave(t, 'sqlite', (folder) => {
      for (const name of ['loom.db-wal', 'loom.db-shm']) rmSync(join(folder, name), { force: true });
    }),
  'a database that is gone': (t) =>
    leave(t, 'sqlite', (folder) => {
      for (const name of ['loom.db', 'loom.db-wal', 'loom.db-shm']) rmSync(join(folder, name), { force: true });
    }),
  'a log file that is gone': (t) => leave(t, 'files', (folder, root) => rmSync(join(folder, root, 'log.jsonl'))),
};

const health = z.object({ value: z.object({ lost_logs: z.int(), up: z.boolean() }) });

/** Serves a folder as `loom serve --json` does, and tells what each door says of losses. */
async function serveAndLook(dataDir: string, acknowledge = false) {
  const notes: string[] = [];
  const openTokens = openTokensOnce(nodeDisk, dataDir);
  const note = (text: string): void => void notes.push(text);
  const opened = await openWriter({ dataDir, operations: accessOperations(openTokens), note });
  try {
    const door = await openDoor({
      opened,
      tokens: await openTokens(),
      onFailure: (error) => assert.fail(String(error)),
    });
    const client = clientOf(door.url, door.place.token);
    const { lost = [] } = valueOf(await client.call('root.list', {}));
    const asked = await fetch(`${door.url}/api/v1/health`, {
      headers: { authorization: `Bearer ${door.place.token}` },
    });
    const { lost_logs: counted } = health.parse(await asked.json()).value;
    const told = { list: lost.map(({ root }) => root), health: counted, note: notes.join('') };
    if (acknowledge) valueOf(await client.call('data.acknowledge_losses', {}));
    const after = valueOf(await client.call('root.list', {})).lost ?? [];
    await door.close();
    return { ...told, after: after.length };
  } finally {
    await opened.close();
  }
}

/** Returns the doors that say nothing of a loss. */
async function silentDoors(dataDir: string, root: string): Promise<string[]> {
  const { list, health: counted, note } = await serveAndLook(dataDir);
  const run = (...args: string[]) => runInside(['--data-dir', dataDir, ...args]);
  const listed = await run('ls');
  const said: Record<string, boolean> = {
    'root.list': list.includes(root),
    health: counted > 0,
    opening: new RegExp(`log of ${root} (?:is gone|was lost)`, 'u').test(note),
    ls: new RegExp(`log of ${root} `, 'u').test(listed.note),
    'ls --json': new RegExp(`"id":"${root}".*"lost_change":\\d+`, 'u').test((await run('ls', '--json')).out),
  };
  return Object.keys(said).filter((door) => said[door] === false);
}

test('[FC46] the doors find a planted fault: a Loom that forgets a loss once it was told', async (t) => {
  const { dataDir, root } = await (damages['a write-ahead log that is gone'] ?? assert.fail())(t);
  assert.deepEqual(await silentDoors(dataDir, root), []);
  // As if the notes about it were written for the first reader alone.
  await withWriter({ dataDir, files: false, note: () => {} }, async (loom) => {
    valueOf(await loom.call('data.acknowledge_losses', {}));
  });
  assert.deepEqual(await silentDoors(dataDir, root), ['root.list', 'health', 'opening', 'ls', 'ls --json']);
});

for (const [damage, make] of Object.entries(damages)) {
  test(`[FC46] ${damage} is told at every door until a person has acknowledged it`, async (t) => {
    const { dataDir, root } = await make(t);
    const run = (...args: string[]) => runInside(['--data-dir', dataDir, ...args]);
    // The first reader finds the loss; those after it must not be silent because of that.
    for (const round of ['first', 'second', 'third']) assert.deepEqual(await silentDoors(dataDir, root), [], round);
    const doctor = await run('doctor');
    assert.deepEqual([doctor.code, /^broken lost-log /mu.test(doctor.out)], [1, true]);
    const { after } = await serveAndLook(dataDir, true);
    assert.equal(after, 0, 'an owner says that they know');
    const { list, health: counted, note } = await serveAndLook(dataDir);
    assert.deepEqual([list, counted, note], [[], 0, '']);
    assert.doesNotMatch((await run('ls')).note, /lost|gone/u);
    assert.match((await run('doctor')).out, /all is well/u);
  });
}

test('[FC58] who acknowledged a loss, and when, stands in the list of conversations, and ends the reminders where the marks of the loss are still there', async (t) => {
  // Its log is not made again from files, so that the store finds the loss anew with each opening.
  const { dataDir, root } = await leave(t, 'files', (folder, lost) => {
    rmSync(join(folder, lost, 'log.jsonl'));
    for (const name of ['nodes', 'root.json']) rmSync(join(folder, lost, name), { recursive: true });
    rmSync(join(folder, 'roots.json'));
  });
  const look = () =>
    withWriter({ dataDir, files: false, note: () => {} }, async (loom) => {
      await loom.peek(root);
      return (valueOf(await loom.call('root.list', {})).lost ?? []).map((lost) => lost.root);
    });
  assert.deepEqual([await look(), await look()], [[root], [root]], 'it is told until it is acknowledged');
  await withWriter({ dataDir, files: false, note: () => {} }, async (loom) => {
    await loom.peek(root);
    assert.deepEqual(valueOf(await loom.call('data.acknowledge_losses', {}, 'ada')), { acknowledged: 1 });
    const { records = [] } = (await loom.store.read('forest', 0)) ?? {};
    const noted = records.flatMap(({ text }) => forestCodec.decode(text)).filter(({ agent }) => agent === 'ada');
    assert.deepEqual(
      noted.map(({ ops }) => ops.map(({ type, ...op }) => [type, 'log' in op && op.log, 'seq' in op && op.seq])),
      [[['loss-acknowledged', root, 2]]],
    );
  });
  assert.deepEqual(await look(), []);
  const { note } = await runInside(['--data-dir', dataDir, 'ls']);
  assert.doesNotMatch(note, /had been acknowledged/u);
});

test('[FC46] [DR6] doctor --acknowledge ends the reminders, and keeps what it was about', async (t) => {
  for (const make of Object.values(damages)) {
    const { dataDir, root } = await make(t);
    const run = (...args: string[]) => runInside(['--data-dir', dataDir, ...args]);
    const { code, out } = await run('doctor', '--acknowledge');
    assert.equal(code, 0, out);
    assert.match(out, new RegExp(`^shown lost-log ${root}`, 'mu'), 'it is named once more');
    assert.match((await run('doctor')).out, /all is well/u);
    assert.doesNotMatch((await run('ls')).note, /lost|gone/u);
  }
});

test('[SV74] [FC46] what is lost stands in the log of a server, with each start', async (t) => {
  const { dataDir, root } = await (damages['a write-ahead log that is gone'] ?? assert.fail())(t);
  const { startServe } = await import('../../../serve/testing/serve-process.ts');
  const server = await startServe(t, dataDir, '--port', '0');
  assert.equal(await server.end('SIGTERM'), 0);
  const lines = readFileSync(join(dataDir, 'loom.log'), 'utf8').trim().split('\n');
  const events = lines.map((line) => z.looseObject({ event: z.string() }).parse(JSON.parse(line)));
  assert.ok(events.some((entry) => entry.event === 'lost-log' && entry['log'] === root));
});
