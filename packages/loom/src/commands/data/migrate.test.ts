import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder, wordsOf } from '../../testing/forest-folder.ts';

const node = (name: string, parent: string, children: string[], role: string, content: unknown): unknown => ({
  id: `root-1/${name}`,
  root_id: 'root-1',
  parent_id: parent,
  child_ids: children.map((child) => `root-1/${child}`),
  message: { role, content },
  metadata: {
    timestamp: '2025-07-01T00:00:00.000Z',
    original_root_id: 'root-1',
    source_info: role === 'user' ? { type: 'user' } : { type: 'model', parameters: { model: 'gpt' } },
  },
});

/** The folder of a Loom of 2025. */
function olderFolder(context: TestContext, store?: StoreKind): ForestFolder {
  const folder = new ForestFolder(context, store);
  const files: Record<string, string> = {
    'roots.json': JSON.stringify([
      {
        id: 'root-1',
        createdAt: '2025-07-01T00:00:00.000Z',
        config: { systemPrompt: 'Hi' },
        child_ids: ['root-1/node-1'],
      },
    ]),
    'config.toml': '[[bookmarks]]\ntitle = "the answer"\nnodeId = "root-1/node-2"\nrootId = "root-1"\n',
    'root-1/nodes/node-1.json': JSON.stringify(node('node-1', 'root-1', ['node-2'], 'user', 'What is it?')),
    'root-1/nodes/node-2.json': JSON.stringify(node('node-2', 'root-1/node-1', [], 'assistant', 'It is Loom.')),
    'root-1/nodes/node-7.json': '{ torn',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.dataDir, path)), { recursive: true });
    writeFileSync(join(folder.dataDir, path), text);
  }
  return folder;
}

/** Returns all files but those of the store. */
const contents = (directory: string): Map<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^(?:loom\.|log\.jsonl|projection-)/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(directory.length + 1), readFileSync(file, 'utf8')]),
  );

const report = z.looseObject({
  dry_run: z.boolean(),
  nodes: z.int(),
  written: z.array(z.string()),
  backup: z.string().optional(),
  unreadable: z.array(z.looseObject({ code: z.string() })),
});

test('[NA24] the folder of an older Loom is shown, and looking writes nothing', async (context) => {
  const folder = olderFolder(context);
  const before = contents(folder.dataDir);
  assert.match(await folder.succeed(['ls']), /^root-1 {2}What is it\? .* 2 nodes/);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-2'])), ['user: What is it?', 'assistant: It is Loom.']);
  assert.match(await folder.succeed(['bookmark']), /the answer/);
  assert.match(await folder.succeed(['search', 'Loom']), /It is Loom/);
  assert.deepEqual(readdirSync(folder.dataDir).toSorted(), ['config.toml', 'root-1', 'roots.json']);
  assert.deepEqual(contents(folder.dataDir), before);
});

for (const store of STORE_KINDS) {
  test(`[NA24] ${store}: opening an older folder to write adds the logs and the lock, and changes nothing else`, async (context) => {
    const folder = olderFolder(context, store);
    const before = contents(folder.dataDir);
    assert.equal((await folder.run(['rm', 'node-99'])).code, 1);
    assert.deepEqual(contents(folder.dataDir), before);
    const added = readdirSync(folder.dataDir).filter((name) => !['config.toml', 'root-1', 'roots.json'].includes(name));
    assert.ok(
      added.length > 0 &&
        added.every((name) => /^(?:loom\.(?:db|lock)|forest$|leases\.json|client-ids\.json)/.test(name)),
      added.join(' '),
    );
    // From now on there is a log; readers see the same.
    assert.match(await folder.succeed(['ls']), /^root-1 {2}What is it\? .* 2 nodes/);
    const { node: reply } = await folder.say('echo on', '--node', 'root-1/node-2');
    assert.match(reply, /^root-1\/node-\d+$/);
    assert.equal(readFileSync(join(folder.dataDir, 'root-1/nodes/node-7.json'), 'utf8'), '{ torn');
  });
}

test('[NA25] a dry run tells what would be done and changes nothing', async (context) => {
  const folder = olderFolder(context);
  const before = contents(folder.dataDir);
  const { code, out, note } = await folder.run(['migrate', '--dry-run']);
  assert.equal(code, 0);
  assert.match(
    out,
    /^Would write \d files for \d messages in 1 conversation, after a copy .*\.backup-.*Nothing was changed\.\n$/,
  );
  assert.match(note, /node-7\.json: is not JSON .* It stays as it is\./);
  assert.deepEqual(contents(folder.dataDir), before);
  assert.deepEqual(readdirSync(folder.dataDir).toSorted(), ['config.toml', 'root-1', 'roots.json']);
  assert.deepEqual(readdirSync(dirname(folder.dataDir)), ['data']);
});

