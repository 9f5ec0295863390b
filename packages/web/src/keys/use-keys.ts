import { useEffect } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { takeEarlyKeys } from '../composer/early-keys.ts';
import { typeIntoComposer } from '../composer/focus.ts';
import { isSomethingOpen } from '../ui/floating/something-open.ts';
import { isPartAwaited } from '../ui/later.tsx';
import type { CommandName, KeyArea } from './key-map.ts';
import { chordOf, isLetter, isPaste, isTyping, KeyPresses } from './key-presses.ts';

/**
 * Listens to keys for the whole page. Text fields and dialogs keep the keys that they use. Letters act where rows are walked; anywhere else
 * they are the beginning of a message.
 */
export function useKeys(): void {
  const { commands, preferences } = useLoom();
  useEffect(() => {
    const presses = new KeyPresses();
    // On a page without a message field there is nowhere to put them.
    takeEarlyKeys();
    const onKeyDown = (event: KeyboardEvent): void => {
      // Keys typed for a part of the page that is still being loaded are not meant for what is there.
      if (event.defaultPrevented || event.isComposing || isPartAwaited()) return;
      const chord = chordOf(event);
      if (chord === 'Esc' && (isInDialog(event.target) || isSomethingOpen())) return;
      const where = whereIs(event.target);
      const isOff = isLetter(chord) && !preferences.hasLetterKeys.getSnapshot();
      const command = isOff ? undefined : presses.take(chord, areasIn[where], event.timeStamp);
      if (command !== undefined && !(isOwn(command) && where === 'field') && commands.run(command)) {
        event.preventDefault();
        return;
      }
      if (where === 'field' || where === 'floating') return;
      // The browser puts the character, or the pasted text, where the focus is by then.
      const isForButton = event.key === ' ' && isButton(event.target);
      if (isPaste(event) || ((where === 'page' || isOff) && isTyping(event) && !isForButton)) typeIntoComposer();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [commands, preferences]);
}

/** Returns true for commands that a text field carries out natively. */
function isOwn(command: CommandName): boolean {
  return command === 'undo' || command === 'redo';
}

/** The place of the focus. `page`: on nothing, or on a button that is in none of the others. */
type Where = 'timeline' | 'tree' | 'board' | 'list' | 'field' | 'floating' | 'page';

/** The keys that mean something there. With the focus on nothing, Esc is that of the message field. */
const areasIn: { readonly [Place in Where]: readonly KeyArea[] } = {
  timeline: ['timeline', 'page', 'anywhere'],
  tree: ['tree', 'page', 'anywhere'],
  board: ['board', 'page', 'anywhere'],
  list: ['page', 'anywhere'],
  field: ['anywhere'],
  floating: [],
  page: ['anywhere', 'composer'],
};

function whereIs(target: EventTarget | null): Where {
  if (!(target instanceof Element)) return 'page';
  if (target.closest('input, textarea, select, [contenteditable], [data-editor]') !== null) return 'field';
  const around = target.closest('dialog, [popover], [data-keys]');
  if (around === null) return 'page';
  const keys = around.getAttribute('data-keys');
  return keys === 'timeline' || keys === 'tree' || keys === 'board' || keys === 'list' ? keys : 'floating';
}

/** Returns true if Esc closes the dialog around the focus, the drawer with its list included. */
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('dialog') !== null;
}

/** Returns true if a space presses the focused element. */
function isButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, summary, [role="tab"]') !== null;
}
