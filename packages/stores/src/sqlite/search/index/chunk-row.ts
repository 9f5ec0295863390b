import { catalogueChunk } from '@loom/kernel/search';
import type { CataloguedBlock, CataloguedNode, SearchedBlock, StoredNode, TextPlace } from '@loom/kernel/search';
import { packText, unpackText } from '../../tables/packed-text.ts';
import { bytesOf, DamagedIndex, packNumbers } from '../row-values.ts';
import type { Row } from '../row-values.ts';

/** A block as it is kept: its id, kind and role, its writer and its time, whether something went wrong, and its path. */
export type BlockEntry = [
  id: string,
  kind: string,
  role: CataloguedBlock['role'],
  agent: string,
  time: number,
  failed: 0 | 1,
  path?: string,
];

/** The same for a filter. */
export function searchedEntry([, kind, role, agent, time, failed, path]: BlockEntry): SearchedBlock {
  return { kind, role, agent, time, failed: failed === 1, path };
}

/** A node as it is kept: its id, what it hangs on, whether it is deleted, and how many blocks it has. */
export type NodeEntry = [id: string, parent: string, deleted: boolean, blocks: number];

export interface ChunkAbout {
  nodes: NodeEntry[];
  blocks: BlockEntry[];
}

/** What the index keeps of a chunk, but for the places of its blocks in the walk. */
export interface ChunkRow {
  /** Which kinds of blocks there are, so that others need not look into it. */
  kinds: string;
  blocks: Uint8Array;
  about: ChunkAbout;
  other: string;
  /** Of all texts together. */
  size: number;
}

export function makeChunkRow(stored: readonly StoredNode[]): ChunkRow {
  const { nodes, other } = catalogueChunk(stored);
  const blocks = nodes.flatMap((node) => node.blocks);
  return {
    kinds: [...new Set(blocks.flatMap(({ kind, role }) => (role === 'tool' ? [kind, 'tool_result'] : [kind])))].join(
      ' ',
    ),
    blocks: packNumbers(blocks.map(({ length, place }) => length * 4 + places.indexOf(place))),
    about: { nodes: nodes.map(nodeEntry), blocks: blocks.map(blockEntry) },
    other,
    size: blocks.reduce((sum, { length }) => sum + length, 0),
  };
}

export function packAbout(about: ChunkAbout): Uint8Array {
  return packText(JSON.stringify(about));
}

export function aboutOf(row: Row): ChunkAbout {
  const value: unknown = JSON.parse(unpackText(bytesOf(row['about'])));
  if (!isAbout(value)) throw new DamagedIndex('a chunk tells nothing');
  return value;
}

/** Where texts are; the numbers of these are kept. */
export const places: readonly TextPlace[] = ['narrow', 'wide', 'other'];

function nodeEntry({ id, parent, deleted, blocks }: CataloguedNode): NodeEntry {
  return [id, parent, deleted, blocks.length];
}

function blockEntry({ block_id, kind, role, agent = '', time = 0, failed, path }: CataloguedBlock): BlockEntry {
  const entry: BlockEntry = [block_id, kind, role, agent, time, failed === true ? 1 : 0];
  if (path !== undefined) entry.push(path);
  return entry;
}

// What was unpacked without complaint was written by this very code.
function isAbout(value: unknown): value is ChunkAbout {
  return typeof value === 'object' && value !== null && 'nodes' in value && 'blocks' in value;
}
