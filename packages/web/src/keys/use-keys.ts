import { useEffect } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { CommandName, KeyArea } from './key-map.ts';
import { isPartAwaited } from '../ui/later.tsx';
import { chordOf, isLetter, KeyPresses } from './key-presses.ts';

/** Listens to keys for the whole page. What a text field or a dialog does with a key is left to it. */
export function useKeys(): void {
  const { commands, preferences } = useLoom();
  useEffect(() => {
    const presses = new KeyPresses();
    const onKeyDown = (event: KeyboardEvent): void => {
      // What is typed for a part of the page that is still being loaded is not meant for what is there.
      if (event.defaultPrevented || event.isComposing || isPartAwaited()) return;
      const chord = chordOf(event);
      if (isLetter(chord) && !preferences.hasLetterKeys.getSnapshot()) return;
      const command = presses.take(chord, areasAt(event.target), event.timeStamp);
      if (command === undefined || (isOwn(command) && isTextField(event.target))) return;
      if (!commands.run(command)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [commands, preferences]);
}

/** What a text field does by itself with what is typed in it. */
function isOwn(command: CommandName): boolean {
  return command === 'undo' || command === 'redo';
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Which keys mean something where the focus is. */
function areasAt(target: EventTarget | null): readonly KeyArea[] {
  if (!(target instanceof Element)) return ['page', 'anywhere'];
  if (target.closest('dialog') !== null) return [];
  if (isTextField(target)) return ['anywhere'];
  const area = target.closest('[data-keys]')?.getAttribute('data-keys');
  if (area === 'tree') return ['tree', 'page', 'anywhere'];
  if (area === 'timeline' || target === document.body) return ['timeline', 'page', 'anywhere'];
  return ['page', 'anywhere'];
}
