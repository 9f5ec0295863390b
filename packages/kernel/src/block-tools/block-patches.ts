import { spliceText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent } from '../state/feed.ts';
import { contentOf } from '../forest/reading/block-place.ts';
import type { BlockPatch } from './schemas.ts';

/** Returns one patch for each block that the events of one change name. */
export function patchesOf(events: readonly FeedEvent[]): BlockPatch[] {
  const patches = new Map<string, BlockPatch>();
  for (const patch of events.flatMap(patchesIn)) {
    const before = patches.get(patch.block_id);
    patches.set(patch.block_id, before === undefined ? patch : joinPatches(before, patch));
  }
  return [...patches.values()];
}

/** A block as it is now, for a subscriber that may know nothing of it. */
export function wholePatch(block: MessageBlock): BlockPatch {
  const { block_id = '', version = 1, status = 'done' } = block;
  return { block_id, version, status, content: contentOf(block) };
}

function patchesIn(event: FeedEvent): BlockPatch[] {
  switch (event.type) {
    case 'text-appended': {
      const { block, version, text, field, update } = event;
      const patch = { block_id: block, version, appended: text, ...(field === 'text' ? {} : { field }) };
      return [update === undefined ? patch : { ...patch, update }];
    }
    case 'text-changed': {
      const { block, version, changes, update } = event;
      return [{ block_id: block, version, changes, ...(update === undefined ? {} : { update }) }];
    }
    case 'status-changed':
      return [{ block_id: event.block, version: event.version, status: event.status }];
    case 'block-added':
    case 'block-changed':
      return [wholePatch(event.block)];
    case 'node-added':
    case 'node-changed':
      return event.node.blocks.map(wholePatch);
    case 'block-removed':
      return [{ block_id: event.block, version: 0, removed: true }];
    default:
      return [];
  }
}

/** One patch for two of one change. A text is edited once in a change at most, or else the block is sent whole. */
function joinPatches(first: BlockPatch, second: BlockPatch): BlockPatch {
  if (second.content !== undefined || second.removed === true) return second;
  const { changes, appended, field, ...rest } = second;
  if (first.content === undefined) return { ...first, ...second };
  const edits = changes ?? [{ at: first.content.length, delete: 0, insert: appended ?? '' }];
  return { ...first, ...rest, content: field === undefined ? spliceText(first.content, edits) : first.content };
}
