import { memo, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { continuationIn, continuedWords } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { isSameHead } from '../conversation/message-head.ts';
import { markOf, nameOf, sourceName } from '../conversation/who.ts';
import { usePart } from '../stores/use-part.ts';
import { useStill } from '../stores/use-still.ts';
import { messageTime } from '../words/times.ts';
import { MessageActions } from './MessageActions.tsx';
import { SiblingSwitcher } from './SiblingSwitcher.tsx';
import { TurnSums } from './turns/TurnSums.tsx';
import { useIsCurrentNode } from './use-current.ts';

/** The author and time of a message, and the actions on it. */
export const MessageHeader = memo(function MessageHeader({ id }: { id: string }): ReactElement | null {
  const loom = useLoom();
  const conversation = useConversation();
  const node = useStill(conversation.watch.node(id), isSameHead);
  const bookmark = useBookmark(id);
  const isRunning = useIsRunning(node?.turn);
  const isEditing = usePart(loom.workspace.editing, (edited) => edited?.node === id);
  const isCurrent = useIsCurrentNode(id);
  if (node === undefined) return null;
  const edited = editedVersion(node);
  const continued = continuationIn(node.note);
  return (
    <header
      className={isCurrent ? 'message-header message-header-current' : 'message-header'}
      onClick={() => loom.current.set(conversation.firstBlockOf(id))}
    >
      <span className={`mark ${markOf(node)}${isRunning ? ' mark-running' : ''}`} />
      <strong className="cut">{nameOf(node)}</strong>
      <SiblingSwitcher node={id} />
      {node.title !== undefined && <span className="message-note cut">{node.title}</span>}
      {isEditing && <span className="message-note">editing</span>}
      {edited !== undefined && <span className="message-note">edited, version {edited}</span>}
      {node.origin !== undefined && node.turn === undefined && (
        <span className="message-note">imported from {sourceName(node.origin.source)}</span>
      )}
      {continued !== undefined && <span className="message-note cut">{continuedWords(continued)}</span>}
      {bookmark !== undefined && <span className="tree-label">{bookmark === '' ? 'bookmark' : bookmark}</span>}
      {(node.tags ?? []).map((tag) => (
        <span key={tag} className="chip">
          {tag}
        </span>
      ))}
      <time dateTime={new Date(node.time).toISOString()}>{messageTime(node.time, Date.now())}</time>
      <span className="grow" />
      {node.role === 'assistant' && <TurnSums node={id} />}
      <MessageActions node={node} />
    </header>
  );
});

/** Returns the version of a person's message; `undefined` if it is as it was sent. Models write theirs in many versions. */
function editedVersion({ role, blocks }: NodeState): number | undefined {
  if (role !== 'user') return undefined;
  const version = Math.max(1, ...blocks.map((block) => block.version ?? 1));
  return version === 1 ? undefined : version;
}

function useBookmark(id: string): string | undefined {
  const { whole } = useConversation().watch;
  return useSyncExternalStore(whole.subscribe, () => whole.getSnapshot().root.bookmarks[id]);
}

function useIsRunning(turn: string | undefined): boolean {
  const { whole } = useConversation().watch;
  return useSyncExternalStore(whole.subscribe, () =>
    whole.getSnapshot().root.turns.some((one) => turn !== undefined && one.turn === turn),
  );
}
