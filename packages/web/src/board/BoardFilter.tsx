import { useRef } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/floating/Menu.tsx';
import { useOpen } from '../ui/floating/use-open.ts';

interface BoardFilterProps {
  /** The words for no choice: `All projects`. */
  all: string;
  choices: readonly string[];
  chosen: string | undefined;
  onChoose: (choice: string | undefined) => void;
}

/** Chooses one of the folders or agents on the board, or all of them. */
export function BoardFilter({ all, choices, chosen, onChoose }: BoardFilterProps): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const items = [
    { label: all, run: () => onChoose(undefined) },
    ...choices.map((choice) => ({ label: choice, run: () => onChoose(choice) })),
  ];
  return (
    <>
      <button
        ref={button}
        type="button"
        className={chosen === undefined ? 'board-filter' : 'board-filter board-filter-on'}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {chosen ?? all}
        <Icon name="down" small />
      </button>
      {isOpen && <Menu label={all} anchor={button.current} items={items} onClose={close} />}
    </>
  );
}
