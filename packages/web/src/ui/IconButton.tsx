import type { MouseEvent, ReactElement, Ref } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './Icon.tsx';

interface IconButtonProps {
  icon: IconName;
  /** Its effect, for everyone who does not see the drawing, and for those who point at it. */
  label: string;
  onClick: (event: MouseEvent) => void;
  /** The key that does the same. */
  keys?: string;
  isPressed?: boolean;
  isOpen?: boolean;
  hasMenu?: boolean;
  isSmall?: boolean;
  isOff?: boolean;
  /** -1 if keys other than Tab lead to it. */
  tabIndex?: number;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton(props: IconButtonProps): ReactElement {
  const {
    icon,
    label,
    onClick,
    keys,
    isPressed,
    isOpen,
    hasMenu = false,
    isSmall = false,
    isOff = false,
    tabIndex,
    ref,
  } = props;
  const name = keys === undefined ? label : `${label} (${keys})`;
  return (
    <button
      ref={ref}
      type="button"
      tabIndex={tabIndex}
      className={isSmall ? 'icon-button icon-button-small' : 'icon-button'}
      aria-label={name}
      title={name}
      aria-pressed={isPressed}
      aria-expanded={isOpen}
      aria-haspopup={hasMenu ? 'menu' : undefined}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
