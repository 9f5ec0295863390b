import type { ReactElement } from 'react';

interface SwitchProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isOff?: boolean;
}

/** A switch that takes effect at once, without a button to save it. */
export function Switch({ label, isOn, onChange, isOff = false }: SwitchProps): ReactElement {
  return (
    <button
      type="button"
      className="switch"
      role="switch"
      aria-label={label}
      aria-checked={isOn}
      disabled={isOff}
      onClick={() => onChange(!isOn)}
    />
  );
}
