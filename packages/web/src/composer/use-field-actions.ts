import { useMemo } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { editLastMessage } from './edit-last-message.ts';
import { doSlash } from './suggesting/do-slash.ts';
import { loadPrompts } from './suggesting/load-prompts.ts';
import { focusComposer } from './focus.ts';
import { useRunningTurn } from './use-running-turn.ts';
import { askToSay } from './ask-to-say.ts';
import { stop } from './sending.ts';
import type { SayMode } from './sending.ts';
import { parsePrompt, parseSlash } from './suggesting/slash.ts';
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
        const { text } = loom.composer.draft.getSnapshot();
        const command = parseSlash(text);
        const prompt = parsePrompt(text);
        loom.attempt(async () => {
          if (command !== undefined) return doSlash(loom, command);
          // A message that only looks like a prompt is said also while nothing can be loaded.
          const prompts = prompt && (await loadPrompts().catch(() => undefined));
          const say = (): Promise<void> => askToSay(loom, mode);
          return prompt && prompts ? prompts.usePrompt(loom, prompt, say) : say();
        });
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
