import type { ProjectionRequest } from '@loom/kernel/store';
import { z } from 'zod';
import { readText, sealLine, unsealLine } from '../sealed-line.ts';

/** The result of all writes in a file. */
export interface WrittenProjection {
  epoch: string;
  seq: number;
  parts: Map<string, string>;
  /** The number of parts put or dropped. */
  lines: number;
}

/** Encodes a write: a line with its facts and the number of lines that follow, and a line for each part. */
export function encodeWrite(name: string, { epoch, seq, base, put, drop }: ProjectionRequest): Uint8Array {
  const lines: (WriteLine | PartLine)[] = [
    { format, name, epoch, seq, base: base ?? null, lines: put.length + drop.length },
    ...drop.map((key) => ({ drop: key })),
    ...put.map(({ key, text }) => ({ key, text })),
  ];
  return encoder.encode(lines.map((line) => sealLine(JSON.stringify(line).slice(1))).join(''));
}

/**
 * Applies the writes of a file, with the parts whose keys begin so. `undefined` if anything in it is not as it was written, or if it is
 * of another format.
 */
export function readWrites(name: string, bytes: Uint8Array, prefix = ''): WrittenProjection | undefined {
  const isOther = otherParts(prefix);
  let written: WrittenProjection | undefined;
  let due = 0;
  for (let position = 0; position < bytes.length;) {
    const end = bytes.indexOf(newline, position);
    const body = end === -1 ? undefined : unsealLine(bytes.subarray(position, end));
    const isSkipped = body !== undefined && isOther(body);
    const line = body === undefined || isSkipped ? undefined : anyLine.safeParse(JSON.parse(`{${readText(body)}`)).data;
    if (line === undefined && !isSkipped) return undefined;
    position = end + 1;
    if (line !== undefined && 'format' in line) {
      const builds = written === undefined ? line.base === null : isNext(written, line);
      if (due > 0 || line.name !== name || !builds) return undefined;
      const { parts, lines } = written ?? { parts: new Map<string, string>(), lines: 0 };
      written = { epoch: line.epoch, seq: line.seq, parts, lines };
      due = line.lines;
    } else {
      if (written === undefined || due === 0) return undefined;
      if (line !== undefined && 'drop' in line) written.parts.delete(line.drop);
      else if (line?.key.startsWith(prefix) === true) written.parts.set(line.key, line.text);
      written.lines += 1;
      due -= 1;
    }
  }
  return due === 0 ? written : undefined;
}

const encoder = new TextEncoder();
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

/** Tells the lines of parts that were not asked for by how they begin: a reader of the head of a snapshot does not parse all of it. */
function otherParts(prefix: string): (body: Uint8Array) => boolean {
  // Other characters are written in several ways, or may be half of one.
  if (!/^[ !#-[\]-~]+$/u.test(prefix)) return () => false;
  const [part, wanted] = [encoder.encode('"key":"'), encoder.encode(`"key":"${prefix}`)];
  return (body) => beginsWith(body, part) && !beginsWith(body, wanted);
}

function beginsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}
