import { StoreError } from '@loom/kernel/store';
import { checksum } from '../disk/checksum.ts';

/** A line of JSON that begins with the CRC-32 of its rest: `{"crc":"1c291ca3",` and the body, which ends with the brace. */
export function sealLine(body: string): string {
  return `${opening}${checksum(body)}",${body}\n`;
}

/** Returns the bytes behind the checksum of a line without its newline, or `undefined` if they do not match it. */
export function unsealLine(line: Uint8Array): Uint8Array | undefined {
  if (line.length <= bodyStart) return undefined;
  const body = line.subarray(bodyStart);
  return readText(line.subarray(0, bodyStart)) === `${opening}${checksum(body)}",` ? body : undefined;
}

/** A sealed line that describes a file: its format and some fields. */
export function sealFields(fields: Record<string, unknown>, format = firstFormat): string {
  return sealLine(JSON.stringify({ format, ...fields }).slice(1));
}

/** The fields of such a line. `undefined` if it is damaged; a newer format is refused with `store-newer`. */
export function unsealFields(line: Uint8Array, file: string): Record<string, unknown> | undefined {
  const body = unsealLine(line);
  if (body === undefined) return undefined;
  const fields: unknown = JSON.parse(`{${readText(body)}`);
  if (!isRecord(fields) || typeof fields['format'] !== 'number') return undefined;
  if (fields['format'] <= newestFormat) return fields;
  throw new StoreError(
    'store-newer',
    `${file} has format ${fields['format']}, and this Loom knows up to ${newestFormat}`,
    'Open it with the Loom that wrote it, or a newer one. Nothing was changed.',
  );
}

/** UTF-8 as text, character by character: a byte order mark is one of them. */
export function readText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** The format of every line except the first of a log that needs a newer one. The format before it knew fewer ops. */
export const firstFormat = 2;
const newestFormat = 3;
const opening = '{"crc":"';
const bodyStart = opening.length + 8 + 2;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