for (const store of STORE_KINDS) {
  test(`[NA25] ${store}: migrate writes the current format, keeps a copy, and finds nothing to do afterwards`, async (context) => {
    const folder = olderFolder(context, store);
    const before = contents(folder.dataDir);
    const copy = join(dirname(folder.dataDir), 'copy');
    const out = await folder.succeed(['migrate', '--backup', copy]);
    assert.match(out, /^Wrote \d files .*; verified\.\nWhat was there before is in .*copy\./);
    assert.deepEqual(contents(copy), before);
    assert.match(readFileSync(join(folder.dataDir, 'root-1/nodes/node-1.json'), 'utf8'), /"format": 2/);
    assert.equal(readFileSync(join(folder.dataDir, 'root-1/nodes/node-7.json'), 'utf8'), '{ torn');
    assert.match(await folder.succeed(['migrate']), /^Nothing to do: /);
    const again = report.parse(JSON.parse(await folder.succeed(['migrate', '--json'])));
    assert.deepEqual([again.dry_run, again.written, again.backup], [false, [], undefined]);
    assert.deepEqual(
      again.unreadable.map(({ code }) => code),
      ['node-json-invalid'],
    );
    assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-2'])), ['user: What is it?', 'assistant: It is Loom.']);
  });
}

test('[NA25] what cannot be migrated is refused with the files, and nothing is changed', async (context) => {
  const folder = olderFolder(context);
  writeFileSync(join(folder.dataDir, 'root-1/nodes/node-8.json'), '{"metadata":{"format":99}}');
  const before = contents(folder.dataDir);
  const { code, out } = await folder.run(['migrate', '--json']);
  assert.equal(code, 1);
  assert.match(out, /format-newer.*node-8\.json/);
  assert.deepEqual(contents(folder.dataDir), before);
});

test('[NA26] a migration that was killed while it replaced files is completed by the next writer', async (context) => {
  const folder = olderFolder(context);
  const whole = olderFolder(context);
  cpSync(folder.dataDir, whole.dataDir, { recursive: true });
  await whole.succeed(['migrate']);
  const path = 'root-1/nodes/node-1.json';
  const staging = `${folder.dataDir}.migration`;
  mkdirSync(dirname(join(staging, path)), { recursive: true });
  cpSync(join(whole.dataDir, path), join(staging, path));
  const hashOf = (name: string): string => createHash('sha256').update(readFileSync(name)).digest('hex');
  const file = {
    path,
    before: hashOf(join(folder.dataDir, path)),
    after: hashOf(join(staging, path)),
  };
  const journal = { format: 1, phase: 'swap', backup: `${folder.dataDir}.copy`, staging, files: [file] };
  writeFileSync(join(folder.dataDir, 'loom.migration.json'), JSON.stringify(journal));
  assert.match((await folder.run(['rm', 'node-99'])).note, /there is no node/);
  assert.match(readFileSync(join(folder.dataDir, path), 'utf8'), /"format": 2/);
  assert.deepEqual(readdirSync(dirname(folder.dataDir)), ['data']);
  assert.match(await folder.succeed(['ls']), /^root-1 {2}What is it\? .* 2 nodes/);
});

test('[NA25] a folder in the current format has nothing to migrate, and --dry-run says so', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal((await folder.run(['migrate', '--dry-run'])).code, 1, 'a folder that is not there');
  await folder.succeed(['demo']);
  for (const args of [['migrate', '--dry-run'], ['migrate']]) {
    assert.match(await folder.succeed(args), /^Nothing to do: the files of \d+ messages in 3 conversations are /);
  }
});

test('[NA30] a folder that is a link to another disk is migrated, and chats go on there', async (context) => {
  const folder = olderFolder(context);
  const disk = '/dev/shm';
  const isOther = existsSync(disk) && statSync(disk).dev !== statSync(folder.dataDir).dev;
  if (!isOther) return context.skip(`needs ${disk} to be another disk than that for temporary files`);
  const place = mkdtempSync(join(disk, 'loom-test-'));
  context.after(() => rmSync(place, { recursive: true, force: true }));
  cpSync(folder.dataDir, place, { recursive: true });
  rmSync(folder.dataDir, { recursive: true });
  symlinkSync(place, folder.dataDir);
  assert.match(await folder.succeed(['migrate']), /^Wrote 3 files for 2 messages in 1 conversation; verified/u);
  assert.match(readFileSync(join(place, 'root-1/nodes/node-2.json'), 'utf8'), /"format": 2/u);
  assert.deepEqual(
    readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tmp$|migration/u.test(name)),
    [],
  );
  await folder.say('echo more', '--continue');
});
