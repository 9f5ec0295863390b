import { useMemo } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { editLastMessage } from './edit-last-message.ts';
import { doSlash } from './suggesting/do-slash.ts';
import { focusComposer } from './focus.ts';
import { useRunningTurn } from './use-running-turn.ts';
import { askToSay } from './ask-to-say.ts';
import { stop } from './sending.ts';
import type { SayMode } from './sending.ts';
import { parseSlash } from './suggesting/slash.ts';
import { useStore } from '../stores/use-store.ts';

interface FieldActions {
  submit: (mode: SayMode) => void;
  /** Stops what runs; the caret stays in the field. */
  escape: () => void;
  /** Returns true if there was a message to rewrite. */
  editLast: () => boolean;
}

/** Returns the actions of the keys of the field. */
export function useFieldActions(): FieldActions {
  const loom = useLoom();
  const turn = useRunningTurn(useStore(loom.conversation));
  return useMemo(
    () => ({
      submit(mode) {
        const command = parseSlash(loom.composer.draft.getSnapshot().text);
        loom.attempt(() => (command === undefined ? askToSay(loom, mode) : doSlash(loom, command)));
      },
      escape() {
        focusComposer();
        if (turn !== undefined) loom.attempt(() => stop(loom));
      },
      editLast: () => editLastMessage(loom),
    }),
    [loom, turn],
  );
}
