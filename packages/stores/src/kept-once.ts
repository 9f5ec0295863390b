import { checkLeaseTime } from './append-verdict.ts';

/** A value that the first who asks for it gets, until its time is over. */
export interface KeptOnce {
  value: string;
  until: number;
}

/** Throws if no store could keep the value. */
export function checkOnce(key: string, value: string, milliseconds: number): void {
  if (key === '') throw new TypeError('a value needs a key');
  if (!key.isWellFormed() || !value.isWellFormed()) {
    throw new TypeError('a key or value has a lone surrogate, which no store can keep');
  }
  checkLeaseTime(milliseconds);
}

/** Puts a value among others, of which those go whose time is over. */
export function putOnce(kept: Map<string, KeptOnce>, key: string, once: KeptOnce, now: number): void {
  for (const [other, { until }] of kept) if (until <= now) kept.delete(other);
  kept.set(key, once);
}
