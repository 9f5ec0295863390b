import { useLayoutEffect, useRef, useState } from 'react';
import type { ClipboardEvent, KeyboardEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { usePart } from '../stores/use-part.ts';
import { isSomethingOpen } from '../ui/floating/something-open.ts';
import { attachFiles } from './attaching/attaching.ts';
import { takeEarlyKeys } from './early-keys.ts';
import { focusNewField, focusTimeline } from './focus.ts';
import { Suggestions } from './suggesting/Suggestions.tsx';
import { useFieldActions } from './use-field-actions.ts';
import { useSuggestions } from './suggesting/use-suggestions.tsx';

const listId = 'composer-suggestions';

/** The text field. Typing draws this component alone. */
export function MessageField({ placeholder }: { placeholder: string }): ReactElement {
  const loom = useLoom();
  const { composer } = loom;
  const text = usePart(composer.draft, (draft) => draft.text);
  const [caret, setCaret] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const actions = useFieldActions();
  const suggestions = useSuggestions(text, caret);
  useLayoutEffect(() => fitHeight(field.current), [text]);
  useLayoutEffect(() => {
    focusNewField(field.current);
    const early = takeEarlyKeys();
    if (early !== '') composer.write(composer.draft.getSnapshot().text + early);
  }, [composer]);
  useBringCommands({ stop: actions.escape });
  const onKeyDown = (event: KeyboardEvent): void => {
    // While a word is being composed the keys belong to the input method.
    if (event.nativeEvent.isComposing || suggestions.onKey(event)) return;
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (key === 'Enter' && !shiftKey) {
      event.preventDefault();
      actions.submit(ctrlKey || metaKey ? 'append' : altKey ? 'queue' : 'run');
    } else if (key === 'Escape') {
      if (!isSomethingOpen()) actions.escape();
    } else if (key === 'ArrowUp' && text === '') {
      if (actions.editLast()) event.preventDefault();
    } else if (key === 'Tab' && shiftKey) {
      event.preventDefault();
      focusTimeline();
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    loom.attempt(() => attachFiles(loom, files));
  };
  const isOpen = suggestions.items.length > 0;
  return (
    <>
      {isOpen && <Suggestions id={listId} {...suggestions} />}
      <textarea
        dir="auto"
        id="composer"
        ref={field}
        rows={1}
        aria-label="Message"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${suggestions.current}` : undefined}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          composer.write(event.target.value);
          setCaret(event.target.selectionStart);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </>
  );
}

/** Fits the height of the field in browsers whose style sheets cannot. */
function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null || CSS.supports('field-sizing', 'content')) return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight, 320)}px`;
}
