import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findCorpus } from '@loom/blocks/testing';
import type { PlainObject } from '@loom/blocks';
import { senderOf } from '@loom/kernel';
import type { ImportReport, JobHandle } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
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

/** A program may start its tools while a model still speaks: the results stand between the lines of one answer. */
const interleaved = [
  said('u1', null, 'Go'),
  answer('a1', 'u1', 'm1', call('t1')),
  result('r1', 'a1', 't1', 'one'),
  line('progress', 'p1', 'r1', { data: { type: 'hook_progress' } }),
  answer('a2', 'p1', 'm1', call('t2')),
  result('r2', 'a2', 't2', 'two'),
  answer('b1', 'r2', 'm2', text('Done')),
];

const agent = interleaved.map((each) => ({ ...each, isSidechain: true, agentId: 'x1' }));

type Piece = [name: string, lines: readonly PlainObject[], from: number, to: number];

/** Short and long pieces from each line on. */
function piecesOf(sessions: Record<string, readonly PlainObject[]>): Piece[] {
  return Object.entries(sessions).flatMap(([name, lines]) =>
    [...lines.keys()].flatMap((from) =>
      [...new Set([from + 1, from + 2, lines.length])].map((to): Piece => [name, lines, from, to]),
    ),
  );
}

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

/** Returns the texts along the chain of messages. */
async function spokenIn(world: ImportWorld): Promise<string[]> {
  const [state] = await world.states();
  const spoken: string[] = [];
  for (let at = state?.children.get(state.id)?.[0]; at !== undefined; at = state?.children.get(at)?.[0]) {
    const node = state?.nodes.get(at);
    if (node?.role === 'tool') spoken.push(`result ${node.tool_call_id}`);
    for (const block of node?.blocks ?? []) {
      if (block.type === 'tool-use') spoken.push(`call ${block.id}`);
      else spoken.push(block.type === 'text' ? block.text : block.type);
    }
  }
  return spoken;
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

  test(`[IM40] a result whose call stands in another file, which comes ${order}, is shown as any other`, async (context) => {
    const resultsOf = async (world: ImportWorld): Promise<unknown> => {
      const [state] = await world.states();
      const results = [...(state?.nodes.values() ?? [])].filter(({ role }) => role === 'tool');
      return results.map(({ origin, source, blocks }) => {
        const said = blocks.map((block) =>
          block.type === 'command' ? `${block.command}: ${JSON.stringify(block.stdout)}` : block.type,
        );
        return [origin?.id, source, said];
      });
    };
    const source = { type: 'tool_result', tool_name: 'Bash' };
    const expected = [
      ['r2', source, ['text', 'ls: "two"']],
      ['r1', source, ['text', 'ls: "one"']],
    ];
    const world = createImportWorld();
    const paths = windowsOf(context, session.slice(0, 4), session.slice(4));
    for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
    assert.deepEqual(await resultsOf(world), expected);
    await importInto(world, ...paths);
    assert.deepEqual(await resultsOf(world), expected);
    const whole = createImportWorld();
    await importInto(whole, ...windowsOf(context, session));
    assert.deepEqual(await resultsOf(whole), expected);
  });

  test(`[IM36] an answer that is cut in two stays in two, one below the other, the first of which comes ${order}`, async (context) => {
    const paths = windowsOf(context, session.slice(0, 2), session.slice(2));
    const world = createImportWorld();
    for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
    assert.deepEqual(await chainOf(world), whole.toSpliced(2, 0, 'a2'));
  });

  test(`[IM36] a session of which a piece comes by itself, the piece ${order}, is one chain with each block once and calls before their results`, async (context) => {
    for (const [name, lines, from, to] of piecesOf({ session, interleaved, agent })) {
      const alone = createImportWorld();
      await importInto(alone, ...windowsOf(context, lines));
      const said = (await spokenIn(alone)).toSorted();
      const paths = windowsOf(context, lines.slice(from, to), lines);
      const world = createImportWorld();
      for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
      const piece = `${name}, lines ${from} to ${to}`;
      await chainOf(world);
      const spoken = await spokenIn(world);
      assert.deepEqual(spoken.toSorted(), said, piece);
      for (const id of ['t1', 't2'])
        assert.ok(spoken.indexOf(`call ${id}`) < spoken.indexOf(`result ${id}`), `${piece}: ${spoken.join()}`);
      assert.equal(await importInto(world, ...paths), 0);
      assert.deepEqual(await spokenIn(world), spoken, piece);
    }
  });

  test(`[IM36] an answer that is cut between two calls is one chain with all results, the first part of which comes ${order}`, async (context) => {
    const paths = windowsOf(context, session.slice(0, 3), session.slice(3));
    const world = createImportWorld();
    for (const path of order === 'first' ? paths : paths.toReversed()) await importInto(world, path);
    assert.deepEqual(await chainOf(world), whole.toSpliced(2, 0, 'a3'));
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

test('[IM39] the edited copy of a session, a line of which came before in a file of its own, is kept beside it once', async (context) => {
  const edited = session.map((each) =>
    each.uuid === 'a2' ? answer('a2', 'a1', 'm1', call('t1', 'Bash', { command: 'ls -l' })) : each,
  );
  const paths = windowsOf(context, session.slice(2, 3), session, edited, edited.slice(2, 3));
  const world = createImportWorld();
  await importInto(world, ...paths);
  const saidNow = async (): Promise<string[]> =>
    (await world.states()).flatMap(({ nodes }) =>
      [...nodes.values()].flatMap(({ blocks }) =>
        blocks.flatMap((block) => {
          if (block.type === 'tool-use' && block.id === 't1') return [JSON.stringify(block.parameters)];
          return block.type === 'raw' ? [JSON.stringify(block.value)] : [];
        }),
      ),
    );
  const said = await saidNow();
  assert.equal(said.filter((words) => words === '{"command":"ls"}').length, 1);
  assert.ok(said.some((words) => words.includes('"parameters":{"command":"ls -l"}')));
  await importInto(world, ...paths);
  assert.deepEqual(await saidNow(), said);
});

test('[IM41] a sub-agent of which an earlier version has not noted who sent it out is put to its call by the next import, once', async (context) => {
  const folder = temporaryDirectory(context);
  const write = (path: string, lines: readonly PlainObject[]): void =>
    writeFileSync(join(folder, path), lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
  mkdirSync(join(folder, 's1', 'subagents'), { recursive: true });
  write('s1.jsonl', [
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1', 'Agent', { prompt: 'Look' })),
    result('r1', 'a1', 't1', 'Seen', { toolUseResult: { status: 'completed', agentId: 'x1', content: [] } }),
  ]);
  const own = { isSidechain: true, agentId: 'x1' };
  write(join('s1', 'subagents', 'agent-x1.jsonl'), [
    { ...said('k1', null, 'Look'), ...own },
    { ...answer('k2', 'k1', 'm2', text('Seen')), ...own },
  ]);
  const world = createImportWorld();
  const { forest, newId, store } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const importAll = (): Promise<ImportReport> =>
    runImport({ forest, blobs, newId, origins: new Origins(), formats: [claudeCodeFormat] }, { paths: [folder] }, job);
  const senders = async (): Promise<unknown[]> => (await world.states()).map(({ config }) => senderOf(config));
  await importAll();
  const placed = await senders();
  const agent = (await world.states()).find(({ config }) => senderOf(config) !== undefined);
  assert.ok(agent !== undefined);
  const { sender: _sender, ...config } = agent.config;
  const { call_sought: _sought, ...imported } = z.looseObject({}).parse(config['imported']);
  const op = { type: 'root-changed' as const, config: { ...config, imported } };
  const made = z.strictObject({ root: z.string() });
  await forest.change({ agent: 'old', id: 'forget' }, agent.id, made, () => ({
    ok: true,
    ops: [op],
    value: { root: agent.id },
  }));
  assert.ok((await senders()).every((sender) => sender === undefined));
  assert.equal((await importAll()).nodes_added, 0);
  assert.deepEqual(await senders(), placed);
  const after = await importAll();
  assert.deepEqual([after.files, after.files_unchanged], [0, 2]);
});

test('[IM36] what is above may be deleted when it comes: what is seen stays in sight', async (context) => {
  const [first = '', second = ''] = windowsOf(context, session.slice(0, 7), session.slice(7));
  const world = createImportWorld();
  await importInto(world, second);
  const [root = ''] = await world.forest.roots();
  const beginning = async (): Promise<string[]> => (await topsOf(world)).filter((id) => id.endsWith('node-1'));
  // The first file comes in two steps, and a user deletes the imported part in between.
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
