import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder } from '../../testing/forest-folder.ts';

/**
 * Two folders as the last Loom before the format step left them, killed in mid-answer, and the nodes that it printed of them: branches, an edit, a
 * bookmark, calls with results, an answer that was cut off.
 */
const folder = z.strictObject({
  files: z.record(z.string(), z.base64()),
  nodes: z.array(z.looseObject({ id: z.string() })),
});
const older = z
  .strictObject({ sqlite: folder, files: folder })
  .parse(JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'older-folders.json.gz'))).toString()));

function unpack({ dataDir }: ForestFolder, kind: StoreKind): void {
  for (const [name, bytes] of Object.entries(older[kind].files)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), Buffer.from(bytes, 'base64'));
  }
}

/** The conversation whose last answer was cut off: opening it writes that down. */
function rootOfCut(kind: StoreKind): string {
  const cut = older[kind].nodes.find((node) => JSON.stringify(node).includes('"code":"interrupted"'));
  return cut?.id.split('/')[0] ?? assert.fail('there is none');
}

/** Returns the contents of the logs and of the files of messages, byte for byte. */
function photograph(dataDir: string, kind: StoreKind): Map<string, string> {
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /(?:log\.jsonl|\.json)$/u.test(name) && name.startsWith('root-') && statSync(join(dataDir, name)).isFile(),
  );
  const found = new Map(names.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]));
  if (kind === 'files') return found;
  const database = new DatabaseSync(join(dataDir, 'loom.db'));
  const records = database.prepare('SELECT id, text, first, hex(packed) AS packed FROM records ORDER BY id').all();
  found.set('records', records.map((row) => JSON.stringify(row)).join('\n'));
  found.set('format', JSON.stringify(database.prepare('PRAGMA user_version').get()));
  database.close();
  return found;
}

for (const kind of STORE_KINDS) {
  test(`[FC47] ${kind}: a folder of an older Loom is read as that one read it, and what it holds stays byte for byte`, async (context) => {
    const forest = new ForestFolder(context, kind);
    unpack(forest, kind);
    const before = photograph(forest.dataDir, kind);
    const nodes = await forest.nodes(['tree']);
    assert.deepEqual(nodes, older[kind].nodes);
    await forest.succeed(['ls']);
    await forest.succeed(['search', 'weaver']);
    const after = photograph(forest.dataDir, kind);
    const cut = rootOfCut(kind);
    for (const [name, bytes] of before) {
      const now = after.get(name) ?? '';
      if (name.startsWith(cut) && name.endsWith('.json')) continue;
      // Only the end of the interrupted answer is added.
      if (name === 'records' || name.startsWith(cut)) assert.ok(isAddedTo(bytes, now), name);
      else assert.equal(now, bytes, name);
    }
  });

  test(`[FC47] ${kind}: such a folder goes on in the new Loom, and is marked with the first change that the older cannot read`, async (context) => {
    const forest = new ForestFolder(context, kind);
    unpack(forest, kind);
    const root = older[kind].nodes[0]?.id.split('/')[0] ?? '';
    await forest.say('echo old words', '--node', root);
    const old = photograph(forest.dataDir, kind);
    await forest.succeed(['call', 'root.mark', JSON.stringify({ root, archived: true })]);
    const marked = photograph(forest.dataDir, kind);
    const name = kind === 'files' ? `${root}/log.jsonl` : 'format';
    const [was, is] = [old.get(name)?.split('\n')[0], marked.get(name)?.split('\n')[0]];
    assert.notEqual(is, was, 'the mark is at the beginning');
    assert.match(await forest.succeed(['ls', '--archived']), new RegExp(root));
  });
}

/** Returns true if every line is still there, in its order. */
function isAddedTo(before: string, after: string): boolean {
  const lines = after.split('\n');
  let at = 0;
  return before.split('\n').every((line) => {
    at = lines.indexOf(line, at) + 1;
    return at > 0;
  });
}
