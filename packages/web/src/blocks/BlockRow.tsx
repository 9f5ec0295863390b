import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import type { Source } from '@loom/blocks';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { BlockRow as Row } from '../conversation/rows.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';
import { BlockView } from './BlockView.tsx';
import { useIsInvalid } from './invalid-thinking.ts';

const Authorship = later(async () => (await import('../authorship/Authorship.tsx')).Authorship);

/** A block of the conversation, drawn again when it has become another one. */
export function BlockRow({ row }: { row: Row }): ReactElement | null {
  const { watch } = useConversation();
  const block = useStore(watch.block(row.block));
  const sources = useSources(row.cites);
  const isUnsent = useIsInvalid(row.block);
  const isExplained = useIsExplained(row);
  const isAuthorshipShown = usePart(useLoom().workspace.authorship, (shown) => shown === row.block);
  if (block === undefined) return null;
  const view = isAuthorshipShown ? (
    <Authorship block={row.block} version={block.version ?? 1} />
  ) : (
    <BlockView block={block} node={row.node} sources={sources} isUnsent={isUnsent} isExplained={isExplained} />
  );
  return row.said === undefined ? view : <div className={`said said-${row.said}`}>{view}</div>;
}

/** Returns true if another block of the same message says why it ended badly. */
function useIsExplained({ node, block }: Row): boolean {
  const watched = useConversation().watch.node(node);
  return useSyncExternalStore(watched.subscribe, () => {
    const blocks = watched.getSnapshot()?.blocks ?? [];
    return blocks.some(({ type, block_id: id }) => type === 'error' && id !== block);
  });
}

/** The sources of a node; while they are the same, nothing is drawn again. */
function useSources(node: string | undefined): readonly Source[] | undefined {
  const watched = useConversation().watch.node(node ?? '');
  return useSyncExternalStore(watched.subscribe, () => {
    const block = watched.getSnapshot()?.blocks.findLast(({ type }) => type === 'sources');
    return block?.type === 'sources' ? block.sources : undefined;
  });
}
