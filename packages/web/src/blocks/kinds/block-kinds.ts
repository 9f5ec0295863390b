import type { MessageBlock } from '@loom/blocks';
import { toolKindOf } from '../tools/tool-kinds.ts';
import type { ToolKind } from '../tools/tool-kinds.ts';
import type { IconName } from '../../ui/Icon.tsx';

/** The kinds a reader may hide, in the order of the menu. Words, pictures and errors are always shown. */
export const hideableKinds = ['thinking', 'command', 'change', 'read', 'web', 'plan', 'agent', 'other', 'raw'] as const;
export type HideableKind = (typeof hideableKinds)[number];

export const kindNames: Readonly<Record<HideableKind, { readonly name: string; readonly icon: IconName }>> = {
  thinking: { name: 'Thinking', icon: 'thinking' },
  command: { name: 'Commands', icon: 'command' },
  change: { name: 'File changes', icon: 'change' },
  read: { name: 'Reads', icon: 'file' },
  web: { name: 'Sources', icon: 'globe' },
  plan: { name: 'Plans', icon: 'list' },
  agent: { name: 'Sub-agents', icon: 'agent' },
  other: { name: 'Other tools', icon: 'tool' },
  raw: { name: 'Raw', icon: 'raw' },
};

/** The kind under which a block can be hidden, if it can. */
export function hideableKind(block: MessageBlock): HideableKind | undefined {
  switch (block.type) {
    case 'tool-use':
      return kindOfTool(toolKindOf(block.name));
    case 'thinking':
    case 'raw':
    case 'command':
      return block.type;
    case 'code':
      return 'read';
    case 'file-change':
      return 'change';
    case 'todo':
      return 'plan';
    case 'sources':
      return 'web';
    case 'conversation':
      return 'agent';
    case 'text':
    case 'image':
    case 'error':
      return undefined;
  }
}

function kindOfTool(kind: ToolKind): HideableKind | undefined {
  // A question waits for an answer: it is never hidden.
  if (kind === 'question') return undefined;
  if (kind === 'text') return 'other';
  return kind === 'find' ? 'read' : kind;
}

/** Counts the blocks of each kind. */
export function countKinds(blocks: readonly MessageBlock[]): { readonly [Kind in HideableKind]?: number } {
  const counts: { [Kind in HideableKind]?: number } = {};
  for (const block of blocks) {
    const kind = hideableKind(block);
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
