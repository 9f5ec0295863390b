import { useRef } from 'react';
import type { FormEvent, ReactElement, ReactNode, RefObject } from 'react';
import { Modal } from './Modal.tsx';

interface QuestionProps {
  title: string;
  /** The verb of the button that does it. */
  action: string;
  onAnswer: () => void;
  onClose: () => void;
  isDangerous?: boolean;
  /** The element with the focus at first, if there is something to fill in. Default: the button that does nothing. */
  initialFocus?: RefObject<HTMLElement | null>;
  children?: ReactNode;
}

/** A small dialog that asks for one thing. */
export function Question(props: QuestionProps): ReactElement {
  const { title, action, onAnswer, onClose, isDangerous = false, initialFocus, children } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onAnswer();
    onClose();
  };
  return (
    <Modal label={title} onClose={onClose} initialFocus={initialFocus ?? cancel}>
      <form className="dialog-body" onSubmit={submit}>
        <h2>{title}</h2>
        {children}
        <div className="dialog-buttons">
          <button type="button" ref={cancel} className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={isDangerous ? 'button button-danger' : 'button button-primary'}>
            {action}
          </button>
        </div>
      </form>
    </Modal>
  );
}
