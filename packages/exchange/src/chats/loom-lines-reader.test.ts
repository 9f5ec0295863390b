import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MessageBlock } from '@loom/blocks';
import { loomLinesExport } from '../exporting/loom-lines.ts';
import { exportedNodes } from '../exporting/source.ts';
import type { ExportSource } from '../exporting/source.ts';
import { anySource } from '../exporting/testing/arbitrary-source.ts';
import { gathered, sampleSource } from '../exporting/testing/sample-source.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { LoomLinesReader, recognizesLoomLines } from './loom-lines-reader.ts';
import { ItemForest } from '../foreign/testing/item-forest.ts';

async function linesOf(source: ExportSource, node?: string): Promise<string[]> {
  const text = await gathered(loomLinesExport(source, node === undefined ? {} : { node }));
  return text.split('\n').slice(0, -1);
}

function read(lines: readonly string[], each = false): { items: ForeignItem[]; reader: LoomLinesReader } {
  const reader = new LoomLinesReader();
  const items: ForeignItem[] = [];
  for (const line of lines) {
    reader.push(line);
    if (each) items.push(...reader.take());
  }
  reader.end();
  return { items: [...items, ...reader.take()], reader };
}

/** Returns a tree in a form that is the same for an exported conversation and for the one read back. */
async function spelled(source: ExportSource): Promise<unknown[]> {
  const nodes: unknown[] = [];
  for (const node of exportedNodes(source, {})) {
    const { id, parent, role, source: from, time, title, tags, custom_data, exclude, tool, tool_call_id } = node;
    const { is_error, context_start, continues, started_at, ended_at } = node;
    const marks = { title, tags, custom_data, exclude, bookmark: source.bookmark(id), context_start, continues };
    const facts = { tool, tool_call_id, is_error, started_at, ended_at, time: new Date(time).toISOString() };
    const blocks: unknown[] = [];
    for (const block of node.blocks) blocks.push(await withBytes(block, source));
    nodes.push({ id, parent: parent === source.root.id ? undefined : parent, role, from, marks, facts, blocks });
  }
  return nodes;
}

async function withBytes(block: MessageBlock, source: ExportSource): Promise<unknown> {
  if (block.type !== 'image' || block.blob === undefined) return block;
  const { blob, ...rest } = block;
  const bytes = await source.blob(blob);
  return { ...rest, url: `data:${block.media_type};base64,${Buffer.from(bytes ?? []).toString('base64')}` };
}

function spelledAgain(items: readonly ForeignItem[]): unknown[] {
  const forest = new ItemForest();
  forest.apply(items);
  return [...forest.nodes.values()].map((node) => {
    const { id, parent, role, source: from, time, title, tags, details: custom_data, excluded: exclude, tool } = node;
    const { tool_call_id, is_error, context_start, continues, started_at, ended_at, bookmark } = node;
    const marks = { title, tags, custom_data, exclude, bookmark, context_start, continues };
    const facts = { tool, tool_call_id, is_error, started_at, ended_at, time };
    const blocks = node.blocks.map(({ key, block }) => ({ ...block, block_id: key }));
    return { id, parent, role, from, marks, facts, blocks };
  });
}

test('[XP7] what is exported as lines of Loom is read as the same tree: content, order, branches, times, marks', async () => {
  await fc.assert(
    fc.asyncProperty(anySource, async (source) => {
      const lines = await linesOf(source);
      const { items, reader } = read(lines);
      assert.deepEqual(spelledAgain(items), await spelled(source));
      assert.deepEqual(reader.tally.counts, { read: lines.length, used: lines.length, raw: 0, reported: 0 });
      assert.deepEqual([...reader.tally.remarks], []);
      const [first] = items;
      assert.ok(first?.type === 'conversation');
      const { title, tags, config } = first.conversation;
      assert.deepEqual(
        { title, tags: tags ?? [], config },
        {
          title: source.root.title,
          tags: source.root.tags,
          config: source.root.config,
        },
      );
    }),
    { numRuns: 60 },
  );
});

test('[XP7] lines that another program has written, with blanks between what they consist of, are recognized', () => {
  assert.ok(recognizesLoomLines('{"type": "loom-export", "version": 1}\n'));
});

test('[XP7] taking after every line gives the same as taking at the end', async () => {
  await fc.assert(
    fc.asyncProperty(anySource, async (source) => {
      const lines = await linesOf(source);
      assert.deepEqual(read(lines, true).items, read(lines).items);
    }),
    { numRuns: 20 },
  );
});

test('[XP8] a blob that is longer than a line may be comes in pieces, and long outputs come back whole', async () => {
  const blob = `sha256:${'cd'.repeat(32)}`;
  const bytes = new Uint8Array(7_000_001).fill(65);
  const source = sampleSource({
    nodes: [
      {
        name: 't',
        role: 'tool',
        tool_call_id: 'c',
        blocks: [{ type: 'command', command: 'yes', stdout: { blob, bytes: bytes.length, preview: 'A' } }],
      },
    ],
    blobs: new Map([[blob, bytes]]),
  });
  const lines = await linesOf(source);
  assert.equal(lines.filter((line) => line.startsWith('{"type":"blob"')).length, 3);
  assert.ok(lines.every((line) => line.length < 5_000_000));
  const [, item] = read(lines).items;
  const block = item?.type === 'node' ? item.node.blocks[0]?.block : undefined;
  assert.ok(block?.type === 'command' && block.stdout === 'A'.repeat(bytes.length));
});

test('[XP9] lines of a newer version, lines that are broken and an export that was cut off are told of', async () => {
  const lines = await linesOf(
    sampleSource({ nodes: [{ name: 'u', role: 'user', blocks: [{ type: 'text', text: 'a' }] }] }),
  );
  assert.ok(recognizesLoomLines(lines.join('\n')));
  const newer = read(['{"type":"loom-export","version":9}', ...lines.slice(1)]);
  assert.deepEqual([newer.items, newer.reader.tally.counts.reported], [[], lines.length]);
  const cut = read(lines.slice(0, -1));
  assert.deepEqual([...cut.reader.tally.remarks.keys()].length, 1);
  const deep = `{"type":"node","id":${'['.repeat(200)}${']'.repeat(200)}}`;
  const orphan = JSON.stringify({ ...JSON.parse(lines[2] ?? ''), id: 'x', parent: 'nowhere' });
  const odd = read([...lines.slice(0, 2), deep, 'not json', orphan, '{"type":"poem"}', ...lines.slice(2)]);
  assert.deepEqual(odd.reader.tally.counts, { read: lines.length + 4, used: lines.length, raw: 1, reported: 3 });
  assert.equal(odd.items.length, 2);
});
