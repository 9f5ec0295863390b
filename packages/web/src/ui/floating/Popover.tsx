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
    // At Esc the browser moves the focus as it closes the box, which is before the box leaves.
    let hadFocus = false;
    const noteFocus = ({ newState }: ToggleEvent): void => {
      if (newState === 'closed') hadFocus = shown.contains(document.activeElement);
    };
    shown.showPopover();
    shown.addEventListener('beforetoggle', noteFocus);
    // Nothing in it could take the focus while it was drawn, since it was not shown yet.
    const stopWaiting = focusFirst(shown);
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
      stopWaiting?.();
      observer.disconnect();
      removeEventListener('resize', place);
      if (shown.matches(':popover-open')) shown.hidePopover();
      shown.removeEventListener('beforetoggle', noteFocus);
      if (!hadFocus) return;
      anchor.focus();
      onLeave?.();
    };
  }, [anchor, edge, role, onLeave]);
  return (
    <div
      ref={box}
      popover="auto"
      tabIndex={-1}
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

/**
 * Gives the focus to the chosen item of a menu or else to the first control of a box, or to the box until its content has come: keys are meant
 * for it from now on.
 */
function focusFirst(box: HTMLElement): () => void {
  const first = (): HTMLElement | null =>
    box.querySelector<HTMLElement>('[role=menuitemradio][aria-checked=true]') ??
    box.querySelector<HTMLElement>('input, button');
  const control = first();
  (control ?? box).focus();
  const observer = new MutationObserver(() => {
    if (document.activeElement !== box) observer.disconnect();
    else first()?.focus();
  });
  if (control === null) observer.observe(box, { childList: true, subtree: true });
  return () => observer.disconnect();
}
