import type { Projection, ProjectionPart, ProjectionRequest } from '@loom/kernel/store';
import type { LogEnd } from './append-verdict.ts';
import { checkLogName, checkSeq } from './append-verdict.ts';

/** Decides if a projection may be written, given the end of its log and its present state. Every store decides by this one function. */
export function judgeProjection(
  end: LogEnd,
  present: { epoch: string; seq: number } | undefined,
  { epoch, seq, base }: ProjectionRequest,
): boolean {
  if (end === undefined || end.epoch !== epoch || seq > end.lastSeq) return false;
  return base === undefined || (present?.epoch === epoch && present.seq === base);
}

/** Throws if no store could ever accept the request. */
export function checkProjection(log: string, name: string, { seq, base, put, drop }: ProjectionRequest): void {
  checkProjectionName(log, name);
  checkSeq('seq', seq);
  if (base !== undefined) {
    checkSeq('base', base);
    if (base > seq) throw new RangeError(`a projection does not go back from ${base} to ${seq}; replace it whole`);
  }
  const keys = new Set<string>(drop);
  if (keys.size !== drop.length) throw new RangeError('a part is dropped twice');
  for (const { key, text } of put) {
    if (keys.has(key)) throw new RangeError(`the part ${JSON.stringify(key)} is in one request twice`);
    keys.add(key);
    checkWellFormed(`the part ${JSON.stringify(key)}`, text);
  }
  for (const key of keys) checkWellFormed('the key of a part', key);
}

export function checkProjectionName(log: string, name: string): void {
  checkLogName(log);
  if (name === '') throw new TypeError('a projection needs a name');
  checkWellFormed('the name of the projection', name);
}

/** A projection as it is answered: its own copy of the parts that were asked for, in order. */
export function assembleProjection(
  { epoch, seq, parts }: { epoch: string; seq: number; parts: Iterable<readonly [key: string, text: string]> },
  prefix: string,
): Projection {
  const chosen: ProjectionPart[] = [];
  for (const [key, text] of parts) if (key.startsWith(prefix)) chosen.push({ key, text });
  return { epoch, seq, parts: sortParts(chosen) };
}

/** Sorts in place, by UTF-16 code units. */
export function sortParts(parts: ProjectionPart[]): ProjectionPart[] {
  return parts.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function checkWellFormed(what: string, text: string): void {
  if (!text.isWellFormed()) throw new TypeError(`${what} has a lone surrogate, which no store can keep`);
}
