import { useRef } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from '../IconButton.tsx';
import type { IconName } from '../Icon.tsx';
import { Menu } from './boxes.ts';
import type { MenuItem } from './Menu.tsx';
import { useOpen } from './use-open.ts';

interface MenuButtonProps {
  label: string;
  /** Returns the items when the menu opens. */
  items: () => readonly MenuItem[];
  icon?: IconName;
  isSmall?: boolean;
}

/** A button that opens a menu of things to do. */
export function MenuButton({ label, items, icon = 'more', isSmall = false }: MenuButtonProps): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  return (
    <>
      <IconButton ref={button} icon={icon} label={label} isSmall={isSmall} isOpen={isOpen} hasMenu onClick={toggle} />
      {isOpen && <Menu label={label} anchor={button.current} items={items()} edge="right" onClose={close} />}
    </>
  );
}
