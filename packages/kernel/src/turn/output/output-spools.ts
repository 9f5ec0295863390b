import type { BlobReference, MessageBlock } from '@loom/blocks';
import type { RootOp } from '../../op.ts';
import type { Hash } from '../../ports.ts';

/** A field whose bytes may leave the log. */
export type OutputField = 'stdout' | 'stderr';

export const outputFields: readonly OutputField[] = ['stdout', 'stderr'];

/** The name of the spool of an output. Ids of blocks may be longer than a file's name can be, so they are hashed. */
export function spoolName(root: string, block: string, field: OutputField, hash: Hash): string {
  return `${spoolPrefix(root)}${field}-${hash.hex(block).slice(0, 32)}`;
}

/** The beginning of the names of a root's spools. */
export function spoolPrefix(root: string): string {
  return `output/${root}/`;
}

/** The root that a spool belongs to. */
export function rootOfSpool(name: string): string | undefined {
  return /^output\/(?<root>.*)\/[^/]*$/u.exec(name)?.groups?.['root'];
}

/** Returns the part of an output that is in the log. */
export function inlineOutput(block: MessageBlock, field: OutputField): string {
  const output = block.type === 'command' ? block[field] : undefined;
  return typeof output === 'string' ? output : '';
}

/** The ops that put a blob in the place of an output that still grows; none if there is no such output. */
export function changedOutput(block: MessageBlock | undefined, field: OutputField, output: BlobReference): RootOp[] {
  if (block?.type !== 'command') return [];
  const before = block[field];
  if (typeof before === 'object' && before.blob !== undefined) return [];
  return [{ type: 'block-changed', block: withField(block, field, output) }];
}

/** A command with another output. */
export function withField(block: MessageBlock, field: OutputField, output: BlobReference): MessageBlock {
  return block.type === 'command' ? { ...block, [field]: output } : block;
}
