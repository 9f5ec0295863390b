import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findCorpus } from '@loom/blocks/testing';
import type { PlainObject } from '@loom/blocks';
import type { JobHandle } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { answer, call, line, result, said, text } from '../claude-code/testing/transcript.ts';
import { claudeCodeFormat } from './formats/claude-code-format.ts';
import { runImport } from './import-run.ts';
import { Origins } from './origins.ts';
import { createImportWorld, messagesOf } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };

async function importInto({ forest, store, newId }: ImportWorld, ...paths: string[]): Promise<number> {
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const setup = { forest, blobs, newId, origins: new Origins(), formats: [claudeCodeFormat] };
  return (await runImport(setup, { paths }, job)).nodes_added;
}

const session = [
  said('u1', null, 'Go'),
  answer('a1', 'u1', 'm1', text('I will look.')),
  answer('a2', 'a1', 'm1', call('t1')),
  answer('a3', 'a2', 'm1', call('t2')),
  result('r2', 'a3', 't2', 'two'),
  result('r1', 'a2', 't1', 'one'),
  answer('b1', 'r1', 'm2', text('Done')),
  line('progress', 'p1', 'b1', { data: { type: 'hook_progress' } }),
  line('system', 's1', 'p1', { subtype: 'stop_hook_summary' }),
  said('u2', 's1', 'More'),
  answer('c1', 'u2', 'm3', text('Yes')),
];

/** The names of all messages, of which each hangs below the one before. */
async function chainOf(world: ImportWorld): Promise<unknown[]> {
  const [state, other] = await world.states();
  assert.ok(state !== undefined && other === undefined, 'there is one conversation');
  const names: unknown[] = [];
  for (let below = state.children.get(state.id); below !== undefined; below = state.children.get(below[0] ?? '')) {
    assert.equal(below.length, 1, `branches at ${names.join()}`);
    names.push(state.nodes.get(below[0] ?? '')?.origin?.id);
  }
  assert.equal(names.length, state.nodes.size);
  return names;
}

function windowsOf(context: TestContext, ...parts: (readonly PlainObject[])[]): string[] {
  const folder = temporaryDirectory(context);
  return parts.map((part, index) => {
    const path = join(folder, `${index}.jsonl`);
    writeFileSync(path, part.map((each) => `${JSON.stringify(each)}\n`).join(''));
    return path;
  });
}

const whole = ['u1', 'a1', 'r2', 'r1', 'b1', 'u2', 'c1'];

for (const order of ['first', 'last'] as const) {
  test(`[IM36] a file that begins below a line of another one goes on there, which comes ${order}`, async (context) => {
    for (const cut of [1, 4, 5, 6, 7, 8, 9, 10]) {
      const paths = windowsOf(context, session.slice(0, cut), session.slice(cut));
      const ordered = order === 'first' ? paths : paths.toReversed();
      const world = createImportWorld();
      for (const path of ordered) await importInto(world, path);
      assert.deepEqual(await chainOf(world), whole, `cut behind line ${cut}`);
      const before = (await world.states()).map(messagesOf);
      assert.equal(await importInto(world, ...ordered, ...paths), 0);
      assert.deepEqual((await world.states()).map(messagesOf), before);
    }
  });

  test(`[IM36] an answer that is cut in two stays in two, one below the other, the first of which comes ${order}`, async (context) => {
    const paths = windowsOf(context, session.slice(0, 2), session.slice(2));
    const world = createImportWorld();
    for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
    assert.deepEqual(await chainOf(world), whole.toSpliced(2, 0, 'a2'));
  });

  test(`[IM36] files that overlap give each block once; the earlier comes ${order}`, async (context) => {
    const paths = windowsOf(context, session.slice(0, 8), session.slice(2));
    const world = createImportWorld();
    for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
    assert.deepEqual(await chainOf(world), order === 'first' ? whole : whole.toSpliced(2, 0, 'a2'));
    const [state] = await world.states();
    const calls = [...(state?.nodes.values() ?? [])].flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : [])),
    );
    assert.deepEqual(calls, ['t1', 't2']);
  });
}

test('[IM36] what is above may be deleted when it comes: what is seen stays in sight', async (context) => {
  const [first = '', second = ''] = windowsOf(context, session.slice(0, 7), session.slice(7));
  const world = createImportWorld();
  await importInto(world, second);
  const [root = ''] = await world.forest.roots();
  const beginning = async (): Promise<string[]> => (await topsOf(world)).filter((id) => id.endsWith('node-1'));
  // The first file comes in two steps, and a person deletes what has come in between.
  writeFileSync(
    first,
    session
      .slice(0, 2)
      .map((each) => `${JSON.stringify(each)}\n`)
      .join(''),
  );
  await importInto(world, first);
  const top = (await topsOf(world)).find((id) => !id.endsWith('node-1')) ?? '';
  assert.ok((await world.forest.remove({ agent: 'person', id: 'r' }, root, { node: top, children: 'remove' })).ok);
  writeFileSync(
    first,
    session
      .slice(0, 7)
      .map((each) => `${JSON.stringify(each)}\n`)
      .join(''),
  );
  await importInto(world, first);
  assert.equal((await beginning()).length, 1);
});

test('[IM36] below a line that is in none of the files a message begins the conversation anew', async (context) => {
  const [first = '', second = ''] = windowsOf(context, session.slice(0, 7), session.slice(9));
  const world = createImportWorld();
  await importInto(world, second);
  await importInto(world, first);
  const [state] = await world.states();
  assert.ok(state !== undefined);
  assert.deepEqual(
    (state.children.get(state.id) ?? []).map((id) => state.nodes.get(id)?.origin?.id),
    ['u2', 'u1'],
  );
});

test('[IM36] a published session that was saved in pieces comes to one chain, in whichever order they come', async (context) => {
  const corpus = findCorpus('claude-code-sessions');
  if (!corpus.found) return context.skip(corpus.reason);
  const folder = join(corpus.directory, 'growth-series', '2026-01-21-839b35f7-4dbd-4d93-9772-3c272cc87caa');
  const files = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));
  const [second = '', first = '', fourth = '', third = ''] = files;
  const lengths: number[] = [];
  for (const order of [[first, second, third, fourth], files, files.toReversed()]) {
    const world = createImportWorld();
    for (const path of order) await importInto(world, path);
    lengths.push((await topsOf(world)).length);
  }
  assert.deepEqual(lengths, [1, 1, 1]);
});

async function topsOf(world: ImportWorld): Promise<string[]> {
  const [state, other] = await world.states();
  assert.ok(state !== undefined && other === undefined, 'there is one conversation');
  return state.children.get(state.id) ?? [];
}
