import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { focusComposer } from '../composer/focus.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { Popover } from '../ui/floating/boxes.ts';
import { later } from '../ui/later.tsx';
import { answererWords } from './model-words.ts';

const ModelPicker = later(async () => (await import('./ModelPicker.tsx')).ModelPicker, {
  takesKeys: true,
});

/** The model that answers next; opens the list to choose from. */
export function ModelButton(): ReactElement {
  const { models, isPickerOpen } = useLoom();
  const { state } = useStore(models.known);
  const { preset } = useStore(models.picked);
  const chosen = answererWords(useStore(models.answerers), preset);
  const words = state === 'loading' ? 'Looking for models' : chosen;
  const isOpen = useStore(isPickerOpen);
  // The list stays open while its button is drawn anew, such as on the page of another conversation: it follows the new one.
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  return (
    <>
      <button
        ref={setButton}
        type="button"
        className="pick"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`Who answers: ${words}`}
        onClick={() => isPickerOpen.set(!isOpen)}
      >
        <span className="mark mark-model" />
        <span className="cut">{words}</span>
        <Icon name="down" small />
      </button>
      {isOpen && (
        <Popover
          anchor={button}
          label="Who answers"
          className="picker"
          onLeave={focusComposer}
          onClose={() => isPickerOpen.set(false)}
        >
          <ModelPicker onDone={() => isPickerOpen.set(false)} />
        </Popover>
      )}
    </>
  );
}
