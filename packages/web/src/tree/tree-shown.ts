import type { OutlineNode } from '@loom/sync';

/** The choice of messages in a tree. */
export type TreeShown = 'everything' | 'without-tools' | 'people' | 'labelled';

export const treeShownNames: readonly { readonly value: TreeShown; readonly label: string }[] = [
  { value: 'everything', label: 'Everything' },
  { value: 'without-tools', label: 'Without tools' },
  { value: 'people', label: 'People only' },
  { value: 'labelled', label: 'Labeled' },
];

/** Returns true if a message is among those that are wanted. A bookmark, a title and tags are labels. */
export function isWanted(
  shown: TreeShown,
  { role, title, tags = [] }: Pick<OutlineNode, 'role' | 'title' | 'tags'>,
  bookmark: string | undefined,
): boolean {
  switch (shown) {
    case 'everything':
      return true;
    case 'without-tools':
      return role !== 'tool';
    case 'people':
      return role === 'user';
    case 'labelled':
      return bookmark !== undefined || (title ?? '') !== '' || tags.length > 0;
  }
}
