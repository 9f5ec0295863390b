import type { ReactElement } from 'react';
import type { SaveState } from '../editor/save-state.ts';
import type { ReadableStore } from '../stores/store.ts';
import { useStore } from '../stores/use-store.ts';
import { saveWords } from './save-words.ts';

/** Says where the reader's words are. */
export function SaveLine({ state, version }: { state: ReadableStore<SaveState>; version: number }): ReactElement {
  const now = useStore(state);
  const { mark, text } = saveWords(now, version);
  return (
    <span className={`save-line save-${now.is}`} role="status">
      <span className={`save-mark save-mark-${mark}`} aria-hidden="true" />
      {text}
    </span>
  );
}
