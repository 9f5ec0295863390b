import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCorpus, runs } from '@loom/blocks/testing';
import type { ImportReport, JobHandle } from '@loom/kernel';
import { seededRandom } from '@loom/kernel/testing';
import { formats } from './formats/formats.ts';
import { runImport } from './import-run.ts';
import { Origins } from './origins.ts';
import { createImportWorld, messagesOf } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };

function importInto({ forest, store, newId }: ImportWorld, paths: readonly string[]): Promise<ImportReport> {
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  return runImport({ forest, blobs, newId, origins: new Origins(), formats }, { paths, again: true }, job);
}

/** Returns the files of a folder to test in this run: all in the deep run, else each n-th. */
function sampleOf(folder: string, every: number): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|json|zip)$/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return files.filter((_, index) => index % runs(every, 1) === 0);
}

for (const [name, every] of [
  ['claude-code-sessions', 12],
  ['codex-rollouts', 6],
  ['chat-exports', 6],
  ['other-agent-sessions', 6],
] as const) {
  test(`[IM32] ${name}: all lines are accounted for, and a second import adds nothing, also after 20 edits by people`, async (context) => {
    const corpus = findCorpus(name);
    if (!corpus.found) return context.skip(corpus.reason);
    const world = createImportWorld();
    const paths = sampleOf(corpus.directory, every);
    const first = await importInto(world, paths);
    assert.equal(first.lines_read, first.lines_used + first.lines_raw + first.lines_reported);
    assert.ok(first.roots_added > 0 && first.nodes_added > first.roots_added / 2);
    const edited = await editAtRandom(world, 20);
    assert.equal(edited, 20);
    const before = (await world.states()).map(messagesOf);
    const second = await importInto(world, paths);
    assert.deepEqual([second.roots_added, second.nodes_added, second.blocks_added], [0, 0, 0]);
    assert.deepEqual((await world.states()).map(messagesOf), before);
  });
}

test('[IM33] sessions that were saved again and again while they grew come to the same as their last file alone', async (context) => {
  const corpus = findCorpus('claude-code-sessions');
  if (!corpus.found) return context.skip(corpus.reason);
  const folder = join(corpus.directory, 'growth-series');
  let compared = 0;
  for (const series of readdirSync(folder)) {
    const files = growthIn(join(folder, series));
    const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
    if (files.length < 2 || size > runs(1_000_000, Infinity)) continue;
    const grown = createImportWorld();
    for (const file of files) await importInto(grown, [file]);
    const whole = createImportWorld();
    await importInto(whole, files.slice(-1));
    assert.deepEqual((await grown.states()).map(messagesOf), (await whole.states()).map(messagesOf), series);
    compared += 1;
  }
  assert.ok(compared > 0);
});

/**
 * Returns the files of a series up to the first that does not extend the one before. One series does not grow: its files are pieces of a session that
 * share no line, and the last alone lacks the others' content. IM36 tests how pieces join.
 */
function growthIn(folder: string): string[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map((file) => join(folder, file));
  const texts = files.map((file) => readFileSync(file));
  const end = texts.findIndex(
    (text, index) => !text.subarray(0, texts[index - 1]?.length ?? 0).equals(texts[index - 1] ?? Buffer.alloc(0)),
  );
  return end === -1 ? files : files.slice(0, end);
}

/** Edits texts, deletes messages and retitles conversations as a user would. Returns the number of edits. */
async function editAtRandom({ forest, newId }: ImportWorld, count: number): Promise<number> {
  const random = seededRandom(7);
  const roots = await forest.roots();
  let done = 0;
  for (let attempt = 0; done < count && attempt < count * 50; attempt += 1) {
    const root = roots[Math.floor(random() * roots.length)] ?? '';
    const nodes = [...(await forest.log(root).state()).nodes.values()].filter(({ deleted }) => deleted !== true);
    const node = nodes[Math.floor(random() * nodes.length)];
    const text = node?.blocks.find(({ type }) => type === 'text');
    const request = { agent: 'person', id: newId() };
    const kind = attempt % 3;
    if (kind === 0) done += Number((await forest.markRoot(request, root, { title: 'Mine' })).ok);
    else if (node === undefined) continue;
    else if (kind === 1) done += Number((await forest.remove(request, root, { node: node.id, children: 'remove' })).ok);
    else if (text?.block_id !== undefined)
      done += Number((await forest.editBlock(request, root, { block: text.block_id, text: `Mine ${attempt}` })).ok);
  }
  return done;
}
