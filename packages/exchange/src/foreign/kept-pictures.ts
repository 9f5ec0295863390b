import type { ImageBlock } from '@loom/blocks';
import type { BlobPort } from '@loom/kernel';
import type { ForeignItem } from './foreign.ts';

type Blobs = Pick<BlobPort, 'put'>;

/** Returns items whose images and files are blobs. */
export async function keepPictures(items: readonly ForeignItem[], blobs: Blobs): Promise<readonly ForeignItem[]> {
  if (!items.some(hasPicture)) return items;
  const kept: ForeignItem[] = [];
  for (const item of items) kept.push(hasPicture(item) ? await keepPicturesOf(item, blobs) : item);
  return kept;
}

/** A data URL becomes a blob; any other address is kept as one. */
export async function keepImage(block: ImageBlock, blobs: Blobs): Promise<ImageBlock> {
  const [, isBase64, data] = /^data:[^,]*?(;base64)?,([^]*)$/u.exec(block.url ?? '') ?? [];
  if (data === undefined || isBase64 === undefined) return block;
  const { url: _url, ...rest } = block;
  return { ...rest, blob: await blobs.put(Buffer.from(data, 'base64')) };
}

type NodeItem = Extract<ForeignItem, { type: 'node' }>;

function hasPicture(item: ForeignItem): item is NodeItem {
  return item.type === 'node' && item.node.blocks.some(({ block }) => block.type === 'image');
}

async function keepPicturesOf({ node }: NodeItem, blobs: Blobs): Promise<NodeItem> {
  const blocks = await Promise.all(
    node.blocks.map(async ({ key, block }) => ({
      key,
      block: block.type === 'image' ? await keepImage(block, blobs) : block,
    })),
  );
  return { type: 'node', node: { ...node, blocks } };
}
