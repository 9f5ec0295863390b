import { useLayoutEffect, useRef } from 'react';
import type { MouseEvent, ReactElement, ReactNode, RefObject, SyntheticEvent } from 'react';

interface ModalProps {
  /** What it is called, for everyone who does not see it. */
  label: string;
  onClose: () => void;
  className?: string;
  /** What has the focus at first: the safe choice, or a field. Default: the first thing that takes it. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** Something that is answered or closed before anything else. The focus stays inside and goes back to where it was; Esc closes. */
export function Modal({ label, onClose, className, initialFocus, children }: ModalProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    initialFocus?.current?.focus();
    return () => shown?.close();
  }, [initialFocus]);
  const onCancel = (event: SyntheticEvent): void => {
    // A file field inside tells that its own choosing was cancelled.
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
