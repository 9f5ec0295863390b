import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useStore } from '../stores/use-store.ts';
import { useWorkHost } from '../work/work-host.ts';
import { moveToBranch } from './move-to-branch.ts';
import type { TextEditor } from './use-text-editor.ts';

interface MoveProps {
  conversation: OpenConversation;
  block: string;
  editor: TextEditor;
  onMoved: () => void;
}

/** Moves what was typed since the text was opened to a branch of its own. */
export function MoveToBranch({ conversation, block, editor, onMoved }: MoveProps): ReactElement | null {
  const { agent, call, attempt, showNode } = useWorkHost();
  const { tracker, mayWrite } = editor;
  const state = useStore(tracker.state);
  const known = useStore(conversation.watch.block(block));
  const [since, setSince] = useState<number>();
  const [isMoving, setMoving] = useState(false);
  const version = known?.version ?? 1;
  const isOpen = state.is !== 'opening';
  useEffect(() => {
    if (isOpen) setSince((before) => before ?? version);
  }, [isOpen, version]);
  const isSaved = state.is === 'saved' || state.is === 'merged';
  const node = useStore(conversation.watch.node(conversation.nodeOfBlock(block) ?? ''));
  if (!mayWrite || known?.type !== 'text' || known.status === 'running' || node === undefined) return null;
  const move = async (): Promise<void> => {
    setMoving(true);
    try {
      const made = await moveToBranch(call, conversation, { reader: agent, block, since: since ?? version });
      if (!(await conversation.until(made))) return;
      onMoved();
      showNode(conversation.root, made);
    } finally {
      setMoving(false);
    }
  };
  return (
    <button
      type="button"
      className="text-button"
      disabled={!isSaved || isMoving || since === undefined || version === since}
      title="What you typed goes to a new branch, and the text here is as before"
      onClick={() => attempt(move)}
    >
      Move to a branch
    </button>
  );
}
