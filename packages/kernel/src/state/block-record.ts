import type { MessageBlock, TextBlock } from '@loom/blocks';

/** The fields that a block keeps when its content is replaced: everything that is known about it but its provider data. */
export type BlockRecord = Omit<TextBlock, 'type' | 'text' | 'provider'>;

export function recordOf(block: MessageBlock): BlockRecord {
  const record: BlockRecord = {};
  if (block.block_id !== undefined) record.block_id = block.block_id;
  if (block.status !== undefined) record.status = block.status;
  if (block.version !== undefined) record.version = block.version;
  if (block.agent !== undefined) record.agent = block.agent;
  if (block.created_at !== undefined) record.created_at = block.created_at;
  if (block.ended_at !== undefined) record.ended_at = block.ended_at;
  if (block.metadata !== undefined) record.metadata = block.metadata;
  if (block.error !== undefined) record.error = block.error;
  if (block.prefix !== undefined) record.prefix = block.prefix;
  if (block.ephemeral !== undefined) record.ephemeral = block.ephemeral;
  if (block.from !== undefined) record.from = block.from;
  return record;
}

/** Copies a block under a new id; the copy says where it is from. */
export function copyBlock(block: MessageBlock, id: string): MessageBlock {
  const source = block.block_id;
  const copy = { ...block, block_id: id, version: 1 };
  return source === undefined ? copy : { ...copy, from: { block: source, version: block.version ?? 1 } };
}

/**
 * The same block in less room. Most blocks are finished texts with just these fields; an object that was put together in steps
 * takes half as much again as one that was written out.
 */
export function compactBlock(block: MessageBlock): MessageBlock {
  if (block.type !== 'text') return block;
  const { type, text, block_id, status, version, agent, created_at, ended_at, prefix } = block;
  if (block_id === undefined || status === undefined || version === undefined) return block;
  if (agent === undefined || created_at === undefined || prefix === undefined) return block;
  const count = Object.keys(block).length;
  if (count === 8) return { type, text, block_id, status, version, agent, created_at, prefix };
  if (count !== 9 || ended_at === undefined) return block;
  return { type, text, block_id, status, version, agent, created_at, ended_at, prefix };
}

/** The exact argument string is kept only where it says more than the parameters. */
export function withoutPlainArguments(block: MessageBlock): MessageBlock {
  if (block.type !== 'tool-use' || block.arguments !== JSON.stringify(block.parameters)) return block;
  const { arguments: _plain, ...rest } = block;
  return rest;
}
