import { useEffect, useState } from 'react';
import type { FocusEvent, KeyboardEvent, PointerEvent } from 'react';

/** The time that a pointer rests on a row until its card is shown, in milliseconds. */
const rest = 400;

interface HoverCardState {
  readonly isShown: boolean;
  readonly listeners: {
    readonly onPointerEnter: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
    readonly onPointerDown: () => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onBlur: (event: FocusEvent) => void;
  };
}

/** Shows the card of a row when a mouse rests on it, or with the focus on it at Space. */
export function useHoverCard(): HoverCardState {
  const [isShown, setShown] = useState(false);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isOver) return undefined;
    const timer = setTimeout(() => setShown(true), rest);
    return () => clearTimeout(timer);
  }, [isOver]);
  const hide = (): void => {
    setOver(false);
    setShown(false);
  };
  return {
    isShown,
    listeners: {
      onPointerEnter: ({ pointerType }) => setOver(pointerType === 'mouse'),
      onPointerLeave: hide,
      onPointerDown: hide,
      onKeyDown: (event) => {
        if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
          event.preventDefault();
          setShown(!isShown);
        } else if (isShown && event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          hide();
        }
      },
      onBlur: ({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setShown(false);
      },
    },
  };
}
