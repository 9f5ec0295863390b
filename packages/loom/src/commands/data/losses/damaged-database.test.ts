import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { runs, seedOfRun } from '@loom/blocks/testing/corpus';
import { withWriter } from '../../../runtime/opened-folder.ts';
import type { OpenedFolder } from '../../../runtime/opened-folder.ts';
import { Random } from '@loom/kernel/testing';
import { runInside } from '../../../testing/fake-terminal.ts';
import { ForestFolder } from '../../../testing/forest-folder.ts';

test('[KS9] whatever is flipped, cut off, emptied or deleted of loom.db and its companions: the data is there, or what is missing is told', async (context) => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const templates = await leaveBehind(context);
  const tally = { right: 0, told: 0, refused: 0 };
  for (let round = 1; round <= runs(100, 1000); round += 1) {
    const template = pick(random, templates);
    const dataDir = join(dirname(template.folder), 'damaged');
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(template.folder, dataDir, { recursive: true });
    const damage = damageOne(random, dataDir, round);
    const where = `seed ${seed}, round ${round}, ${damage}`;
    const run = (...args: string[]): ReturnType<typeof runInside> => runInside(['--data-dir', dataDir, ...args]);
    const [ls, tree] = [await run('ls'), await run('tree', '--json')];
    const missing = [...template.said].filter(([text]) => !tree.out.includes(text));
    if (ls.code !== 0) {
      assert.match(ls.note, /loom\.db[^]*node files/u, where);
      assert.equal(tree.code, 1, where);
      tally.refused += 1;
      continue;
    }
    for (const [text, root] of missing)
      assert.ok(ls.note.includes(root), `${where}: nothing tells that ${text} is gone`);
    tally[missing.length > 0 ? 'told' : 'right'] += 1;
    if (round % 7 !== 0) continue;
    const doctor = await run('doctor');
    if (missing.length > 0 || /is gone|ends at change/u.test(ls.note)) assert.equal(doctor.code, 1, where);
  }
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.right > 5 && tally.told > 5 && tally.refused > 0, JSON.stringify(tally));
});

test('[KS9] [FC31] conversations that a damaged write-ahead log has lost are listed by their files, and what is lost is told until a person says that it does not matter', async (context) => {
  const [{ folder: dataDir, said } = assert.fail()] = await leaveBehind(context);
  truncateSync(join(dataDir, 'loom.db-wal'), 0);
  const run = (...args: string[]): ReturnType<typeof runInside> => runInside(['--data-dir', dataDir, ...args]);
  const [, first = '', second = ''] = new Set(said.values());
  for (const command of ['ls', 'tree']) {
    // The first command takes in the contents of the files, and the next one finds less that is lost.
    const copy = `${dataDir}-${command}`;
    cpSync(dataDir, copy, { recursive: true });
    const { out, note } = await runInside(['--data-dir', copy, command]);
    assert.match(out, new RegExp(second, 'u'));
    assert.match(note, new RegExp(`The log of ${first} ends at change \\d+, and change \\d+ of it`, 'u'));
    assert.match(note, new RegExp(`The log of ${second} is gone, and change \\d+ of it`, 'u'));
  }
  for (const round of ['first', 'second']) {
    const { code, out } = await run('doctor');
    assert.equal(code, 1, round);
    assert.match(
      out,
      new RegExp(
        `^broken lost-log ${first}: (?:its log ended at|a part of its log was lost,) .* It has 4 messages now`,
        'mu',
      ),
    );
    assert.match(out, new RegExp(`^broken lost-log ${second}: .*loom\\.db.* It has 1 message now`, 'mu'));
  }
  // The contents of node files are in the log again, and readers go on saying that the rest is lost.
  assert.match((await run('ls')).note, new RegExp(`A part of the log of ${first} was lost`, 'u'));
  assert.match((await run('tree', '--json')).out, /flushed message/u);
  for (const name of readdirSync(dataDir)) if (name.startsWith('loom.db.lost-')) rmSync(join(dataDir, name));
  assert.match((await run('doctor')).out, /all is well/u);
  assert.deepEqual((await run('ls')).note, '');
});

