import type { ProjectionRequest } from '@loom/kernel';
import { z } from 'zod';
import { readText, sealLine, unsealLine } from './sealed-line.ts';

/** What the writes in a file come to. */
export interface WrittenProjection {
  epoch: string;
  seq: number;
  parts: Map<string, string>;
  /** How many parts were put or dropped. */
  lines: number;
}

/** A write: a line that says what it is and how many follow, and a line for each part. */
export function encodeWrite(name: string, { epoch, seq, base, put, drop }: ProjectionRequest): Uint8Array {
  const lines: (WriteLine | PartLine)[] = [
    { format, name, epoch, seq, base: base ?? null, lines: put.length + drop.length },
    ...drop.map((key) => ({ drop: key })),
    ...put.map(({ key, text }) => ({ key, text })),
  ];
  return new TextEncoder().encode(lines.map((line) => sealLine(JSON.stringify(line).slice(1))).join(''));
}

/** Applies the writes of a file. `undefined` if anything in it is not as it was written, or if it is of another format. */
export function readWrites(name: string, bytes: Uint8Array): WrittenProjection | undefined {
  let written: WrittenProjection | undefined;
  let due = 0;
  for (let position = 0; position < bytes.length;) {
    const end = bytes.indexOf(newline, position);
    const line = end === -1 ? undefined : parseLine(bytes.subarray(position, end));
    if (line === undefined) return undefined;
    position = end + 1;
    if ('format' in line) {
      const builds = written === undefined ? line.base === null : isNext(written, line);
      if (due > 0 || line.name !== name || !builds) return undefined;
      const { parts, lines } = written ?? { parts: new Map<string, string>(), lines: 0 };
      written = { epoch: line.epoch, seq: line.seq, parts, lines };
      due = line.lines;
    } else {
      if (written === undefined || due === 0) return undefined;
      if ('drop' in line) written.parts.delete(line.drop);
      else written.parts.set(line.key, line.text);
      written.lines += 1;
      due -= 1;
    }
  }
  return due === 0 ? written : undefined;
}

const newline = 0x0a;
const format = 1;

const writeLine = z.strictObject({
  format: z.literal(format),
  name: z.string(),
  epoch: z.string(),
  seq: z.number(),
  base: z.number().nullable(),
  lines: z.number(),
});
const partLine = z.union([z.strictObject({ key: z.string(), text: z.string() }), z.strictObject({ drop: z.string() })]);
const anyLine = z.union([partLine, writeLine]);

type WriteLine = z.infer<typeof writeLine>;
type PartLine = z.infer<typeof partLine>;

function isNext({ epoch, seq }: WrittenProjection, line: WriteLine): boolean {
  return line.epoch === epoch && line.base === seq;
}

function parseLine(line: Uint8Array): WriteLine | PartLine | undefined {
  const body = unsealLine(line);
  return body && anyLine.safeParse(JSON.parse(`{${readText(body)}`)).data;
}
