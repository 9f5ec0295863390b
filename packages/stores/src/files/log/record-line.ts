import type { LogRecord } from '@loom/kernel/store';
import { describeBytes } from '../../unreadable-records.ts';
import { readText, sealLine, unsealLine } from '../sealed-line.ts';

/** The place of a record: the seqs of its first and last change, and those of the write that it was a part of. */
export interface RecordPlace {
  first: number;
  seq: number;
  write: { from: number; to: number };
}

/**
 * A record as a line. The JSON of a change stands in it as it is, behind its own checksum, so that standard tools see it; any other
 * text is a JSON string. A write of several lines is named in each of them.
 */
export function encodeRecord({ first, seq, write }: RecordPlace, text: string): string {
  const several = write.from === first && write.to === seq ? '' : `,"write":[${write.from},${write.to}]`;
  const place = `"seq":${seq}${first === seq ? '' : `,"first":${first}`}${several}`;
  return sealLine(
    isChange(text)
      ? `${place},"sum":"${text.slice(0, 8)}","change":${text.slice(9)}}`
      : `${place},"text":${JSON.stringify(text)}}`,
  );
}

/** Returns the place of a line's record, or `undefined` if the line is not a complete record. */
export function readPlace(line: Uint8Array): RecordPlace | undefined {
  const body = unsealLine(line);
  return body && parsePlace(readText(body.subarray(0, longestPlace)))?.place;
}

/** The record of a line, as it was appended. */
export function decodeRecord(line: Uint8Array): { place: RecordPlace; record: LogRecord } | undefined {
  const body = unsealLine(line);
  if (body === undefined) return undefined;
  const whole = readText(body);
  const found = parsePlace(whole);
  if (found === undefined) return undefined;
  const { place, sum, length } = found;
  const value = whole.slice(length, -1);
  const text: unknown = sum === undefined ? JSON.parse(value) : `${sum} ${value}`;
  return typeof text === 'string' ? { place, record: { seq: place.seq, text } } : undefined;
}

/** Returns the text of a line that cannot be read: the change, if there still seems to be one, or else all of it. */
export function readAsItStands(line: Uint8Array): string {
  const whole = describeBytes(line);
  const match = /,"sum":"([^"]*)","change":(\{.*\})\}$/u.exec(whole);
  return match === null ? whole : `${match[1]} ${match[2]}`;
}

function parsePlace(body: string): { place: RecordPlace; sum: string | undefined; length: number } | undefined {
  const match = placePattern.exec(body);
  if (match === null) return undefined;
  const seq = Number(match[1]);
  const first = match[2] === undefined ? seq : Number(match[2]);
  const write = match[3] === undefined ? { from: first, to: seq } : { from: Number(match[3]), to: Number(match[4]) };
  return { place: { first, seq, write }, sum: match[5], length: match[0].length };
}

const placePattern =
  /^"seq":(\d+)(?:,"first":(\d+))?(?:,"write":\[(\d+),(\d+)\])?,(?:"sum":"([0-9a-f]{8})","change":|"text":)/u;
// Five numbers of at most ten digits and the names around them.
const longestPlace = 128;

function isChange(text: string): boolean {
  if (!/^[0-9a-f]{8} \{/u.test(text) || text.includes('\n')) return false;
  try {
    JSON.parse(text.slice(9));
    return true;
  } catch {
    return false;
  }
}
