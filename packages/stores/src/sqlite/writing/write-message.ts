import type { AppendRequest, LogHead, NewRecord } from '@loom/kernel/store';
import type { WriteWork } from './write-work.ts';

/**
 * Works on their way to the writing thread. An append, the one work that comes thousands of times a second, is flattened into its fields:
 * copying a list of texts and numbers costs a tenth of copying nested objects. Any other work is one field, and crosses as it is.
 */
export type WriteMessage = readonly MessageField[];

type MessageField = string | number | undefined | LogHead | WriteWork;

export function encodeWorks(works: readonly WriteWork[]): WriteMessage {
  const fields: MessageField[] = [];
  for (const work of works) {
    if (work.type !== 'append') {
      fields.push(work);
      continue;
    }
    const { epoch, expectedSeq, records, head, format } = work.request;
    fields.push(work.log, work.newEpoch, epoch, expectedSeq, head, format, records.length);
    for (const { first, seq, text } of records) fields.push(first, seq, text);
  }
  return fields;
}

export function decodeWorks(message: WriteMessage): WriteWork[] {
  const works: WriteWork[] = [];
  let position = 0;
  const next = (): MessageField => message[position++];
  while (position < message.length) {
    const start = next();
    works.push(typeof start === 'string' ? decodeAppend(start, next) : otherWork(start));
  }
  return works;
}

function decodeAppend(log: string, next: () => MessageField): WriteWork {
  const newEpoch = textField(next());
  const epoch = optional(next(), textField);
  const expectedSeq = numberField(next());
  const head = headField(next());
  const format = optional(next(), numberField);
  const records = Array.from({ length: numberField(next()) }, () => decodeRecord(next));
  const request = {
    epoch,
    expectedSeq,
    records,
    ...(head !== undefined && { head }),
    ...(format !== undefined && { format }),
  };
  return { type: 'append', log, request, newEpoch };
}

function decodeRecord(next: () => MessageField): NewRecord {
  const first = optional(next(), numberField);
  const seq = numberField(next());
  const text = textField(next());
  return first === undefined ? { seq, text } : { first, seq, text };
}

function optional<T>(field: MessageField, read: (field: MessageField) => T): T | undefined {
  return field === undefined ? undefined : read(field);
}

function textField(field: MessageField): string {
  if (typeof field === 'string') return field;
  throw mistaken();
}

function numberField(field: MessageField): number {
  if (typeof field === 'number') return field;
  throw mistaken();
}

function headField(field: MessageField): AppendRequest['head'] {
  if (field === undefined || field === 'same') return field;
  if (typeof field === 'object' && 'time' in field) return field;
  throw mistaken();
}

function otherWork(field: MessageField): WriteWork {
  if (typeof field === 'object' && 'type' in field) return field;
  throw mistaken();
}

function mistaken(): TypeError {
  return new TypeError('a message to the writing thread was not made by encodeWorks');
}
