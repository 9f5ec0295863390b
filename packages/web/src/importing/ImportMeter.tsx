import type { ReactElement } from 'react';

/** The progress of an import. */
export function ImportMeter({ label, progress = 0 }: { label: string; progress?: number | undefined }): ReactElement {
  const percent = Math.round(progress * 100);
  return (
    <span
      className="meter import-meter"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}
