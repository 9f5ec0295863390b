import { useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Popover } from '../ui/floating/Popover.tsx';
import { useOpen } from '../ui/floating/use-open.ts';
import { grouped } from '../words/amounts.ts';

export interface FilterChoice {
  readonly value: string;
  readonly name: string;
  readonly count?: number;
  readonly mark?: ReactNode;
}

interface FilterMenuProps {
  label: string;
  choices: readonly FilterChoice[];
  chosen: readonly string[];
  /** True if only one may be chosen. */
  isSingle?: boolean;
  /** True if choosing narrows the list, which × takes back. Default: true. */
  isFilter?: boolean;
  onChoose: (values: readonly string[]) => void;
}

/** A filter as a menu with counts. A set one names its values, and × takes it back. */
export function FilterMenu(props: FilterMenuProps): ReactElement {
  const { label, choices, chosen, isSingle = false, isFilter = true, onChoose } = props;
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const isSet = isFilter && chosen.length > 0;
  const names = chosen.map((value) => choices.find((choice) => choice.value === value)?.name ?? value);
  const shown = names.length > 2 ? `${names.slice(0, 2).join(', ')} +${names.length - 2}` : names.join(', ');
  const choose = (value: string): void => {
    if (isSingle) {
      close();
      return onChoose([value]);
    }
    return onChoose(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]);
  };
  return (
    <span className={isSet ? 'filter filter-on' : 'filter'}>
      <button
        ref={button}
        type="button"
        className="filter-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <span className="cut">{shown === '' ? label : shown}</span>
        {!isSet && <Icon name="down" small />}
      </button>
      {isSet && (
        <button type="button" className="filter-clear" aria-label={`Clear ${label}`} onClick={() => onChoose([])}>
          <Icon name="close" small />
        </button>
      )}
      {isOpen && (
        <Popover anchor={button.current} label={label} className="filter-menu" onClose={close}>
          {choices.map(({ value, name, count, mark }) => (
            <label className="filter-choice" key={value}>
              <input
                type={isSingle ? 'radio' : 'checkbox'}
                name={label}
                checked={chosen.includes(value)}
                onChange={() => choose(value)}
              />
              <span className="filter-mark">{mark}</span>
              <span className="grow cut">{name}</span>
              {count !== undefined && <span className="filter-count figures">{grouped(count)}</span>}
            </label>
          ))}
          {choices.length === 0 && <p className="filter-empty">Nothing to choose from.</p>}
        </Popover>
      )}
    </span>
  );
}
