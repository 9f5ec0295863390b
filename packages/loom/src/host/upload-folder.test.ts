import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { LoomEngine } from '@loom/kernel';
import type { Caller } from '@loom/kernel';
import { createModels } from '../models/models.ts';
import { wire } from '../runtime/opened-folder.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { hostOperations } from './host-operations.ts';
import { uploadFolder } from './upload-folder.ts';

async function* parts(...texts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield new TextEncoder().encode(text);
  }
}

function filesIn(dataDir: string): string[] {
  const folder = join(dataDir, 'uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('[SV81] nothing is left of half a file, nor of an earlier process', async (t) => {
  const dataDir = temporaryDirectory(t);
  const uploads = uploadFolder(dataDir);
  await assert.rejects(uploads.receive(parts('half', new Error('cut'))), /cut/u);
  assert.deepEqual(filesIn(dataDir), []);
  assert.equal((await uploads.receive(parts('a', 'bc'))).bytes, 3);
  assert.equal(filesIn(dataDir).length, 1);
  await uploads.clear();
  assert.deepEqual(filesIn(dataDir), []);
});

test('[SV81] a folder that cannot be made is told as what the system says of it', async (t) => {
  const dataDir = temporaryDirectory(t);
  writeFileSync(join(dataDir, 'uploads'), 'a file in its place');
  await assert.rejects(uploadFolder(dataDir).receive(parts('a')), { syscall: 'mkdir' });
});

test('[IM27] of a name only the ending counts, and ids are not paths', async (t) => {
  const uploads = uploadFolder(temporaryDirectory(t));
  const { upload } = await uploads.receive(parts('abc'));
  for (const wrong of ['..', '../..', upload.slice(1), `${upload}/..`, ''])
    assert.equal(await uploads.take(wrong, 'a.json'), undefined, wrong);
  const file = (await uploads.take(upload, '../../../evil/Chats.JSONL')) ?? assert.fail();
  assert.deepEqual([basename(file.path), file.name, file.bytes], ['upload.jsonl', 'Chats.JSONL', 3]);
  assert.equal(readFileSync(file.path, 'utf8'), 'abc');
  assert.equal(await uploads.take(upload, 'a.json'), undefined, 'it is taken once');
});

/** Imports an uploaded file and returns the result. */
async function importUpload(t: TestContext, text: string, name: string) {
  const dataDir = temporaryDirectory(t);
  const models = createModels({ dataDir, env: {}, clock: systemClock });
  const engine = new LoomEngine({
    ...wire({ models, operations: hostOperations(models) }),
    store: createMemoryStore({ now: Date.now }),
  });
  t.after(() => engine.close());
  const caller: Caller = { agent: 'person', type: 'person', role: 'owner', door: 'http', id: 'one' };
  const { upload } = await uploadFolder(dataDir).receive(parts(text));
  const begun = await engine.call('import.start', caller, { uploads: [{ upload, name }] });
  if (!begun.ok) return assert.fail(JSON.stringify(begun.refusal));
  const { job } = begun.value;
  while (engine.jobs.get(job)?.facts.state === 'running') await new Promise(setImmediate);
  const again = await engine.call('import.start', { ...caller, id: 'three' }, { uploads: [{ upload, name }] });
  return { dataDir, engine, result: engine.jobs.get(job)?.result, again };
}

test('[IM27] a file that was sent here is imported by its name, and is gone afterwards', async (t) => {
  const line = {
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'good day' },
    ],
  };
  const { dataDir, engine, result, again } = await importUpload(t, `${JSON.stringify(line)}\n`, 'chats.jsonl');
  assert.partialDeepStrictEqual(result, { files: 1, roots_added: 1, nodes_added: 2, warnings: [] });
  const [root] = await engine.forest.listRoots({ deleted: false });
  assert.partialDeepStrictEqual(root?.config, {
    origin: { source: 'openai-messages' },
    imported: { files: { 'chats.jsonl': {} } },
  });
  assert.deepEqual(filesIn(dataDir), []);
  assert.ok(!again.ok && JSON.stringify(again.refusal).includes('no such upload'));
});

test('[IM27] what is no history is told by its name', async (t) => {
  const { dataDir, result } = await importUpload(t, 'dear diary', 'diary.zip');
  assert.partialDeepStrictEqual(result, {
    files: 0,
    files_unknown: 1,
    warnings: ['diary.zip: not a history that Loom can read; left alone'],
  });
  assert.deepEqual(filesIn(dataDir), []);
});
