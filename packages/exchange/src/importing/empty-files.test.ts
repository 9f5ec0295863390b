import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { EmptyFileRecord, EmptyFiles } from './empty-files.ts';

test('[IM45] the record of empty files holds for the same readers, and forgets files that are gone', async (context) => {
  const path = join(temporaryDirectory(context), 'a.jsonl');
  writeFileSync(path, '{}\n');
  const file = { path, bytes: 3, modified: 7 };
  let kept: unknown;
  const store = {
    read: () => Promise.resolve(kept),
    write(value: unknown) {
      kept = JSON.parse(JSON.stringify(value));
      return Promise.resolve();
    },
  };
  const laterRun = async (readers: string): Promise<EmptyFiles> => {
    const empty = new EmptyFiles();
    await new EmptyFileRecord(empty, store, readers).load();
    return empty;
  };
  const first = await laterRun('a lines');
  const gone = { ...file, path: `${path}.gone` };
  first.add(file);
  first.add(gone);
  first.add({ ...file, path: `${path}.upload`, name: 'export.jsonl' });
  await new EmptyFileRecord(first, store, 'a lines').save();
  const second = await laterRun('a lines');
  assert.deepEqual([...second.entries()], [[path, { bytes: 3, modified: 7 }]]);
  assert.equal(second.has(file), true);
  assert.equal(second.has({ ...file, modified: 8 }), false);
  assert.equal((await laterRun('a lines, b document')).has(file), false, 'another reader may find something in it');
  kept = 'not a record';
  assert.equal((await laterRun('a lines')).has(file), false);
});
