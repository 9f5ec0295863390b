import { useRef } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { Icon } from '../Icon.tsx';
import type { IconName } from '../Icon.tsx';
import { Popover } from './Popover.tsx';
import { nextItem } from './next-item.ts';

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  readonly icon?: IconName;
  /** The key that does the same. */
  readonly keys?: string;
  readonly isDangerous?: boolean;
  readonly isOff?: boolean;
  /** A line is drawn above it. */
  readonly isApart?: boolean;
}

interface MenuProps {
  label: string;
  anchor: HTMLElement | null;
  items: readonly MenuItem[];
  edge?: 'left' | 'right';
  onClose: () => void;
}

/** Things to do, one under the other; arrows, Home, End and first letters move, Esc and Tab close. */
export function Menu({ label, anchor, items, edge = 'left', onClose }: MenuProps): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return onClose();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = nextItem(
      buttons.map(({ textContent }) => textContent),
      at,
      event.key,
    );
    if (next === undefined) return undefined;
    event.preventDefault();
    buttons[next]?.focus();
    return undefined;
  };
  return (
    <Popover
      anchor={anchor}
      label={label}
      role="menu"
      className="menu"
      edge={edge}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <ul ref={list} role="none">
        {items.map((item) => (
          <li key={item.label} role="none" className={item.isApart === true ? 'menu-apart' : undefined}>
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={item.isDangerous === true ? 'menu-item menu-item-danger' : 'menu-item'}
              aria-disabled={item.isOff === true ? true : undefined}
              onClick={() => {
                if (item.isOff === true) return;
                onClose();
                item.run();
              }}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              <span className="grow">{item.label}</span>
              {item.keys !== undefined && <kbd>{item.keys}</kbd>}
            </button>
          </li>
        ))}
      </ul>
    </Popover>
  );
}
