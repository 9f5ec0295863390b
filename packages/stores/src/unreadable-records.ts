import type { LogRecord } from '@loom/kernel/store';

/** A piece of a log as it was found: a record and the seq of its first change, or a text that is none. */
export type FoundRecord = { first: number; record: LogRecord } | { unreadable: string };

export interface PlacedRecords {
  lastSeq: number;
  /** The records without a gap: in the place of each one that cannot be read is the text that stands there, or none. */
  records: LogRecord[];
  /** Texts that no record is missing for. */
  strays: string[];
}

/** Gives unreadable records the places that the records around them leave. The log reaches to `least`, or beyond. */
export function placeUnreadable(found: readonly FoundRecord[], least: number): PlacedRecords {
  const records: LogRecord[] = [];
  const strays: string[] = [];
  let last = 0;
  let unreadable: string[] = [];
  const fill = (end: number): void => {
    const missing = end - last;
    const texts = missing > 0 && unreadable.length === 0 ? [''] : unreadable.slice(0, Math.max(missing, 0));
    strays.push(...unreadable.slice(texts.length));
    // Each text is one change, as far as is known, and the last is the rest of them.
    for (const [index, text] of texts.entries()) {
      records.push({ seq: index === texts.length - 1 ? end : last + index + 1, text });
    }
    unreadable = [];
  };
  for (const one of found) {
    if ('unreadable' in one) unreadable.push(one.unreadable);
    else if (one.first <= last) strays.push(one.record.text);
    else {
      fill(one.first - 1);
      records.push(one.record);
      last = one.record.seq;
    }
  }
  const lastSeq = Math.max(least, last);
  fill(lastSeq);
  return { lastSeq, records, strays };
}

/** Bytes as a text from which they can be had again. */
export function describeBytes(bytes: Uint8Array): string {
  try {
    return strictly.decode(bytes);
  } catch {
    return `not UTF-8, in base64: ${Buffer.from(bytes).toString('base64')}`;
  }
}

const strictly = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
