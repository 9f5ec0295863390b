import { useLayoutEffect, useRef } from 'react';
import type { MouseEvent, ReactElement, ReactNode, RefObject, SyntheticEvent } from 'react';

/** The elements in which text is written. */
const fields = 'input:not([type="checkbox"], [type="radio"], [type="file"]), textarea';

interface ModalProps {
  /** Its name, for everyone who does not see it. */
  label: string;
  onClose: () => void;
  className?: string;
  /** The element with the focus at first: the safe choice, or a field. Default: the first text field, else the one marked `data-safe`. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** A dialog that is answered or closed before anything else. The focus stays inside and goes back to its former place; Esc closes. */
export function Modal({ label, onClose, className, initialFocus, children }: ModalProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // A field comes first, else what changes nothing; without either, the browser has taken the first thing that takes the focus.
    (
      initialFocus?.current ??
      shown?.querySelector<HTMLElement>(fields) ??
      shown?.querySelector<HTMLElement>('[data-safe]')
    )?.focus();
    return () => {
      shown?.close();
      giveBackCaret();
    };
  }, [initialFocus]);
  const onCancel = (event: SyntheticEvent): void => {
    // A file field inside fires this event when its own choosing was canceled.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    onClose();
  };
  const onMouseDown = (event: MouseEvent): void => {
    if (event.target === event.currentTarget) onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={className === undefined ? 'dialog' : `dialog ${className}`}
      aria-label={label}
      onCancel={onCancel}
      onMouseDown={onMouseDown}
    >
      <div className="dialog-inside">{children}</div>
    </dialog>
  );
}

/**
 * Restores the caret. Chromium gives the focus back to a field without its caret, and drops the text typed then: focusing it once more
 * brings the caret back.
 */
function giveBackCaret(): void {
  const { activeElement: field } = document;
  if (!(field instanceof HTMLElement) || !field.matches(fields)) return;
  field.blur();
  field.focus({ preventScroll: true });
}
