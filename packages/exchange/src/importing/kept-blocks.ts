import type { MessageBlock } from '@loom/blocks';
import type { BlobPort } from '@loom/kernel';
import { outsourceLarge } from '@loom/kernel/logs';
import type { ForeignBlock, ForeignNode } from '../foreign/foreign.ts';
import { keepImage } from '../foreign/kept-pictures.ts';
import type { PreparedNode } from './upserting/upsert.ts';

type Blobs = Pick<BlobPort, 'put'>;

/** Returns a message whose images, files and long outputs are blobs. */
export async function prepareNode(node: ForeignNode, blobs: Blobs): Promise<PreparedNode> {
  const { conversation: _conversation, ...rest } = node;
  if (!node.blocks.some(({ block }) => mayBeLarge(block))) return rest;
  const blocks: ForeignBlock[] = [];
  for (const { key, block } of node.blocks) blocks.push({ key, block: await keepBlock(block, node.role, blobs) });
  return { ...rest, blocks };
}

/** Returns true if a block may be large. Nearly all blocks are small, and none of those needs a promise. */
function mayBeLarge(block: MessageBlock): boolean {
  if (block.provider !== undefined) return true;
  switch (block.type) {
    case 'text':
      return block.text.length > certainlySmall;
    case 'code':
      return block.content.length > certainlySmall;
    case 'image':
      return block.url?.startsWith('data:') === true;
    case 'command':
    case 'raw':
      return true;
    default:
      return false;
  }
}

const certainlySmall = 16 * 1024;

async function keepBlock(block: MessageBlock, role: ForeignNode['role'], blobs: Blobs): Promise<MessageBlock> {
  if (block.type === 'image') return keepImage(block, blobs);
  return outsourceLarge(block, role === 'assistant' ? 'assistant' : 'tool', blobs);
}