test('[KS9] a database that is deleted or emptied is told of by commands that read, which make no file, and by commands that write', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo the first needle');
  const path = join(folder.dataDir, 'loom.db');
  for (const isEmptied of [true, false]) {
    if (isEmptied) writeFileSync(path, '');
    else rmSync(path);
    const before = readdirSync(folder.dataDir).toSorted();
    for (const args of [['ls'], ['tree'], ['show', root]]) {
      const { out, note } = await folder.run(args);
      assert.match(out, /needle/u);
      assert.match(note, new RegExp(`The log of ${root} is gone, and change \\d+ .*put an undamaged loom\\.db`, 'u'));
    }
    assert.deepEqual(readdirSync(folder.dataDir).toSorted(), before);
    assert.equal(existsSync(path) && readFileSync(path).length > 0, false);
    await folder.succeed(['chat', '--continue', '-p', 'echo more']);
    assert.match((await folder.run(['doctor'])).out, new RegExp(`^broken lost-log ${root}`, 'mu'));
    assert.match(await folder.succeed(['show', root]), /the first needle[^]*more/u);
  }
});

/** A folder as a killed process leaves it, and the messages that had been acknowledged, with their conversations. */
interface Template {
  folder: string;
  said: ReadonlyMap<string, string>;
}

/** Two folders whose write-ahead logs hold what `loom.db` does not: one with all node files, one without those of the last message. */
async function leaveBehind(context: TestContext): Promise<Template[]> {
  const folder = new ForestFolder(context);
  const said = new Map<string, string>();
  for (const text of ['checkpointed one', 'checkpointed two']) said.set(text, (await folder.say(`echo ${text}`)).root);
  const [first = '', second = ''] = said.values();
  const templates: Template[] = [];
  const leave = (name: string): void => {
    const copy = join(dirname(folder.dataDir), name);
    cpSync(folder.dataDir, copy, { recursive: true, filter: (path) => !path.includes('loom.lock') });
    templates.push({ folder: copy, said: new Map(said) });
  };
  await withWriter({ dataDir: folder.dataDir }, async (loom) => {
    for (const root of [first, second]) await loom.open(root);
    await append(loom, second, 'first flushed message');
    await append(loom, second, 'second flushed message');
    const created = await loom.call('root.create', {});
    assert.ok(created.ok);
    await append(loom, created.value.root, 'third flushed message');
    for (const text of ['first', 'second']) said.set(`${text} flushed message`, second);
    said.set('third flushed message', created.value.root);
    // Waits until the files are written.
    await loom.quarantined();
    leave('flushed');
    await append(loom, first, 'unflushed message');
    said.set('unflushed message', first);
    leave('unflushed');
  });
  return templates;
}

async function append({ call }: OpenedFolder, root: string, text: string): Promise<void> {
  assert.ok((await call('node.append', { parent: root, messages: [{ role: 'user', content: text }] })).ok);
}

/** Damages one of the files of a database, each in each way in its turn, and says how. */
function damageOne(random: Random, dataDir: string, round: number): string {
  const name = ['loom.db', 'loom.db-wal', 'loom.db-shm'][round % 3] ?? '';
  const path = join(dataDir, name);
  const bytes = readFileSync(path);
  // Now and then in the first words of the file, by which it is known: few of the other places make it unreadable as a whole.
  const at = random.below(round % 12 === 0 ? 16 : bytes.length);
  const kind = (['flip', 'cut', 'empty', 'delete'] as const)[round % 4] ?? 'flip';
  switch (kind) {
    case 'flip':
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
      writeFileSync(path, bytes);
      break;
    case 'cut':
      truncateSync(path, at);
      break;
    case 'empty':
      truncateSync(path, 0);
      break;
    case 'delete':
      rmSync(path);
      break;
  }
  return `${kind} ${name} at ${at} of ${bytes.length}`;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] ?? assert.fail();
}
