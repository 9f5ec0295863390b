import { useCallback, useRef, useState } from 'react';

/** The longest time between the two halves of one click, in milliseconds. */
const oneClick = 100;
/** The longest time that a pointer is held down for a click, in milliseconds. */
const longestPress = 1_000;

/** The time of the last press of a pointer: keys close nothing that they are outside of. */
let pressedAt = -longestPress;
if (typeof document !== 'undefined')
  document.addEventListener('pointerdown', () => void (pressedAt = performance.now()), {
    capture: true,
    passive: true,
  });

/**
 * Holds the state of a button's popover. A click on the button closes it, although that click is outside of the popover and has closed it
 * already.
 */
export function useOpen(): { isOpen: boolean; toggle: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false);
  const closedAt = useRef(-oneClick);
  const close = useCallback(() => {
    closedAt.current = performance.now();
    setOpen(false);
  }, []);
  const toggle = useCallback(() => {
    // Only what the press of this click has closed stays closed.
    const sincePress = closedAt.current - pressedAt;
    const hasClosed = performance.now() - closedAt.current <= oneClick && sincePress >= 0 && sincePress < longestPress;
    if (!hasClosed) setOpen((isSo) => !isSo);
  }, []);
  return { isOpen, toggle, close };
}
