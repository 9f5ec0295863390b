import { useCallback, useRef, useState } from 'react';

/** The longest time between the two halves of one click, in milliseconds. */
const oneClick = 100;

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
    if (performance.now() - closedAt.current > oneClick) setOpen((isSo) => !isSo);
  }, []);
  return { isOpen, toggle, close };
}
