import type { ReactElement } from 'react';

interface SegmentsProps<T extends string> {
  label: string;
  choices: readonly { readonly value: T; readonly label: string }[];
  chosen: T;
  onChoose: (value: T) => void;
}

/** One of a few choices, all in sight. */
export function Segments<T extends string>({ label, choices, chosen, onChoose }: SegmentsProps<T>): ReactElement {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          type="button"
          key={choice.value}
          aria-pressed={choice.value === chosen}
          onClick={() => onChoose(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
