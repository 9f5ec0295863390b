import { Buffer } from 'node:buffer';
import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { exportedNodes } from './source.ts';
import type { ExportRange, ExportSource } from './source.ts';

/** The version of the format, which `docs/reference/export-format.md` describes. */
const loomLinesVersion = 1;

/** The number of bytes of a blob in one line: readers need not hold more of it. */
const blobPiece = 3 * 1024 * 1024;

/**
 * Writes a conversation as lines of JSON that hold everything: the header, the conversation, then the messages, parents before children, each right
 * after the blobs that it needs, and an end that proves to a reader that nothing is missing. A reader need not hold more than one message.
 */
export async function* loomLinesExport(source: ExportSource, range: ExportRange = {}): AsyncGenerator<string> {
  const { root } = source;
  let nodes = 0;
  let blobs = 0;
  yield line({ type: 'loom-export', version: loomLinesVersion });
  yield line({
    type: 'conversation',
    id: root.id,
    ...(root.title === undefined ? {} : { title: root.title }),
    ...(root.tags.length === 0 ? {} : { tags: root.tags }),
    created_at: new Date(root.created).toISOString(),
    config: root.config,
  });
  for (const node of exportedNodes(source, range)) {
    for (const id of new Set(blobsOf(node.blocks))) {
      const bytes = await source.blob(id);
      if (bytes === undefined) continue;
      blobs += 1;
      yield* blobLines(id, bytes);
    }
    nodes += 1;
    yield line(nodeLine(source, node));
  }
  yield line({ type: 'end', nodes, blobs });
}

function line(value: PlainObject): string {
  return `${JSON.stringify(value)}\n`;
}

function* blobLines(id: string, bytes: Uint8Array): Generator<string> {
  const pieces = Math.max(1, Math.ceil(bytes.length / blobPiece));
  for (let piece = 0; piece < pieces; piece += 1) {
    const part = bytes.subarray(piece * blobPiece, (piece + 1) * blobPiece);
    yield line({ type: 'blob', id, piece, pieces, data: Buffer.from(part).toString('base64') });
  }
}

/** Returns a message without the fields that only its own log can use: the turn that wrote it, and the notes of its provider. */
function nodeLine(source: ExportSource, node: NodeState): PlainObject {
  const { id, parent, role, blocks, source: from, time, touched: _touched, turn: _turn, note: _note, ...rest } = node;
  const { ask: _ask, deleted: _deleted, split_source: _split, ...kept } = rest;
  const bookmark = source.bookmark(id);
  return {
    type: 'node',
    id,
    ...(parent === source.root.id ? {} : { parent }),
    role,
    time: new Date(time).toISOString(),
    source: from,
    ...kept,
    ...(bookmark === undefined ? {} : { bookmark }),
    blocks,
  };
}

/** The blobs that blocks refer to. */
function blobsOf(blocks: readonly MessageBlock[]): string[] {
  return blocks.flatMap((block) => {
    const kept = [...Object.values(block.provider ?? {}), block.metadata?.['whole']].flatMap(blobIn);
    if (block.type === 'image') return [...kept, ...blobIn(block)];
    if (block.type === 'raw') return [...kept, ...blobIn(block.value)];
    return block.type === 'command' ? [...kept, ...[block.stdout, block.stderr].flatMap(blobIn)] : kept;
  });
}

function blobIn(value: unknown): string[] {
  const blob = isPlainObject(value) ? value['blob'] : undefined;
  return typeof blob === 'string' && blobName.test(blob) ? [blob] : [];
}

const blobName = /^sha256:[0-9a-f]{64}$/u;
