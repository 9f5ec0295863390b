import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LoomLinesReader } from '../chats/loom-lines-reader.ts';
import { loomLinesExport } from '../exporting/loom-lines.ts';
import { exportSource } from '../exporting/source.ts';
import type { ExportSource } from '../exporting/source.ts';
import { anySource } from '../exporting/testing/arbitrary-source.ts';
import { createImportWorld } from './testing/imports.ts';
import type { ImportWorld } from './testing/imports.ts';

async function importLines(source: ExportSource, world: ImportWorld): Promise<void> {
  const reader = new LoomLinesReader();
  for await (const line of loomLinesExport(source)) reader.push(line.trimEnd());
  const importer = await world.importer('loom');
  await importer.take(reader.take());
}

/** What a tree says and how it was marked, whatever its ids are. */
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
