import type { ReactElement, ReactNode } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { toggleExcluded } from '../branching/branch-actions.ts';
import type { Row } from '../conversation/rows.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';
import { blockOf } from './steps.ts';
import { useFoundMark } from './use-found-mark.ts';
import { useRowFocus } from './use-row-focus.ts';
import { useIsCurrent, useIsEdited, useIsLeftOut } from './use-current.ts';

const BlockEditor = later(async () => (await import('../writing/BlockEditor.tsx')).BlockEditor);
const MessageEditor = later(async () => (await import('../branching/MessageEditor.tsx')).MessageEditor);

interface FrameProps {
  row: Row;
  className: string;
  children: ReactNode;
}

/** The common frame of every block, which shows if it is current, left out, or edited. */
export function BlockFrame({ row, className, children }: FrameProps): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const block = blockOf(row) ?? '';
  const isCurrent = useIsCurrent(row);
  const isLeftOut = useIsLeftOut(block);
  const isEdited = useIsEdited(block);
  const frame = useRowFocus(block);
  const isFound = useFoundMark(row, frame);
  const name = [className, isCurrent && 'row-current', isFound && 'row-found', isLeftOut && 'row-left-out']
    .filter(Boolean)
    .join(' ');
  return (
    <div ref={frame} className={name} data-block={block} tabIndex={-1} aria-current={isCurrent ? 'true' : undefined}>
      {isEdited ? <EditedNode node={row.node} block={block} /> : children}
      {isLeftOut && (
        <p className="left-out">
          left out ·{' '}
          <button
            type="button"
            className="text-button"
            onClick={() => loom.attempt(() => toggleExcluded(loom, conversation, block))}
          >
            Include
          </button>
        </p>
      )}
    </div>
  );
}

function EditedNode({ node, block }: { node: string; block: string }): ReactElement | null {
  const { editing } = useLoom().workspace;
  const conversation = useConversation();
  const isShared = usePart(editing, (edited) => edited?.isShared === true);
  const state = useStore(conversation.watch.node(node));
  if (state === undefined) return null;
  if (!isShared) return <MessageEditor node={state} block={block} />;
  const close = (): void => {
    editing.set(undefined);
    document.querySelector<HTMLElement>('[role="feed"]')?.focus();
  };
  return <BlockEditor conversation={conversation} block={block} onClose={close} />;
}
