import { useLayoutEffect, useRef } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { beside } from './beside.ts';

interface PopoverProps {
  /** The element it belongs to. */
  anchor: HTMLElement | null;
  /** Called when it is closed: by Esc, by a click elsewhere, or since another one opened. */
  onClose: () => void;
  label: string;
  role?: 'dialog' | 'menu' | 'listbox';
  className?: string;
  edge?: 'left' | 'right';
  /** Takes the focus when it leaves. Default: its anchor. */
  onLeave?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ReactNode;
}

/** A box that floats beside the element that opened it. It is there as long as it is drawn; the focus goes back when it leaves. */
export function Popover(props: PopoverProps): ReactElement {
  const { anchor, onClose, label, role = 'dialog', className, edge = 'left', onLeave, onKeyDown, children } = props;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null || anchor === null) return undefined;
    shown.showPopover();
    // Nothing in it could take the focus while it was drawn, since it was not shown yet.
    if (role === 'dialog') shown.querySelector<HTMLElement>('input, button')?.focus();
    const place = (): void => {
      const { clientWidth: width, clientHeight: height } = document.documentElement;
      const at = beside(anchor.getBoundingClientRect(), shown.getBoundingClientRect(), { width, height }, edge);
      shown.style.left = `${at.left}px`;
      shown.style.top = `${at.top}px`;
    };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(shown);
    addEventListener('resize', place);
    return () => {
      observer.disconnect();
      removeEventListener('resize', place);
      const hadFocus = shown.contains(document.activeElement);
      if (shown.matches(':popover-open')) shown.hidePopover();
      if (!hadFocus) return;
      anchor.focus();
      onLeave?.();
    };
  }, [anchor, edge, role, onLeave]);
  return (
    <div
      ref={box}
      popover="auto"
      className={className === undefined ? 'popover' : `popover ${className}`}
      role={role}
      aria-label={label}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}
