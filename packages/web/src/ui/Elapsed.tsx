import type { ReactElement } from 'react';
import { useStore } from '../stores/use-store.ts';
import { ticking } from '../words/ticking.ts';
import { runningTime } from '../words/times.ts';

/** The time that something has been going on, second by second. */
export function Elapsed({ since }: { since: string | undefined }): ReactElement | null {
  const now = useStore(ticking);
  const start = since === undefined ? Number.NaN : Date.parse(since);
  return Number.isNaN(start) ? null : <span className="figures">{runningTime(Math.max(0, now - start))}</span>;
}
