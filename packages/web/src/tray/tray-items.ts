import type { WaitingCall } from './waiting-calls.ts';

/** The time for which a decided call is still shown, in milliseconds. */
export const stay = 3000;

export interface TrayItem {
  readonly call: WaitingCall;
  /** The time at which it was seen to be decided; `undefined` while it waits. */
  readonly endedAt?: number;
}

/** Returns the items of the tray after a change: the calls that wait, and for a moment, in their places, those just decided. */
export function trayItems(before: readonly TrayItem[], calls: readonly WaitingCall[], now: number): TrayItem[] {
  const waiting = new Map(calls.map((call) => [call.node, call]));
  const kept = before.flatMap((item): TrayItem[] => {
    const call = waiting.get(item.call.node);
    if (call !== undefined) return [{ call }];
    const endedAt = item.endedAt ?? now;
    return now - endedAt < stay ? [{ call: item.call, endedAt }] : [];
  });
  const known = new Set(kept.map(({ call }) => call.node));
  const added = calls.filter(({ node }) => !known.has(node)).map((call) => ({ call }));
  return [...kept, ...added].sort((one, other) => Date.parse(one.call.since) - Date.parse(other.call.since));
}
