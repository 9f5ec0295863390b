import type { HeadsRequest, ListedLog, LogHead, Store } from './store.ts';

/** A log with as much of its head as its place in a list takes. */
interface PlacedLog {
  log: string;
  head?: Pick<LogHead, 'time'>;
}

/** The page that was asked for, of all logs. */
export function pageOfHeads<L extends PlacedLog>(logs: readonly L[], { order, limit, after }: HeadsRequest): L[] {
  checkLimit(limit);
  const compare = order === 'name' ? byName : newestFirst;
  const sorted = logs.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
  const start = after === undefined ? 0 : sorted.findIndex((each) => compare(placeOf(each), after) > 0);
  return start === -1 ? [] : sorted.slice(start, start + limit);
}

/** A page of the logs of two stores; what both have is listed as the second has it. */
export async function headsOfBoth(first: Store, second: Store, request: HeadsRequest): Promise<ListedLog[]> {
  const pages = [await first.heads(request), await second.heads(request)];
  const listed = new Map(pages.flat().map((each) => [each.log, each]));
  return pageOfHeads([...listed.values()], request);
}

/** Throws if no page could be so long. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`a page has a limit of 1 or more, not ${limit}`);
}

type Place = NonNullable<HeadsRequest['after']>;

function placeOf({ log, head }: PlacedLog): Place {
  return head === undefined ? { log } : { log, time: head.time };
}

function newestFirst(one: Place, other: Place): number {
  const [time, otherTime] = [one.time ?? -Infinity, other.time ?? -Infinity];
  return time === otherTime ? byName(one, other) : time > otherTime ? -1 : 1;
}

/** Compares names by code points, which is the order of the bytes in UTF-8, too. */
function byName({ log: one }: Place, { log: other }: Place): number {
  if (one === other) return 0;
  const at = firstDifference(one, other);
  return (one.codePointAt(at) ?? -1) - (other.codePointAt(at) ?? -1);
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  // Within a pair the pair counts.
  return at > 0 && isHighSurrogate(one.charCodeAt(at - 1)) ? at - 1 : at;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
