import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MessageBlock } from '@loom/blocks';
import { senderOf } from '@loom/kernel';
import { LoomLinesReader } from '../chats/loom-lines-reader.ts';
import { loomLinesExport } from '../exporting/loom-lines.ts';
import { exportSource } from '../exporting/source.ts';
import type { ExportSource } from '../exporting/source.ts';
import { anySource } from '../exporting/testing/arbitrary-source.ts';
import { sampleSource } from '../exporting/testing/sample-source.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { createImportWorld } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';

async function importLines(source: ExportSource, world: ImportWorld): Promise<void> {
  const reader = new LoomLinesReader();
  for await (const line of loomLinesExport(source)) reader.push(line.trimEnd());
  const importer = await world.importer('loom');
  await importer.take(reader.take());
  await importer.connect([]);
}

/** Returns a conversation of a world, ready for export. */
async function sourceIn({ forest, store }: ImportWorld, root: string): Promise<ExportSource> {
  return exportSource(await forest.log(root).state(), { get: (id: string) => store.getBlob(id) });
}

/** Returns the content and the marks of a tree, regardless of its ids. */
function spelled(source: ExportSource): unknown {
  const names = new Map<string, string>();
  const branch = (parent: string): unknown[] =>
    source.children(parent).map((node, place) => {
      const name = `${names.get(parent) ?? ''}/${place}`;
      names.set(node.id, name);
      for (const [index, { block_id: id }] of node.blocks.entries())
        if (id !== undefined) names.set(id, `${name}#${index}`);
      const { role, source: from, time, started_at, ended_at, tool, tool_call_id, is_error, title, tags = [] } = node;
      const { context_start = false, continues = false, custom_data, exclude = [] } = node;
      const marks = { title, tags, context_start, continues, custom_data, bookmark: source.bookmark(node.id) };
      const blocks = node.blocks.map((block) => {
        const {
          block_id: _id,
          status: _status,
          version: _version,
          agent: _agent,
          created_at: _created,
          ...rest
        } = block;
        return rest;
      });
      const facts = { role, from, time, started_at, ended_at, tool, tool_call_id, is_error };
      return { ...facts, marks, exclude: exclude.map((id) => names.get(id)), blocks, below: branch(node.id) };
    });
  const { title, tags, created, config } = source.root;
  return { title, tags, created, prompt: config.systemPrompt, tree: branch(source.root.id) };
}

test('[IM42] an answer that was exported while it was written, and again when it was complete, is complete after both', async () => {
  const world = createImportWorld();
  const exported = (text: string): ExportSource =>
    sampleSource({ nodes: [{ name: 'a', role: 'assistant', blocks: [{ type: 'text', text }] }] });
  for (const text of ['It is', 'It is so.', 'It is']) await importLines(exported(text), world);
  const [state] = await world.states();
  const blocks = [...(state?.nodes.values() ?? [])].flatMap((node) => node.blocks);
  assert.deepEqual(
    blocks.map((block) => (block.type === 'text' ? block.text : block)),
    ['It is so.'],
  );
});

test('[XP19] what was exported as lines of Loom is imported as an equal tree: content, order, branches, times, marks', async () => {
  await fc.assert(
    fc.asyncProperty(anySource, async (source) => {
      const world = createImportWorld();
      await importLines(source, world);
      const [state, second] = await world.states();
      assert.ok(state !== undefined && second === undefined);
      const blobs = { get: (id: string) => world.store.getBlob(id) };
      assert.deepEqual(spelled(exportSource(state, blobs)), spelled(source));
      await importLines(source, world);
      const [again, more] = await world.states();
      assert.ok(again !== undefined && more === undefined);
      assert.equal(again.nodes.size, state.nodes.size);
    }),
    { numRuns: 40 },
  );
});

test('[XP19] what tools reported, unknown parts and texts that are so long that they are blobs come along', async () => {
  const [from, to] = [createImportWorld(), createImportWorld()];
  const long = 'words '.repeat(20_000);
  const importer = await from.importer('claude-code');
  const blocks: MessageBlock[] = [
    { type: 'text', text: 'short', provider: { 'claude-code': { tool_use_result: { stdout: long } } } },
    { type: 'text', text: long.repeat(10), metadata: { kind: 'log' } },
    { type: 'raw', source: 'claude-code', value: { long } },
  ];
  await importer.take([
    { type: 'conversation', conversation: { id: 'c' } },
    {
      type: 'node',
      node: {
        conversation: 'c',
        id: 'n',
        role: 'tool',
        tool_call_id: 't',
        source: { type: 'tool_result', tool_name: 'Bash' },
        blocks: blocks.map((block, index) => ({ key: `k${index}`, block })),
      },
    },
  ]);
  const [root = ''] = await from.forest.roots();
  await importLines(await sourceIn(from, root), to);
  const [copy = ''] = await to.forest.roots();
  assert.deepEqual(spelled(await sourceIn(to, copy)), spelled(await sourceIn(from, root)));
  const [state] = await to.states();
  const cited = JSON.stringify([...(state?.nodes.values() ?? [])]).match(/sha256:[0-9a-f]{64}/gu) ?? [];
  assert.equal(new Set(cited).size, 3);
  for (const blob of cited) assert.ok((await to.store.getBlob(blob)) !== undefined);
});

for (const order of ['before', 'behind'] as const) {
  test(`[XP19] a sub-agent that is imported ${order} the conversation that sent it out is shown at its call`, async () => {
    const [from, to] = [createImportWorld(), createImportWorld()];
    // Two forests have no id in common.
    for (let count = 0; count < 100; count += 1) to.newId();
    const importer = await from.importer('elsewhere');
    const said = (conversation: string, id: string): ForeignItem => ({
      type: 'node',
      node: {
        conversation,
        id,
        role: 'tool',
        tool_call_id: id,
        source: { type: 'tool_result', tool_name: 'Agent' },
        blocks: [{ key: id, block: { type: 'text', text: id } }],
      },
    });
    await importer.take([
      { type: 'conversation', conversation: { id: 'parent' } },
      said('parent', 'call'),
      { type: 'conversation', conversation: { id: 'child', parent: { conversation: 'parent', call: 'call' } } },
      said('child', 'words'),
    ]);
    const roots = await from.forest.roots();
    for (let times = 0; times < 2; times += 1)
      for (const root of order === 'before' ? roots.toReversed() : roots)
        await importLines(await sourceIn(from, root), to);
    const states = await to.states();
    assert.equal(states.length, 2);
    const child = states.find(({ config }) => senderOf(config) !== undefined);
    const parent = states.find((state) => state !== child);
    const [node] = [...(parent?.nodes.values() ?? [])];
    assert.equal(senderOf(child?.config ?? {}), node?.id);
    assert.deepEqual(
      node?.blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
      [child?.id],
    );
  });
}
