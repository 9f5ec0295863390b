import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { SaveState } from '../editor/save-state.ts';
import type { ReadableStore } from '../stores/store.ts';
import { useRested } from '../stores/use-rested.ts';
import { useStore } from '../stores/use-store.ts';
import { isTypingKept } from './allow-editing.ts';
import { saveWords } from './save-words.ts';

interface SaveLineProps {
  conversation: OpenConversation;
  block: string;
  state: ReadableStore<SaveState>;
}

/** Says where the reader's words are. While others write, the version is that of their last pause. */
export function SaveLine({ conversation, block, state }: SaveLineProps): ReactElement {
  const now = useStore(state);
  const isKept = useStore(isTypingKept);
  const version = useRested(conversation.watch.block(block), 200)?.version ?? 1;
  const { mark, text } = saveWords(now, version, isKept);
  return (
    <span className={`save-line save-${now.is}`} role="status">
      <span className={`save-mark save-mark-${mark}`} aria-hidden="true" />
      {text}
    </span>
  );
}
